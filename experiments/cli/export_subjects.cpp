#include "cli/export_subjects.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/algorithm/string.hpp>

#include "cli/bench_words.hpp"
#include "cli/export_compositions.hpp"
#include "cli/program.hpp"
#include "files/read.hpp"
#include "nearest.hpp"
#include "problem/tensor_names.hpp"
#include "runner/experiment/experiment.hpp"
#include "runner/experiment/parse.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNone = "none";
/// The operator of an operator's gradients.
std::string gradients_of(const std::string& op) {
  return op == kDefaultOperator ? "backward" : op + "-backward";
}
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
  words.refuse_rest("export");
  ProblemSpec spec = problem_from_words(words);
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

/// {problem: PROBLEM, gradients: RECIPE, [RECIPE, ...] or none}
std::vector<Subject> subjects_in(const YamlNode& node, const fs::path& folder) {
  const YamlMap map = node.as_map();
  map.allow_only({"problem", "gradients"});
  std::optional<std::vector<std::string>> gradients;
  if (const auto given = map.find("gradients")) {
    gradients.emplace();
    if (given->is_scalar()) {
      if (given->as_text() != kNone) gradients->push_back(given->as_text());
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
  std::vector<std::string> recipes = words_of_list(*asked);
  if (*asked == kNone) recipes.clear();
  if (*asked != kNone && std::ranges::count(recipes, kNone) > 0) {
    throw UsageError(
        fmt::format("export: --gradients '{}': give recipes, best, or {} alone for no gradients",
                    *asked, kNone));
  }
  for (Subject& subject : subjects) subject.gradients = recipes;
}

/// --operator, which goes before what a file says: each subject for each of them.
void take_operators(const Arguments& arguments, std::vector<Subject>& subjects) {
  const auto asked = arguments.find("operator");
  if (!asked) return;
  std::vector<Subject> all;
  for (const std::string& name : words_of_list(*asked)) {
    const Operator& op = find_operator(name);
    if (name != kDefaultOperator && !op.borrows()) {
      throw UsageError(fmt::format(
          "export: --operator {}: forward, and operators that its kernels compute too", name));
    }
    const auto has_mask = [](const TensorSpec& spec) { return spec.present == &Problem::padding; };
    for (Subject subject : subjects) {
      // A model's padded problems are the same to an operator without a mask.
      if (subject.problem.problem.padding && std::ranges::none_of(op.tensors(), has_mask)) continue;
      subject.problem.op = name;
      all.push_back(std::move(subject));
    }
  }
  if (all.empty()) {
    throw UsageError(
        fmt::format("export: --operator {}: it has no mask for padded problems", *asked));
  }
  subjects = std::move(all);
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
  take_operators(arguments, subjects);
  take_gradients(arguments, subjects);
  return subjects;
}

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
  arguments.option("operator", "OP,...",
                   "what kernels compute: forward, fused, or both (default: what a file says, else "
                   "forward)");
  arguments.option("device-model", "NAME",
                   "the GPU that 'best' is for, 'h200' say (default: the one here, else the one "
                   "that most winners were found on)");
  arguments.option("recipes", "FILE", "where recipes are looked up (default: the shipped ones)");
  arguments.option("gradients", "RECIPE,...",
                   fmt::format("recipes of the operator backward for each problem, best or none "
                               "(default: what {} says behind --for, else what a search has found, "
                               "where the recipe is best and the format torch or hub)",
                               kModelsFile));
  arguments.option("levels", "FORM,...",
                   "level sizes of the kernels: fixed (constants), given (arguments), stored (a "
                   "tensor on the device) (default: all that a recipe has for torch and hub, what "
                   "it says for source)");
}

namespace {

/// Where kernels of all subjects come from.
struct Sources {
  const Registry& registry;
  const Forms& forms;
  const std::function<const Best&()>& best;
  std::vector<std::string>& notes;

  void add(const std::string& name, const Recipes& recipes, const ProblemSpec& problem, bool needed,
           std::vector<ExportedKernel>& kernels) const {
    if (name == kBest && !recipes.contains(name)) {
      forms.add_best(name, best(), problem, needed, kernels, notes);
    } else {
      forms.add(name, uses_of(name, registry, recipes), problem, kernels, notes);
    }
  }
};

/// Adds kernels for the gradients of subjects, each once.
class GradientKernels {
 public:
  GradientKernels(const Sources& sources, const Recipes& recipes)
      : sources_(sources), recipes_(recipes) {}

  void add(const std::string& recipe, const ProblemSpec& forward, bool needed,
           std::vector<ExportedKernel>& kernels) {
    ProblemSpec problem = forward;
    problem.op = gradients_of(forward.op);
    const auto type = name_of(problem.problem.types.value);
    const std::string key = fmt::format("{} {} {} {} {}", recipe, problem.op, type,
                                        problem.problem.name, problem.problem.padding);
    if (added_.insert(key).second) sources_.add(recipe, recipes_, problem, needed, kernels);
  }

 private:
  const Sources& sources_;
  const Recipes& recipes_;
  std::set<std::string> added_;
};

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
  const Recipes of_gradients =
      recipes_for(file ? *file : shipped_file(kGradientsFile).string(), registry);
  const Forms forms(arguments, registry, is_package);
  std::optional<Best> found;
  const auto best = [&]() -> const Best& {
    if (!found) found.emplace(arguments, registry, notes);
    return *found;
  };
  const std::function<const Best&()> winners = best;
  const Sources sources = {registry, forms, winners, notes};
  GradientKernels gradients(sources, of_gradients);
  std::vector<ExportedKernel> kernels;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const ProblemSpec& problem = subjects[i].problem;
    const std::string& name = names.size() == 1 ? names.front() : names[i];
    sources.add(name, recipes, problem, true, kernels);
    const bool by_itself = !subjects[i].gradients && is_package && name == kBest;
    const std::vector<std::string> asked =
        by_itself ? std::vector<std::string>{kBest}
                  : subjects[i].gradients.value_or(std::vector<std::string>{});
    for (const std::string& recipe : asked) gradients.add(recipe, problem, !by_itself, kernels);
  }
  if (!found && arguments.has("device-model")) {
    throw UsageError(
        "export: --device-model is the GPU that 'best' is for, and no recipe here is best");
  }
  return kernels;
}

}  // namespace msda
