// A whole experiment file: its top-level keys, and the recipes of the files that it includes.
#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "files/read.hpp"
#include "nearest.hpp"
#include "runner/experiment/parse.hpp"
#include "runner/experiment/settings.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;

/// Files that include each other, or many of them, end here.
constexpr std::size_t kMostIncludes = 100;

YamlMap read_yaml(const fs::path& file, std::string& text) {
  text = read_text(file, kMostHandwritten);
  return YamlNode::parse(text, file.string()).as_map();
}

/// Reads the recipes of a file and, before them, of the files it includes.
class RecipeReader {
 public:
  /// `known`: recipes that files may build on and define anew.
  explicit RecipeReader(const Registry& registry, Recipes known = {})
      : registry_(registry), recipes_(std::move(known)) {}

  /// Of the experiment itself, where a recipe that cannot be used is an error at once. What an
  /// included file offers beyond what is used need not work here.
  void read_main(const YamlMap& map, const fs::path& file) {
    read(map, file);
    const auto node = map.find("recipes");
    if (!node) return;
    const YamlMap recipes = node->as_map();
    for (const YamlMap::Entry& entry : recipes.entries()) usable(recipes_.at(entry.key));
  }

  void read(const YamlMap& map, const fs::path& file);

  void read_includes(const YamlNode& node) {
    for (const YamlNode& entry : node.as_list("file")) read_included(entry);
  }

  void read_recipes(const YamlNode& node) {
    const YamlMap recipes = node.as_map();
    for (const YamlMap::Entry& entry : recipes.entries()) names_.add(entry.key, entry.place);
    parse_recipes(node, registry_, recipes_);
  }

  const Recipes& recipes() const { return recipes_; }

 private:
  /// Beside the file that names it, else among those that came with the program.
  fs::path included_file(const fs::path& named) const {
    const fs::path beside = from_.parent_path() / named;  // `named` itself where it is absolute
    if (fs::exists(beside)) return beside;
    return shipped_experiment(named).value_or(beside);
  }

  void read_included(const YamlNode& entry) {
    const fs::path named = entry.as_text();
    const fs::path file = included_file(named);
    if (visited_.size() > kMostIncludes) {
      entry.fail(fmt::format("more than {} files are included", kMostIncludes));
    }
    std::string text;
    const YamlMap map = entry.locate([&] { return read_yaml(file, text); });
    if (!map.find("recipes") && !map.find("include")) {
      entry.fail(fmt::format("{} has no recipes", file.string()));
    }
    const fs::path outer = std::exchange(from_, file);
    read(map, file);
    from_ = outer;
  }

  const Registry& registry_;
  fs::path from_;  ///< the file at work
  std::set<std::string> visited_;
  UniqueNames names_{"recipe"};
  Recipes recipes_;
};

/// The keys of a file that only gives recipes to others.
const Settings<RecipeReader>& recipe_settings() {
  using R = RecipeReader;
  const Shape recipes = {"`{name: [variants]}`",
                         {{"type", "object"}, {"additionalProperties", recipe_schema()}}};
  static const Settings<R> settings{
      setting<R>("include", form::list_of("a list of files", form::text().schema),
                 "whose recipes may be used; relative paths start beside this file, else where the "
                 "shipped "
                 "experiments are. The shipped recipes.yaml is known without it",
                 [](const YamlNode& node, R& reader) { reader.read_includes(node); }),
      setting<R>("recipes", recipes,
                 "named compositions: lists of variants and of recipes above; `[]` is the direct "
                 "skeleton with its defaults",
                 [](const YamlNode& node, R& reader) { reader.read_recipes(node); })};
  return settings;
}

void RecipeReader::read(const YamlMap& map, const fs::path& file) {
  if (!visited_.insert(fs::weakly_canonical(file).string()).second) return;
  from_ = file;
  recipe_settings().read_known(map, *this);
}

/// An experiment while its map is read.
struct ExperimentReader {
  const Registry& registry;
  Experiment experiment;
  UniqueNames arm_names{"arm"};
};

void read_problems(const YamlNode& node, ExperimentReader& reader) {
  UniqueNames names("problem");
  std::vector<ProblemSpec>& problems = reader.experiment.problems;
  for (const YamlNode& entry : node.as_list("problem")) {
    for (ProblemSpec& problem : parse_problems(entry, reader.experiment.file.parent_path())) {
      names.add(problem.name(), entry.place());
      problems.push_back(std::move(problem));
    }
  }
}

void read_arms(const YamlNode& node, ExperimentReader& reader) {
  std::vector<ArmSpec>& arms = reader.experiment.arms;
  for (const YamlNode& entry : node.as_list("arm")) {
    arms.push_back(parse_arm(entry, reader.experiment.recipes, reader.registry));
    reader.arm_names.add(arms.back().name, entry.place());
  }
}

void read_ablation(const YamlNode& node, ExperimentReader& reader) {
  Experiment& experiment = reader.experiment;
  Ablated ablated = parse_ablation(node, experiment.recipes, reader.registry);
  for (ArmSpec& arm : ablated.arms) {
    reader.arm_names.add(arm.name, node.place());
    experiment.arms.push_back(std::move(arm));
  }
  experiment.design = std::move(ablated.design);
  experiment.baseline = experiment.design->points.front().arm;
}

void read_baseline(const YamlNode& node, ExperimentReader& reader) {
  const std::string name = node.as_text();
  std::vector<std::string> names;
  for (const ArmSpec& arm : reader.experiment.arms) names.push_back(arm.name);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    node.fail(fmt::format("no arm '{}'{} to be the baseline: there are {}", shortened(name),
                          suggestion(name, names), names.empty() ? "none" : choices(names)));
  }
  reader.experiment.baseline = name;
}

/// In the order in which they are read: what names another stands behind it.
const Settings<ExperimentReader>& experiment_settings() {
  using R = ExperimentReader;
  const Shape device = {
      "`auto`, `cpu`, `cuda:N` or [`simt[:SEED[:races]]`](simt.md)",
      {{"type", "string"}, {"pattern", "^(auto|cpu|cuda:[0-9]+|simt(:[0-9]+(:races)?)?)$"}}};
  const Shape problem =
      form::any_of("", {{{"enum", preset_names()}}, object_schema(keys::problem())});
  const Shape arm = form::any_of("", {form::label().schema, arm_schema()});
  static const Settings<R> settings{
      setting<R>("name", form::label(), "for directories and reports",
                 [](const YamlNode& node, R& r) { r.experiment.name = parse_label(node); })
          .otherwise("the file's name"),
      setting<R>("summary", form::text(), "for reports",
                 [](const YamlNode& node, R& r) { r.experiment.summary = node.as_text(); }),
      setting<R>("device", device, "where to run; `simt` checks and measures nothing",
                 [](const YamlNode& node, R& r) {
                   r.experiment.device = node.locate([&] { return parse_device(node.as_text()); });
                 })
          .otherwise("`auto`"),
      setting<R>("problems",
                 form::list_of("a list of [presets and maps](#problems)", problem.schema),
                 "what is computed", read_problems)
          .required(),
      setting<R>("arms", form::list_of("a list of [recipes, variants and maps](#arms)", arm.schema),
                 "what is compared; arms for another kind of device are left out, with a note",
                 read_arms)
          .otherwise("required without `ablation`"),
      setting<R>("ablation", {"a [map](#ablation)", object_schema(keys::ablation())},
                 "arms from combinations of factors", read_ablation),
      setting<R>("baseline", form::label("an arm's name"), "what the others are compared with",
                 read_baseline)
          .otherwise("the ablation's base, or the first arm that runs"),
      setting<R>("space", {"a [map](tuning.md#a-space)", space_schema()},
                 "what [`msda tune`](tuning.md) searches; `msda run` leaves it alone",
                 [](const YamlNode& node, R& r) {
                   r.experiment.space = parse_space(node, r.experiment.recipes, r.registry);
                 }),
      setting<R>("measure", {"a [map](#measure)", object_schema(keys::measure())}, "how to measure",
                 [](const YamlNode& node, R& r) { r.experiment.measure = parse_measure(node); }),
      setting<R>("profile", {"a [map](#profile)", object_schema(keys::profile())},
                 "what [`msda profile`](profiling.md) counts",
                 [](const YamlNode& node, R& r) { r.experiment.profile = parse_profile(node); }),
      setting<R>("claims", form::list_of("a list of [maps](#claims)", claims_schema()),
                 "what publications say of the arms", [](const YamlNode& node, R& r) {
                   r.experiment.claims = parse_claims(node, r.experiment);
                 })};
  return settings;
}

}  // namespace

Keys keys::recipe() { return recipe_settings().keys(); }

Keys keys::experiment() {
  // Recipes stand before the arms that name them.
  Keys all = experiment_settings().keys();
  const auto problems =
      std::find_if(all.begin(), all.end(), [](const Key& key) { return key.name == "problems"; });
  const Keys recipes = keys::recipe();
  all.insert(problems, recipes.begin(), recipes.end());
  return all;
}

Experiment load_experiment(const fs::path& file, const Registry& registry) {
  ExperimentReader reader{registry, {}};
  Experiment& experiment = reader.experiment;
  experiment.file = file;
  const YamlMap map = read_yaml(file, experiment.text);
  map.allow_only(names_of(keys::experiment()));
  experiment.name = file.stem().string();
  if (experiment.name.starts_with('.') && !map.find("name")) {
    throw UsageError(fmt::format("{}: give it a name: without one it would be called '{}'",
                                 file.string(), experiment.name));
  }
  RecipeReader recipes(registry, shipped_recipes(registry));
  recipes.read_main(map, file);
  experiment.recipes = recipes.recipes();
  experiment_settings().read_known(map, reader);
  if (experiment.arms.empty()) map.require("arms");
  return std::move(experiment);
}

namespace {

/// All that the recipes of a file depend on.
std::string key_of(const fs::path& file, const Registry& registry) {
  std::string key = read_text(file, kMostHandwritten);
  for (const Plugin& plugin : registry.plugins()) {
    key += fmt::format("\n{} {} {}", plugin.name, plugin.file.string(), plugin.error);
  }
  return key;
}

}  // namespace

/// Each experiment asks for them, and a process may read thousands: the last ones are kept.
Recipes shipped_recipes(const Registry& registry) {
  static std::mutex guard;
  static std::pair<std::string, Recipes> last;
  for (const fs::path& directory : experiments_directories()) {
    const fs::path file = directory / "recipes.yaml";
    if (!fs::exists(file)) continue;
    std::string key = key_of(file, registry);
    const std::lock_guard lock(guard);
    if (last.first != key) {
      Recipes recipes = load_recipes(file, registry);
      for (const Plugin& plugin : registry.plugins()) recipes.erase(plugin.name);
      last = {std::move(key), std::move(recipes)};
    }
    return last.second;
  }
  return {};
}

Recipes load_recipes(const fs::path& file, const Registry& registry) {
  std::string text;
  RecipeReader recipes(registry);
  recipes.read(read_yaml(file, text), file);
  return recipes.recipes();
}

}  // namespace msda
