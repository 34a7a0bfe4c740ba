#include <limits>
#include <set>

#include <fmt/format.h>

#include "files/read.hpp"
#include "runner/spec/parse.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;

/// A name that must not have been used before; `place` is where it stands.
class UniqueNames {
 public:
  explicit UniqueNames(std::string what) : what_(std::move(what)) {}
  void add(const std::string& name, const SourcePlace& place) {
    const auto [first, is_new] = places_.emplace(name, place);
    if (is_new) return;
    throw UsageError(fmt::format("{}: {} '{}' stands here a second time; first at {}",
                                 to_string(place), what_, name, to_string(first->second)));
  }

 private:
  std::string what_;
  std::map<std::string, SourcePlace> places_;
};

/// Reads the recipes of a file and, before them, of the files it includes.
class RecipeReader {
 public:
  explicit RecipeReader(const Registry& registry) : registry_(registry) {}

  /// `strict`: a recipe that cannot be used is an error at once.
  void read(const YamlMap& map, const fs::path& file, bool strict) {
    if (!visited_.insert(fs::weakly_canonical(file).string()).second) return;
    if (const auto include = map.find("include")) {
      for (const YamlNode& entry : include->as_list("file")) read_included(entry, file);
    }
    const auto node = map.find("recipes");
    if (!node) return;
    const YamlMap recipes = node->as_map();
    for (const YamlMap::Entry& entry : recipes.entries()) names_.add(entry.key, entry.place);
    parse_recipes(*node, registry_, recipes_);
    if (!strict) return;  // what an included file offers beyond what is used need not work here
    for (const YamlMap::Entry& entry : recipes.entries()) usable(recipes_.at(entry.key));
  }

  const Recipes& recipes() const { return recipes_; }

 private:
  void read_included(const YamlNode& entry, const fs::path& from) {
    const fs::path named = entry.as_text();
    const fs::path file = named.is_absolute() ? named : from.parent_path() / named;
    const std::string text = entry.locate([&] { return read_text(file, kMostHandwritten); });
    const YamlMap map = YamlNode::parse(text, file.string()).as_map();
    if (!map.find("recipes") && !map.find("include")) {
      entry.fail(fmt::format("{} has no recipes", file.string()));
    }
    read(map, file, false);
  }

  const Registry& registry_;
  std::set<std::string> visited_;
  UniqueNames names_{"recipe"};
  Recipes recipes_;
};

std::vector<TimingMode> parse_modes(const YamlNode& node) {
  std::vector<TimingMode> modes;
  UniqueNames names("mode");
  for (const YamlNode& entry : node.as_list("mode")) {
    const std::string text = entry.as_text();
    names.add(text, entry.place());
    modes.push_back(entry.locate([&] { return parse_timing_mode(text); }));
  }
  return modes;
}

std::vector<ProblemSpec> parse_problems(const YamlNode& node, const fs::path& beside) {
  std::vector<ProblemSpec> problems;
  UniqueNames names("problem");
  for (const YamlNode& entry : node.as_list("problem")) {
    problems.push_back(parse_problem(entry, beside));
    names.add(problems.back().name(), entry.place());
  }
  return problems;
}

/// `arms`, then the arms of `ablation`; at least one of the two keys is there.
void parse_arms(const YamlMap& map, const Registry& registry, Experiment& experiment) {
  UniqueNames names("arm");
  const auto ablation = map.find("ablation");
  if (const auto node = map.find("arms"); node || !ablation) {
    for (const YamlNode& entry : map.require("arms").as_list("arm")) {
      experiment.arms.push_back(parse_arm(entry, experiment.recipes, registry));
      names.add(experiment.arms.back().name, entry.place());
    }
  }
  if (!ablation) return;
  Ablated ablated = parse_ablation(*ablation, experiment.recipes, registry);
  for (ArmSpec& arm : ablated.arms) {
    names.add(arm.name, ablation->place());
    experiment.arms.push_back(std::move(arm));
  }
  experiment.design = std::move(ablated.design);
  experiment.baseline = experiment.design->points.front().arm;
}

std::string parse_baseline(const YamlNode& node, const std::vector<ArmSpec>& arms) {
  std::string name = node.as_text();
  std::vector<std::string> names;
  for (const ArmSpec& arm : arms) {
    if (arm.name == name) return name;
    names.push_back(arm.name);
  }
  node.fail(fmt::format("no arm '{}'{} to be the baseline", name, suggestion(name, names)));
}

/// One duration for all phases, or a map of those that differ from the default.
Timeouts parse_timeouts(const YamlNode& node) {
  if (!node.is_map()) {
    const auto all = node.as_duration();
    return {all, all, all, all};
  }
  const YamlMap map = node.as_map();
  map.allow_only({"compile", "prepare", "verify", "measure"});
  Timeouts timeouts;
  const auto read = [&](const char* key, Timeouts::Seconds& field) {
    if (const auto value = map.find(key)) field = value->as_duration();
  };
  read("compile", timeouts.compile);
  read("prepare", timeouts.prepare);
  read("verify", timeouts.verify);
  read("measure", timeouts.measure);
  return timeouts;
}

}  // namespace

MeasureSettings parse_measure(const YamlNode& node) {
  const YamlMap map = node.as_map();
  map.allow_only({"modes", "processes", "most_processes", "precision", "noise_pair", "blocks",
                  "samples", "warmup", "seed", "input_sets", "timeout", "budget"});
  MeasureSettings settings;
  const auto integer = [&](const char* key, int minimum, int maximum, int& field) {
    if (const auto value = map.find(key)) {
      field = static_cast<int>(value->as_integer(minimum, maximum));
    }
  };
  if (const auto value = map.find("modes")) settings.modes = parse_modes(*value);
  integer("processes", 1, 1000, settings.processes);
  // A single process leaves out on purpose what replication costs.
  settings.most_processes = settings.processes == 1 ? 1 : 2 * settings.processes;
  integer("most_processes", settings.processes, 1000, settings.most_processes);
  if (const auto value = map.find("noise_pair")) settings.noise_pair = value->as_bool();
  if (const auto value = map.find("precision")) settings.precision = value->as_share();
  integer("blocks", 1, 100'000, settings.blocks);
  integer("samples", 1, 100'000, settings.samples);
  integer("warmup", 0, 100'000, settings.warmup);
  integer("input_sets", 1, 64, settings.input_sets);
  if (const auto value = map.find("seed")) {
    settings.seed =
        static_cast<std::uint64_t>(value->as_integer(0, std::numeric_limits<std::int64_t>::max()));
  }
  if (const auto value = map.find("timeout")) settings.timeouts = parse_timeouts(*value);
  if (const auto value = map.find("budget")) settings.budget = value->as_duration();
  return settings;
}

Experiment load_experiment(const fs::path& file, const Registry& registry) {
  Experiment experiment;
  experiment.file = file;
  experiment.text = read_text(file, kMostHandwritten);
  const YamlMap map = YamlNode::parse(experiment.text, file.string()).as_map();
  map.allow_only({"name", "summary", "device", "include", "recipes", "problems", "arms", "ablation",
                  "space", "baseline", "claims", "measure"});
  experiment.name = file.stem().string();
  if (const auto node = map.find("name")) experiment.name = parse_label(*node);
  if (experiment.name.starts_with('.')) {
    throw UsageError(fmt::format("{}: give it a name: without one it would be called '{}'",
                                 file.string(), experiment.name));
  }
  if (const auto node = map.find("summary")) experiment.summary = node->as_text();
  if (const auto node = map.find("device")) {
    const std::string id = node->as_text();
    experiment.device = node->locate([&] { return parse_device(id); });
  }
  RecipeReader recipes(registry);
  recipes.read(map, file, true);
  experiment.recipes = recipes.recipes();
  experiment.problems = parse_problems(map.require("problems"), file.parent_path());
  parse_arms(map, registry, experiment);
  if (const auto node = map.find("baseline")) {
    experiment.baseline = parse_baseline(*node, experiment.arms);
  }
  if (const auto node = map.find("space")) {
    experiment.space = parse_space(*node, experiment.recipes, registry);
  }
  if (const auto node = map.find("measure")) experiment.measure = parse_measure(*node);
  if (const auto node = map.find("claims")) experiment.claims = parse_claims(*node, experiment);
  return experiment;
}

Recipes load_recipes(const fs::path& file, const Registry& registry) {
  const YamlMap map = YamlNode::parse(read_text(file, kMostHandwritten), file.string()).as_map();
  RecipeReader recipes(registry);
  recipes.read(map, file, false);
  return recipes.recipes();
}

}  // namespace msda
