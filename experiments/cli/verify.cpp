#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/algorithm/string.hpp>

#include "cli/architecture.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/levels_option.hpp"
#include "cli/program.hpp"
#include "cli/subject_problem.hpp"
#include "cli/terminal.hpp"
#include "problem/tensor_names.hpp"
#include "problem/validate.hpp"
#include "runner/experiment/parse.hpp"
#include "runner/supervise/say.hpp"
#include "runner/supervise/supervisor.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;

Arguments verify_arguments() {
  Arguments arguments(
      {"verify [NAME...|all] [KEY=VALUE...] [OPTION...]",
       "Checks kernels, optimizations (each alone on the skeleton's defaults), recipes and arms of "
       "experiments (EXPERIMENT:ARM) against the float64 reference and, where the input has an "
       "output of its own and all types are fp32, against that. One line each. The problem is that "
       "of the KEY=VALUE words, which 'msda bench --help' lists, of --problem or --input; else an "
       "arm's is the first of its experiment, and all others' a small generated one with points "
       "inside, on and beyond the image. "
       "With --levels given or stored each is checked on several pyramids. "
       "With --evidence nothing is verified: threads are counted on a smaller problem of the same "
       "shape (default: ledger-48 in fp16); without a GPU on the device simt. With an architecture "
       "in place of a device (--device sm_89) each composition is compiled and nothing runs; with "
       "several (--device sm_80,sm_120) a table says what there is for each.",
       "  msda verify\n"
       "  msda verify persistent-full --evidence\n"
       "  msda verify experiments/ablation.yaml:all --device simt\n"
       "  msda verify all --device sm_120\n"
       "  msda verify cpu-simd --problem ddetr-decoder --dtype fp16\n"
       "  msda verify cpu-simd num_query=100 channels=48 levels=30x40,15x20\n"
       "  msda verify all --input experiments/inputs/captured_decoder --device cpu\n",
       "0 all right, shown or skipped; 1 some are wrong, failed, crashed, hung or without effect; "
       "2 wrong "
       "usage; 3 something is missing here"});
  arguments.option("problem", "PRESET", "a preset, or a problem of EXPERIMENT");
  arguments.option("input", "DIR", "a directory of .npy tensors");
  add_operator_option(arguments, kDefaultOperator);
  arguments.option("dtype", "T",
                   "convert all tensors to " + choices(all_names<DType>()) + " first");
  arguments.option("recipes", "FILE", "where recipes come from (default: the shipped ones)");
  add_levels_option(arguments);
  arguments.option("timeout", "DURATION", "longest silence of a variant (default: 120 s)");
  arguments.flag(
      "evidence",
      "ask instead whether each arm's optimizations take effect, and print what was counted");
  arguments.device_option();
  arguments.plugin_option();
  arguments.words("NAME", 0, -1);
  return arguments;
}

/// Corners in and out of levels of odd sizes, more than one image and head.
ProblemSpec small_problem() {
  ProblemSpec spec;
  spec.problem.name = "small";
  spec.problem.batch = 2;
  spec.problem.queries = 100;
  spec.problem.heads = 4;
  spec.problem.channels = 32;
  spec.problem.points = 4;
  spec.problem.levels = {{17, 23}, {9, 12}, {5, 6}, {3, 3}};
  spec.generation.distribution = Distribution::kOutside;
  return spec;
}

/// Where recipes are at home: that of the documents whose kernels they are.
ProblemSpec documents_problem() {
  ProblemSpec spec = preset_spec("ledger-48", fs::current_path());
  spec.problem.types = Types::all(kUsual);
  spec.generation.distribution = Distribution::kLocal;
  return spec;
}

ProblemSpec problem_from(const Arguments& arguments, const SubjectWords& words,
                         const Registry& registry) {
  const auto directory = arguments.find("input");
  if (directory && (arguments.has("problem") || !words.keys.empty())) {
    throw UsageError("verify: give either a problem or --input, not both");
  }
  const Operator* const named = named_operator(arguments, "verify", words);
  const std::string op(named != nullptr ? named->name() : kDefaultOperator);
  ProblemSpec spec = arguments.has("evidence") ? documents_problem() : small_problem();
  spec.op = op;
  if (!directory) {
    const std::string wanted = named != nullptr ? op : "";
    if (auto given = subject_problem(arguments, "verify", words, wanted, registry)) {
      spec = *std::move(given);
    }
  }
  if (directory) {
    if (!fs::is_directory(*directory)) {
      throw UsageError(fmt::format("verify: --input {}: no such directory", *directory));
    }
    if (is_raw_directory(*directory, find_operator(op).tensors())) {
      throw UsageError(
          fmt::format("verify: --input {} holds raw tensors, which have no shape; make "
                      ".npy files of them with 'msda input convert'",
                      *directory));
    }
    Problem hint;
    const fs::path path = fs::absolute(*directory).lexically_normal();
    hint.name = (path.has_filename() ? path : path.parent_path()).filename().string();
    spec = directory_spec(path, hint, op);
  }
  if (const auto dtype = arguments.find("dtype")) {
    spec.problem.types = Types::all(value_named<DType>(*dtype));
  }
  return spec;
}

/// The problem, or where the level sizes are no constants several pyramids in its place, unless an
/// input says whose.
std::vector<ProblemSpec> problems_from(const Arguments& arguments, const ProblemSpec& spec) {
  const bool one = levels_from(arguments) == LevelForm::kFixed || arguments.has("input") ||
                   arguments.has("evidence");
  return one ? std::vector{spec} : with_pyramids(spec);
}

struct Target {
  std::string name;
  std::vector<Use> uses;
  std::string broken;                   ///< why it cannot be tried
  std::vector<std::string> evidence{};  ///< conditions of a recipe
};

/// Every variant, broken ones too, and every recipe that has not a variant's name.
std::vector<Target> all_targets(const Registry& registry, const Recipes& recipes) {
  std::vector<Target> targets;
  std::set<std::string> names;
  for (const Plugin& plugin : registry.plugins()) {
    names.insert(plugin.name);
    targets.push_back({plugin.name.empty() ? plugin.file.filename().string() : plugin.name,
                       {{plugin.name, {}}},
                       plugin.error});
  }
  for (const auto& [name, recipe] : recipes) {
    if (!names.contains(name))
      targets.push_back({name, recipe.uses, recipe.error, recipe.evidence});
  }
  return targets;
}

bool is_all(const std::vector<std::string>& names) {
  return names.empty() || names == std::vector<std::string>{"all"};
}

std::vector<Target> choose_targets(const std::vector<std::string>& names,
                                   const std::vector<Target>& all) {
  if (is_all(names)) return all;
  std::vector<std::string> known;
  known.reserve(all.size());
  for (const Target& target : all) known.push_back(target.name);
  std::vector<Target> chosen;
  for (const std::string& name : names) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Target& t) { return t.name == name; });
    if (found == all.end()) {
      refuse_best(name);
      throw UsageError(
          fmt::format("verify: no variant or recipe '{}'{}", name, suggestion(name, known)));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

/// How many targets are skipped for each reason.
class Skips {
 public:
  void add(const std::string& reason) { ++counts_[reason]; }
  bool any() const { return !counts_.empty(); }

  /// "61: runs on cuda (58), fp32 only (2), 1 for other reasons"
  std::string text() const {
    constexpr std::size_t kMost = 3;
    std::vector<std::pair<std::string, int>> sorted(counts_.begin(), counts_.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    int all = 0;
    int others = 0;
    std::vector<std::string> parts;
    for (const auto& [reason, count] : sorted) {
      all += count;
      if (parts.size() < kMost) {
        parts.push_back(fmt::format("{} ({})", reason, count));
      } else {
        others += count;
      }
    }
    if (others > 0) parts.push_back(fmt::format("{} for other reasons", others));
    return fmt::format("{}: {}", all, fmt::join(parts, ", "));
  }

 private:
  std::map<std::string, int> counts_;
};

/// "1.2e-07 (tolerance 1.8e-06)", with their names where there are several.
std::string errors_text(const std::vector<OutputError>& outputs) {
  std::vector<std::string> texts;
  for (const OutputError& output : outputs) {
    texts.push_back(fmt::format("{}{:.1e} (tolerance {:.1e})",
                                outputs.size() > 1 ? output.name + " " : "", output.relative_l2,
                                output.tolerance));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

class Lines {
 public:
  /// `counts_skips`: of everything there is, what is skipped is counted in one line at the end.
  Lines(const std::vector<Target>& targets, bool counts_skips) : counts_skips_(counts_skips) {
    for (const Target& target : targets) width_ = std::max(width_, target.name.size());
  }

  void print(const std::string& word, const std::string& name, const std::string& text) {
    if (counts_skips_ && word == kSkipped) return skips_.add(text);
    const Colour colour = word == "ok" || word == "shown"           ? Colour::kGreen
                          : word == kSkipped || word == "unchecked" ? Colour::kYellow
                                                                    : Colour::kRed;
    say(stdout, "{}{:<{}}  {}\n", coloured(fmt::format("{:<8} ", word), colour, stdout), name,
        width_, text);
  }

  void finish() const {
    if (!skips_.any()) return;
    fmt::print("{}{}; 'msda verify NAME' says why\n",
               coloured(fmt::format("{:<9}", kSkipped), Colour::kYellow, stdout), skips_.text());
  }

  void print(const Record& record) {
    if (record.evidence) return print(record.arm, *record.evidence);
    std::string text = record.reason;
    if (record.status == CellStatus::kOk) {
      text = "relative L2 " + errors_text(record.outputs);
      if (record.expected_relative_l2) {
        text +=
            fmt::format(", {:.1e} against the input's own output", *record.expected_relative_l2);
      }
      for (const OutputError& output : record.outputs) {
        if (output.on_knots == 0) continue;
        text += fmt::format("; {} elements of {} beside pixels' centres have two right results",
                            output.on_knots, output.name);
      }
    }
    print(std::string(name_of(record.status)), record.arm, text);
  }

 private:
  /// A line for each thing that did not show, and one for each number.
  void print(const std::string& name, const Evidence& evidence) {
    const bool has_effect = evidence.status != Evidence::Status::kVacuous;
    print(has_effect ? std::string(name_of(evidence.status)) : "no effect", name, evidence.reason);
    for (const std::string& missing : evidence.missing) fmt::print("{:13}{}\n", "", missing);
    for (const auto& [what, number] : evidence.numbers) {
      fmt::print("{:13}{:>16.10g}  {}\n", "", number, what);
    }
  }

  static constexpr std::string_view kSkipped = "skipped";

  bool counts_skips_;
  Skips skips_;
  std::size_t width_ = 0;
};

/// The targets that can be tried on the device, as arms; prints a line for each of the others.
std::vector<ArmEntry> runnable(const std::vector<Target>& targets, const Arguments& arguments,
                               const Registry& registry, const DeviceInfo& device, Lines& lines,
                               bool& all_right) {
  std::vector<ArmEntry> arms;
  for (const Target& target : targets) {
    try {
      if (!target.broken.empty()) throw UsageError(target.broken);
      if (const std::string why = refuses_levels(arguments, registry, target.uses); !why.empty()) {
        lines.print("skipped", target.name, why);
        continue;
      }
      const Arm arm = make_arm(registry, target.name, with_levels(arguments, target.uses));
      if (arm.resolved->runs_on(device.kind)) {
        arms.push_back(arm);
        arms.back().evidence = target.evidence;
      } else {
        lines.print("skipped", target.name, "runs on " + arm.resolved->devices_text());
      }
    } catch (const UsageError& error) {
      lines.print("broken", target.name, error.what());
      all_right = false;
    }
  }
  return arms;
}

void print_header(const ProblemSpec& spec, const DeviceInfo& device) {
  fmt::print("{} on {} ({}), {}\n", spec.name(), device.id, device.name, describe(spec.problem));
  if (spec.directory && fs::exists(*spec.directory / "output.npy") &&
      spec.problem.types != Types{}) {
    fmt::print("output.npy is not used: it is an fp32 result, and the types are not all fp32\n");
  }
}

/// On a machine without a GPU evidence comes from the device simt.
DeviceInfo device_for(const Arguments& arguments) {
  const std::vector<DeviceInfo> devices = list_devices();
  DeviceInfo device = choose_device(arguments.device(), devices);
  const bool counts = arguments.has("evidence") && arguments.device() == "auto";
  return counts && device.kind == DeviceKind::kCpu ? choose_device("simt", devices) : device;
}

bool is_right(const Record& record) {
  if (record.evidence && record.evidence->status == Evidence::Status::kVacuous) return false;
  return record.status == CellStatus::kOk || record.status == CellStatus::kSkipped;
}

}  // namespace

int verify_command(const std::vector<std::string>& words) {
  Arguments arguments = verify_arguments();
  if (!arguments.parse(words)) return 0;
  const Registry registry = load_registry(arguments);
  const SubjectWords split = split_words(arguments.words());
  const Recipes recipes = recipes_for(arguments.find("recipes"), registry, split.names);
  const std::vector<Target> targets = choose_targets(split.names, all_targets(registry, recipes));
  const ProblemSpec spec = problem_from(arguments, split, registry);
  if (names_architecture(arguments.device())) {
    std::vector<CompileTarget> compiled;
    for (const Target& target : targets) {
      compiled.push_back({target.name, target.uses, target.broken});
    }
    std::vector<std::string> architectures;
    boost::split(architectures, arguments.device(), boost::is_any_of(","));
    const bool all_good = architectures.size() > 1
                              ? print_architectures(compiled, registry, spec, architectures)
                              : compile_all(compiled, registry, {spec}, architectures.front());
    return static_cast<int>(all_good ? ExitCode::kOk : ExitCode::kCellFailed);
  }
  const bool asks_for_evidence = arguments.has("evidence");
  const DeviceInfo device = device_for(arguments);
  GroupRequest request;
  request.experiment = "verify";
  request.problem = spec;
  request.timed = false;
  request.evidence = asks_for_evidence;
  request.verified = !asks_for_evidence;
  request.measure.input_sets = 1;
  if (const auto all = arguments.duration("timeout")) {
    request.measure.timeouts = {*all, *all, *all, *all};
  }
  const std::vector<ProblemSpec> problems = problems_from(arguments, request.problem);
  Lines lines(targets, is_all(split.names));
  bool all_right = true;
  print_header(problems.front(), device);
  request.arms = runnable(targets, arguments, registry, device, lines, all_right);
  std::vector<std::string> names;
  for (const ArmEntry& arm : request.arms) names.push_back(arm.name);
  Supervisor supervisor({program_path(), device.id, arguments.plugin_directories(), false});
  for (const ProblemSpec& problem : problems) {
    if (names.empty()) break;  // no header of a pyramid on which nothing is tried
    request.problem = problem;
    if (&problem != &problems.front()) print_header(problem, device);
    supervisor.run(request, names, [&](const Record& record) {
      lines.print(record);
      if (!is_right(record)) all_right = false;
    });
  }
  lines.finish();
  return static_cast<int>(all_right ? ExitCode::kOk : ExitCode::kCellFailed);
}

}  // namespace msda
