#include "cli/export_subjects.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
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
constexpr const char* kNone = "none";
constexpr const char* kBackwardOperator = "backward";
/// The problems of each model that --for names.
constexpr const char* kModelsFile = "exports.yaml";
/// Recipes of the operator backward.
constexpr const char* kGradientsFile = "gradients.yaml";

/// A problem, and the recipes of its gradients: absent where nobody has said.
struct Subject {
  ProblemSpec problem;
  std::optional<std::vector<std::string>> gradients;
};

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

fs::path shipped_file(const char* name) {
  if (const auto file = shipped_experiment(name)) return *file;
  throw EnvironmentError(fmt::format("export: no {} came with this program", name));
}

/// {problem: PROBLEM, gradients: RECIPE or [RECIPE, ...]}
std::vector<Subject> subjects_in(const YamlNode& node, const fs::path& folder) {
  const YamlMap map = node.as_map();
  map.allow_only({"problem", "gradients"});
  std::optional<std::vector<std::string>> gradients;
  if (const auto given = map.find("gradients")) {
    gradients.emplace();
    if (given->is_scalar()) {
      gradients->push_back(given->as_text());
    } else {
      for (const YamlNode& recipe : given->as_list("recipe"))
        gradients->push_back(recipe.as_text());
    }
  }
  std::vector<Subject> subjects;
  for (ProblemSpec& problem : parse_problems(map.require("problem"), folder)) {
    subjects.push_back({std::move(problem), gradients});
  }
  return subjects;
}

std::vector<Subject> subjects_of_model(const std::string& model) {
  const fs::path file = shipped_file(kModelsFile);
  const YamlMap models = YamlNode::parse(read_text(file, kMostHandwritten), file.string()).as_map();
  std::vector<std::string> names;
  for (const YamlMap::Entry& entry : models.entries()) names.push_back(entry.key);
  const auto found = models.find(model);
  if (!found) {
    throw UsageError(fmt::format("export: no model '{}'{}; there are: {}", model,
                                 suggestion(model, names), fmt::join(names, ", ")));
  }
  std::vector<Subject> subjects;
  for (const YamlNode& node : found->as_list("problem")) {
    std::ranges::move(subjects_in(node, file.parent_path()), std::back_inserter(subjects));
  }
  return subjects;
}

/// --gradients, which goes before what a file says.
void take_gradients(const Arguments& arguments, std::vector<Subject>& subjects) {
  const auto asked = arguments.find("gradients");
  if (!asked) return;
  const std::vector<std::string> recipes =
      *asked == kNone ? std::vector<std::string>{} : words_of_list(*asked);
  for (Subject& subject : subjects) subject.gradients = recipes;
}

std::vector<Subject> subjects_of(const Arguments& arguments, const Registry& registry) {
  std::vector<Subject> subjects;
  for (const std::string& name : arguments.all("problem")) {
    for (ProblemSpec& problem : problems_named(name, registry)) {
      subjects.push_back({std::move(problem), std::nullopt});
    }
  }
  for (const std::string& model : arguments.all("for")) {
    std::ranges::move(subjects_of_model(model), std::back_inserter(subjects));
  }
  std::vector<std::string> words = arguments.words();
  std::erase_if(words, [](const std::string& word) { return !is_key_value(word); });
  if (!words.empty()) subjects.push_back({problem_in_words(words), std::nullopt});
  if (subjects.empty()) {
    throw UsageError(
        "export: no problem is given: name presets or files behind --problem, a model behind "
        "--for, "
        "or write KEY=VALUE; shapes and types become constants of the kernels");
  }
  if (const auto dtype = arguments.find("dtype")) {
    for (Subject& subject : subjects)
      subject.problem.problem.types = Types::all(value_named<DType>(*dtype));
  }
  take_gradients(arguments, subjects);
  return subjects;
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

/// The composition in each form of level sizes that is asked for, as far as there is one.
class Forms {
 public:
  Forms(const Arguments& arguments, const Registry& registry, bool all)
      : registry_(registry), asked_(arguments.find("levels").has_value()) {
    if (!asked_ && !all) return;
    const std::vector<std::string> words =
        asked_ ? words_of_list(arguments.get("levels", "")) : std::vector<std::string>{};
    for (const LevelForm form : {LevelForm::kFixed, LevelForm::kGiven, LevelForm::kStored}) {
      if (!asked_ || std::ranges::find(words, name_of(form)) != words.end()) forms_.push_back(form);
    }
    if (asked_ && forms_.size() != words.size()) {
      throw UsageError(
          fmt::format("export: --levels {}: a list of fixed, given and stored, each once",
                      arguments.get("levels", "")));
    }
  }

  void add(const std::string& recipe, const std::vector<Use>& uses, const Problem& problem,
           std::vector<ExportedKernel>& kernels, std::vector<std::string>& notes) const {
    const bool says_so =
        std::ranges::any_of(uses, [](const Use& use) { return use.variant == kLevelsVariant; });
    if (forms_.empty() || (says_so && !asked_)) {
      kernels.push_back({recipe, Composition(registry_, uses), problem});
      return;
    }
    for (const LevelForm form : forms_) {
      if (const std::string why = add_form(form, recipe, uses, problem, kernels); !why.empty())
        note(fmt::format("no kernel of '{}' for {} sizes: {}", recipe, name_of(form), why), notes);
    }
  }

 private:
  /// Why there is none; a composition that is wrong by itself throws.
  std::string add_form(LevelForm form, const std::string& recipe, std::vector<Use> uses,
                       const Problem& problem, std::vector<ExportedKernel>& kernels) const {
    std::erase_if(uses, [](const Use& use) { return use.variant == kLevelsVariant; });
    ExportedKernel kernel = {recipe, Composition(registry_, uses), problem};
    if (form != LevelForm::kFixed) {
      uses.push_back({kLevelsVariant, {{kSizesParameter, std::string(name_of(form))}}});
      try {
        kernel.composition = Composition(registry_, uses);
      } catch (const UsageError& error) {
        return error.what();
      }
    }
    kernels.push_back(std::move(kernel));
    return "";
  }

  static void note(std::string text, std::vector<std::string>& notes) {
    if (std::ranges::find(notes, text) == notes.end()) notes.push_back(std::move(text));
  }

  const Registry& registry_;
  bool asked_;
  std::vector<LevelForm> forms_;
};

/// The winner for each problem, on one model of GPU.
class Best {
 public:
  Best(const Arguments& arguments, const Registry& registry, std::vector<std::string>& notes)
      : registry_(registry),
        winners_(all_winners({}, registry, notes)),
        device_(device_model(arguments, winners_)) {}

  /// The same, or nothing.
  std::optional<std::vector<Use>> find_for(const ProblemSpec& problem,
                                           std::vector<std::string>& notes) const {
    const auto match = best_match(winners_, registry_, problem, mode(),
                                  acceptable_error(problem.problem), device_);
    if (!match) return std::nullopt;
    notes.push_back(fmt::format(
        "best for {} ({}{}) on {}: {}", problem.name(), name_of(problem.problem.types.value),
        problem.op == kDefaultOperator ? "" : ", " + problem.op, device_.name, match->text));
    return match->winner.uses;
  }
  /// Throws Unsupported that says why there is none.
  std::vector<Use> uses_for(const ProblemSpec& problem, std::vector<std::string>& notes) const {
    auto found = find_for(problem, notes);
    if (found) return *found;
    const double error = acceptable_error(problem.problem);
    throw Unsupported(why_no_match(winners_, registry_, problem, mode(), error, device_) +
                      "; name a recipe for it, or let `msda tune` find one");
  }

 private:
  /// As models that are captured launch it.
  static TimingMode mode() { return value_named<TimingMode>("graph"); }

  const Registry& registry_;
  std::vector<Winner> winners_;
  DeviceInfo device_;
};

}  // namespace

std::vector<std::string> words_of_list(const std::string& text) {
  std::vector<std::string> words;
  if (!text.empty()) boost::algorithm::split(words, text, boost::is_any_of(","));
  return words;
}

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
  arguments.option("gradients", "RECIPE,...",
                   fmt::format("recipes of the operator backward for each problem, best or none "
                               "(default: what {} says behind --for, else best for torch and hub, "
                               "where a search has found one)",
                               kModelsFile));
  arguments.option("levels", "FORM,...",
                   "level sizes of the kernels: fixed (constants), given (arguments), stored (a "
                   "tensor on the device) (default: all that a recipe has for torch and hub, what "
                   "it says for source)");
}

namespace {

/// Adds the kernels for the gradients of a subject.
void add_gradients(const Subject& subject, const Recipes& recipes, const Registry& registry,
                   const std::function<const Best&()>& best, const Forms& forms, bool by_itself,
                   std::vector<ExportedKernel>& kernels, std::vector<std::string>& notes) {
  ProblemSpec problem = subject.problem;
  problem.op = kBackwardOperator;
  const bool wants_any = by_itself && !subject.gradients;
  const std::vector<std::string> names = subject.gradients.value_or(
      wants_any ? std::vector<std::string>{kBest} : std::vector<std::string>{});
  for (const std::string& name : names) {
    const bool is_best = name == kBest && !recipes.contains(name);
    std::optional<std::vector<Use>> uses;
    if (!is_best) {
      uses = uses_of(name, registry, recipes);
    } else if (wants_any) {
      uses = best().find_for(problem, notes);
    } else {
      uses = best().uses_for(problem, notes);
    }
    if (uses) forms.add(name, *uses, problem.problem, kernels, notes);
  }
}

}  // namespace

std::vector<ExportedKernel> export_subjects(const Arguments& arguments, const Registry& registry,
                                            bool is_package, std::vector<std::string>& notes) {
  std::vector<std::string> names = arguments.words();
  std::erase_if(names, is_key_value);
  const std::vector<Subject> subjects = subjects_of(arguments, registry);
  if (names.size() != 1 && names.size() != subjects.size()) {
    throw UsageError(fmt::format(
        "export: {} recipes for {} problems: give one for all, or one for each in their order",
        names.size(), subjects.size()));
  }
  const std::optional<std::string> file = arguments.find("recipes");
  const Recipes recipes = recipes_for(file, registry, names);
  const Recipes gradients =
      recipes_for(file ? *file : shipped_file(kGradientsFile).string(), registry);
  const Forms forms(arguments, registry, is_package);
  std::optional<Best> found;
  const auto best = [&]() -> const Best& {
    if (!found) found.emplace(arguments, registry, notes);
    return *found;
  };
  std::vector<ExportedKernel> kernels;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const ProblemSpec& problem = subjects[i].problem;
    const std::string& name = names.size() == 1 ? names.front() : names[i];
    const bool is_best = name == kBest && !recipes.contains(name);
    forms.add(name, is_best ? best().uses_for(problem, notes) : uses_of(name, registry, recipes),
              problem.problem, kernels, notes);
    add_gradients(subjects[i], gradients, registry, best, forms, is_package, kernels, notes);
  }
  return kernels;
}

}  // namespace msda
