#include "cli/export_subjects.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/algorithm/string.hpp>

#include "cli/bench_words.hpp"
#include "cli/program.hpp"
#include "files/read.hpp"
#include "jit/occupancy.hpp"
#include "nearest.hpp"
#include "problem/tensor_names.hpp"
#include "reference/bounds.hpp"
#include "runner/experiment/experiment.hpp"
#include "runner/experiment/parse.hpp"
#include "runner/plan/best_match.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBest = "best";
/// The problems of each model that --for names.
constexpr const char* kModelsFile = "exports.yaml";

bool is_key_value(const std::string& word) { return word.find('=') != std::string::npos; }

/// In models points lie around their query, and winners for such points serve them best.
void expect_local_points(ProblemSpec& spec) { spec.generation.distribution = Distribution::kLocal; }

/// "batch=1 preset=ddetr-encoder"; in the usual type unless a key says another one.
ProblemSpec problem_in_words(const std::vector<std::string>& texts) {
  Words words(texts);
  const bool named = words.has("preset") || words.has("name") || words.has("dir");
  const bool located = words.has("distribution") || words.has("dir");
  const bool typed = words.has("dtype") || words.has("types") || words.has("dir");
  ProblemSpec spec = problem_from_words(words);
  words.refuse_rest("export");
  if (!located) expect_local_points(spec);
  if (!named) spec.problem.name = "problem";
  if (!typed) spec.problem.types = Types::all(kUsual);
  return spec;
}

/// What one --problem stands for.
std::vector<ProblemSpec> problems_named(const std::string& name, const Registry& registry) {
  if (is_key_value(name)) {
    std::vector<std::string> words;
    std::istringstream stream(name);
    for (std::string word; stream >> word;) words.push_back(word);
    return {problem_in_words(words)};
  }
  const std::string suffix = fs::path(name).extension();
  if (suffix == ".yaml" || suffix == ".yml") return load_experiment(name, registry).problems;
  ProblemSpec spec = preset_spec(name, fs::current_path());
  spec.problem.types = Types::all(kUsual);
  expect_local_points(spec);
  return {spec};
}

fs::path models_file() {
  for (const fs::path& directory : experiments_directories()) {
    if (fs::exists(directory / kModelsFile)) return directory / kModelsFile;
  }
  throw EnvironmentError(fmt::format("export: no {} came with this program", kModelsFile));
}

std::vector<ProblemSpec> problems_of_model(const std::string& model) {
  const fs::path file = models_file();
  const YamlMap models = YamlNode::parse(read_text(file, kMostHandwritten), file.string()).as_map();
  std::vector<std::string> names;
  for (const YamlMap::Entry& entry : models.entries()) names.push_back(entry.key);
  const auto found = models.find(model);
  if (!found) {
    throw UsageError(fmt::format("export: no model '{}'{}; there are: {}", model,
                                 suggestion(model, names), fmt::join(names, ", ")));
  }
  std::vector<ProblemSpec> problems;
  for (const YamlNode& node : found->as_list("problem")) {
    std::ranges::move(parse_problems(node, file.parent_path()), std::back_inserter(problems));
  }
  return problems;
}

std::vector<ProblemSpec> problems_of(const Arguments& arguments, const Registry& registry) {
  std::vector<ProblemSpec> problems;
  for (const std::string& name : arguments.all("problem")) {
    std::ranges::move(problems_named(name, registry), std::back_inserter(problems));
  }
  for (const std::string& model : arguments.all("for")) {
    std::ranges::move(problems_of_model(model), std::back_inserter(problems));
  }
  std::vector<std::string> words = arguments.words();
  std::erase_if(words, [](const std::string& word) { return !is_key_value(word); });
  if (!words.empty()) problems.push_back(problem_in_words(words));
  if (problems.empty()) {
    throw UsageError(
        "export: no problem is given: name presets or files behind --problem, a model behind "
        "--for, "
        "or write KEY=VALUE; shapes and types become constants of the kernels");
  }
  if (const auto dtype = arguments.find("dtype")) {
    for (ProblemSpec& spec : problems) spec.problem.types = Types::all(value_named<DType>(*dtype));
  }
  return problems;
}

/// GPUs that winners were found on, each once, with how many were.
std::vector<std::pair<DeviceInfo, std::size_t>> models_of(const std::vector<Winner>& winners) {
  std::vector<std::pair<DeviceInfo, std::size_t>> models;
  for (const Winner& winner : winners) {
    if (winner.device.kind != DeviceKind::kCuda) continue;
    const auto known = std::ranges::find_if(
        models, [&](const auto& model) { return model.first.name == winner.device.name; });
    if (known != models.end()) {
      ++known->second;
      continue;
    }
    DeviceInfo device = compile_target(winner.device.compute_capability);
    device.name = winner.device.name;
    models.emplace_back(device, 1);
  }
  return models;
}

/// The model that --device-model names, by a part of its name; else the GPU here, else the one that
/// most winners were found on.
DeviceInfo device_model(const Arguments& arguments, const std::vector<Winner>& winners) {
  const auto models = models_of(winners);
  std::vector<std::string> names;
  for (const auto& [device, count] : models) names.push_back(device.name);
  if (const auto wanted = arguments.find("device-model")) {
    for (const auto& [device, count] : models) {
      if (boost::algorithm::icontains(device.name, *wanted)) return device;
    }
    throw UsageError(fmt::format("export: no winner was found on a '{}'; there are those of: {}",
                                 *wanted, fmt::join(names, ", ")));
  }
  for (const DeviceInfo& device : list_devices()) {
    if (device.kind == DeviceKind::kCuda) return device;
  }
  if (models.empty()) {
    throw UsageError("export: no search has left a winner for a GPU; `msda tune` finds one");
  }
  return std::ranges::max_element(models, {}, [](const auto& model) { return model.second; })
      ->first;
}

/// The winner for each problem, on one model of GPU.
class Best {
 public:
  Best(const Arguments& arguments, const Registry& registry, std::vector<std::string>& notes)
      : registry_(registry),
        winners_(all_winners({}, registry, notes)),
        device_(device_model(arguments, winners_)) {}

  std::vector<Use> uses_for(const ProblemSpec& problem, std::vector<std::string>& notes) const {
    const double error = acceptable_error(problem.problem);
    const auto mode = value_named<TimingMode>("graph");  // as models that are captured launch it
    const auto match = best_match(winners_, registry_, problem, mode, error, device_);
    if (!match) {
      throw Unsupported(why_no_match(winners_, registry_, problem, mode, error, device_) +
                        "; name a recipe for it, or let `msda tune` find one");
    }
    notes.push_back(fmt::format("best for {} ({}) on {}: {}", problem.name(),
                                name_of(problem.problem.types.value), device_.name, match->text));
    return match->winner.uses;
  }

 private:
  const Registry& registry_;
  std::vector<Winner> winners_;
  DeviceInfo device_;
};

}  // namespace

void add_subject_options(Arguments& arguments) {
  arguments.list("problem", "PROBLEM",
                 "a preset, an experiment's file with its problems, or \"KEY=VALUE ...\" as of "
                 "'msda bench' (repeatable)");
  arguments.list(
      "for", "MODEL",
      fmt::format("the problems of a model, as {} lists them (repeatable)", kModelsFile));
  arguments.option("dtype", "T",
                   fmt::format("{} (default: the file's types, {} for presets)",
                               choices(all_names<DType>()), name_of(kUsual)));
  arguments.option("device-model", "NAME",
                   "the GPU that 'best' is for, 'h200' say (default: the one here, else the one "
                   "that most winners were found on)");
  arguments.option("recipes", "FILE", "where recipes are looked up (default: the shipped ones)");
}

std::vector<ExportedKernel> export_subjects(const Arguments& arguments, const Registry& registry,
                                            std::vector<std::string>& notes) {
  std::vector<std::string> names = arguments.words();
  std::erase_if(names, is_key_value);
  const std::vector<ProblemSpec> problems = problems_of(arguments, registry);
  if (names.size() != 1 && names.size() != problems.size()) {
    throw UsageError(fmt::format(
        "export: {} recipes for {} problems: give one for all, or one for each in their order",
        names.size(), problems.size()));
  }
  const Recipes recipes = recipes_for(arguments.find("recipes"), registry, names);
  std::optional<Best> best;
  std::vector<ExportedKernel> kernels;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const std::string& name = names.size() == 1 ? names.front() : names[i];
    const bool is_best = name == kBest && !recipes.contains(name);
    if (is_best && !best) best.emplace(arguments, registry, notes);
    kernels.push_back({name,
                       Composition(registry, is_best ? best->uses_for(problems[i], notes)
                                                     : uses_of(name, registry, recipes)),
                       problems[i].problem});
  }
  return kernels;
}

}  // namespace msda
