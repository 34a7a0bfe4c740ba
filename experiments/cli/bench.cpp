#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/bench_words.hpp"
#include "cli/commands.hpp"
#include "cli/levels_option.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "cli/variant_text.hpp"
#include "problem/validate.hpp"
#include "render/formats.hpp"
#include "results/entries_json.hpp"
#include "runner/experiment/parse.hpp"
#include "runner/plan/plan.hpp"
#include "runner/supervise/progress.hpp"
#include "runner/supervise/say.hpp"
#include "runner/supervise/supervisor.hpp"
#include "version.hpp"

namespace msda {
namespace {

constexpr int kMostRepeats = 100'000;  ///< blocks, and samples, as in experiments

Arguments bench_arguments() {
  std::string text =
      "Verifies and times one variant, recipe or arm of an experiment on one problem spelled out "
      "in words:\n\n" +
      problem_words_help() +
      fmt::format("  mode=           {} (default: {})\n", choices(all_names<TimingMode>()),
                  name_of(kUsualMode)) +
      "  device=         the same as --device\n"
      "  blocks=         interleaved passes (default 10)\n"
      "  samples=        timed launches in each (default 10)\n"
      "  PARAMETER=      any parameter of the variant";
  Arguments arguments(
      {"bench VARIANT|RECIPE|EXPERIMENT:ARM [KEY=VALUE...] [OPTION...]", text,
       "  msda bench cpu-threads threads=2 preset=ddetr-decoder\n"
       "  msda bench experiments/ablation.yaml:all preset=rtdetr-decoder\n"
       "  msda bench vector-loads batch=48 spatial_size=20522 num_query=20522 num_heads=1 \\\n"
       "      channels=32 num_levels=4 num_points=8 im2col_step=1 dtype=fp16\n",
       "0 ok; 1 wrong, failed, crashed or hung; 2 wrong usage; 3 something is missing here"});
  add_levels_option(arguments);
  arguments.option("recipes", "FILE", "where recipes are looked up (default: the shipped ones)");
  add_operator_option(arguments, "what VARIANT computes");
  arguments.device_option();
  arguments.plugin_option();
  arguments.words("VARIANT", 1, -1);
  return arguments;
}

ParameterValue parameter_value(const std::string& variant, const ParameterSpec& spec,
                               const std::string& text) {
  if (spec.is_file) return std::filesystem::absolute(text).lexically_normal().string();
  if (std::holds_alternative<std::string>(spec.default_value)) return text;
  try {
    return YamlNode::parse(text, "").as_parameter(spec.default_value);
  } catch (const UsageError&) {
    throw UsageError(
        fmt::format("{}={}: parameter of {} is {}", spec.name, text, variant, type_text(spec)));
  }
}

/// A variant with those of the words that are its parameters, or a recipe.
std::vector<Use> uses_from_words(const std::string& name, Words& words, const Registry& registry,
                                 const Recipes& recipes) {
  if (const auto recipe = recipes.find(name); recipe != recipes.end())
    return usable(recipe->second);
  refuse_best(name);
  const VariantInfo& info = registry.find(name).variant->info();
  Use use{name, {}};
  for (const ParameterSpec& spec : info.parameters) {
    if (const auto text = words.take(spec.name)) {
      use.parameters.emplace(spec.name, parameter_value(name, spec, *text));
    }
  }
  resolve_parameters(info, use.parameters);
  return {use};
}

MeasureSettings settings_from_words(Words& words) {
  MeasureSettings settings;
  settings.modes = {
      parse_timing_mode(words.take("mode").value_or(std::string(name_of(kUsualMode))))};
  settings.processes = settings.most_processes = 1;
  settings.blocks = words.take_integer("blocks", 1, kMostRepeats).value_or(10);
  settings.samples = words.take_integer("samples", 1, kMostRepeats).value_or(10);
  return settings;
}

/// The words of bench itself, and those of the variant.
std::vector<std::string> other_keys(const std::string& variant, const Registry& registry,
                                    const Recipes& recipes) {
  std::vector<std::string> keys = {"mode", "device", "blocks", "samples"};
  if (recipes.contains(variant)) return keys;
  for (const ParameterSpec& spec : registry.find(variant).variant->info().parameters) {
    keys.push_back(spec.name);
  }
  return keys;
}

/// As the word operator=, from --operator or from what is to be timed.
void add_operator(Words& words, const Arguments& arguments, const Composition& composition) {
  const Operator* const named = operator_option(arguments);
  if (words.has("operator")) {
    if (named != nullptr) throw UsageError("bench: give either operator= or --operator, not both");
    return;
  }
  words.add("operator", std::string((named != nullptr ? *named : composition.op()).name()));
}

DeviceInfo device_for(const Arguments& arguments, Words& words, const Composition& composition) {
  const auto word = words.take("device");
  if (word && arguments.has("device")) {
    throw UsageError("bench: give either device= or --device, not both");
  }
  std::string id = word ? parse_device(*word) : arguments.device();
  // A variant for the CPU runs there, whatever else is in the machine.
  if (id == "auto" && !composition.runs_on(DeviceKind::kCuda)) id = "cpu";
  DeviceInfo device = choose_device(id, list_devices());
  if (device.kind == DeviceKind::kSimt) {
    throw UsageError("bench: the device simt measures nothing; check a variant there with verify");
  }
  if (composition.runs_on(device.kind)) return device;
  const std::string reason = cuda_unavailable_reason();
  throw EnvironmentError(fmt::format("bench: {} runs on {}, not on {}{}", composition.describe(),
                                     composition.devices_text(), device.id,
                                     reason.empty() ? "" : " (CUDA: " + reason + ")"));
}

Record run_bench(const GroupRequest& request, const Arguments& arguments, const DeviceInfo& device,
                 nlohmann::json& ready) {
  Progress progress(stderr, is_terminal(stderr), 1, request.measure);
  Supervisor supervisor({program_path(), device.id, arguments.plugin_directories(), true},
                        [&](const nlohmann::json& event) { progress.on_event(event); });
  ready = supervisor.ready();
  Record result;
  supervisor.run(request, {request.baseline}, [&](const Record& record) { result = record; });
  return result;
}

}  // namespace

int bench_command(const std::vector<std::string>& command_words) {
  Arguments arguments = bench_arguments();
  if (!arguments.parse(command_words)) return 0;
  const std::string name = arguments.words().front();
  Words words({arguments.words().begin() + 1, arguments.words().end()});
  const Registry registry = load_registry(arguments);
  const Recipes recipes = recipes_for(arguments.find("recipes"), registry, {name});
  const std::vector<Use> uses =
      with_levels(arguments, uses_from_words(name, words, registry, recipes));
  const Composition composition(registry, uses);
  GroupRequest request;
  request.experiment = "bench";
  request.measure = settings_from_words(words);
  request.mode = request.measure.modes.front();
  const DeviceInfo device = device_for(arguments, words, composition);
  add_operator(words, arguments, composition);
  words.refuse_rest("bench", other_keys(name, registry, recipes));
  request.problem = problem_from_words(words);
  for (const std::string& note : idle_notes(request.problem)) say(stderr, "note: {}\n", note);
  request.arms = {{name, uses, composition.describe()}};
  request.baseline = name;

  nlohmann::json ready;
  const Record record = run_bench(request, arguments, device, ready);
  Manifest manifest;
  manifest.name = "bench";
  manifest.summary = describe(request.problem.problem);
  manifest.program_version = kVersion;
  manifest.device = from_json_document<DeviceInfo>(ready.at("device"), "device");
  manifest.ceilings = ready.value("ceilings", nlohmann::json());
  fmt::print("{}", to_terminal(make_report(std::move(manifest), {record}), wants_colour(stdout)));
  const bool good = record.status == CellStatus::kOk || record.status == CellStatus::kSkipped;
  return static_cast<int>(good ? ExitCode::kOk : ExitCode::kCellFailed);
}

}  // namespace msda
