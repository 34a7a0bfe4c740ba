#include "cli/program.hpp"

#include <string_view>

#include <fmt/format.h>

#include "cli/terminal.hpp"
#include "files/write.hpp"
#include "nearest.hpp"
#include "render/formats.hpp"
#include "render/text/summary.hpp"
#include "runner/supervise/say.hpp"
#include "runner/supervise/shell_words.hpp"

namespace msda {

namespace fs = std::filesystem;

fs::path program_path() { return fs::read_symlink("/proc/self/exe"); }

namespace {

/// Of the experiments that came with the program, without ".yaml".
std::vector<std::string> shipped_names() {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::path& directory : experiments_directories()) {
    for (const auto& entry : fs::directory_iterator(directory, error)) {
      if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
    }
  }
  return names;
}

}  // namespace

fs::path experiment_path(const std::string& word) {
  std::error_code error;
  const bool is_name = word.find('/') == std::string::npos;
  if (!is_name || fs::exists(word, error)) return word;
  if (const auto shipped = shipped_experiment(word)) return *shipped;
  if (const auto shipped = shipped_experiment(word + ".yaml")) return *shipped;
  const std::string meant = suggestion(word, shipped_names());
  if (meant.empty()) return word;
  throw UsageError(fmt::format("no experiment '{}'{}", word, meant));
}

std::optional<ExperimentArm> experiment_arm(const std::string& word) {
  for (const std::string_view suffix : {".yaml:", ".yml:"}) {
    const std::size_t at = word.find(suffix);
    if (at == std::string::npos) continue;
    const std::size_t name = at + suffix.size();
    return ExperimentArm{word.substr(0, name - 1), word.substr(name)};
  }
  return std::nullopt;
}

namespace {

Recipes named_recipes(const std::optional<std::string>& file, const Registry& registry) {
  return file ? load_recipes(*file, registry) : shipped_recipes(registry);
}

Recipe arm_of(const ExperimentArm& named, const Registry& registry) {
  const Experiment experiment = load_experiment(experiment_path(named.file.string()), registry);
  const ArmSpec& arm = find_arm(experiment, named.arm);
  if (!arm.best) return {arm.uses, arm.evidence, ""};
  throw UsageError(fmt::format("{}: arm '{}' is what a search finds; name one of its own arms",
                               arm.place, arm.name));
}

}  // namespace

const ArmSpec& find_arm(const Experiment& experiment, const std::string& name) {
  std::vector<std::string> names;
  for (const ArmSpec& arm : experiment.arms) {
    if (arm.name == name) return arm;
    names.push_back(arm.name);
  }
  throw UsageError(
      fmt::format("{} has no arm '{}'{}", experiment.file.string(), name, suggestion(name, names)));
}

Recipes recipes_for(const std::optional<std::string>& file, const Registry& registry,
                    const std::vector<std::string>& words) {
  Recipes recipes = named_recipes(file, registry);
  for (const std::string& word : words) {
    if (const auto named = experiment_arm(word)) recipes[word] = arm_of(*named, registry);
  }
  return recipes;
}

void refuse_best(const std::string& name) {
  if (name != kBest) return;
  throw UsageError(
      "'best' stands for what searches have found: arms of experiments and 'msda export' take it; "
      "name a variant or a recipe here");
}

std::vector<Use> uses_of(const std::string& name, const Registry& registry,
                         const Recipes& recipes) {
  const auto recipe = recipes.find(name);
  if (recipe != recipes.end()) return usable(recipe->second);
  refuse_best(name);
  registry.find(name);
  return {{name, {}}};
}

void add_operator_option(Arguments& arguments, std::string_view otherwise) {
  arguments.option("operator", "NAME",
                   fmt::format("{} (default: {})", choices(operator_names()), otherwise));
}

const Operator* operator_option(const Arguments& arguments) {
  const auto name = arguments.find("operator");
  return name ? &find_operator(*name) : nullptr;
}

void add_force_option(Arguments& arguments) {
  arguments.flag("force", "overwrite what is there already");
}

void require_room(const Arguments& arguments, const fs::path& directory) {
  std::error_code error;
  const bool is_there = fs::exists(directory, error);
  if (is_there && !fs::is_directory(directory, error)) {
    throw UsageError(fmt::format("{} is a file; give a directory", directory.string()));
  }
  const bool is_free = !is_there || fs::is_empty(directory, error);
  if (!is_free && !arguments.has("force")) {
    throw UsageError(
        fmt::format("{} holds files already; give another directory, or --force to overwrite",
                    directory.string()));
  }
  require_directory_place(directory);
}

Plan plan_for(const Arguments& arguments, const Experiment& experiment, const Registry& registry) {
  const std::vector<DeviceInfo> there = list_devices();
  std::vector<DeviceInfo> devices;
  if (arguments.has("device") || arguments.has("devices")) {
    for (const std::string& id : arguments.devices()) devices.push_back(choose_device(id, there));
  } else {
    devices.push_back(choose_device(experiment.device, there));
  }
  Plan plan = make_plan(experiment, registry, devices.front());
  use_devices(plan, devices);
  if (const auto shard = arguments.find("shard")) take_shard(plan, parse_shard(*shard));
  return plan;
}

ResultsDirectory results_directory(const Arguments& arguments, const std::string& command,
                                   const std::string& experiment) {
  if (arguments.has("output") && arguments.has("resume")) {
    throw UsageError(command + ": give either --output or --resume, not both");
  }
  if (const auto resumed = arguments.find("resume")) {
    static_cast<void>(read_manifest(*resumed));  // creates no directory that is not there
    return ResultsDirectory(*resumed);
  }
  const std::optional<std::string> output = arguments.find("output");
  return output ? ResultsDirectory(*output) : ResultsDirectory::create(experiment);
}

void report_on(const std::filesystem::path& directory) {
  const Report report = make_report(directory);
  write_report(report, directory);
  say(stdout, "{}Report: {}; all tables: {}\n", to_summary(report, wants_colour(stdout)),
      (directory / "report.html").string(), shell_command({"msda", "report", directory.string()}));
}

SessionOptions session_options(const Arguments& arguments, const std::string& command,
                               const std::vector<std::string>& words) {
  SessionOptions options;
  options.program = program_path();
  options.command_line = {"msda", command};
  options.command_line.insert(options.command_line.end(), words.begin(), words.end());
  options.plugin_directories = arguments.plugin_directories();
  options.resume = arguments.has("resume");
  options.progress_live = is_terminal(stderr);
  return options;
}

}  // namespace msda
