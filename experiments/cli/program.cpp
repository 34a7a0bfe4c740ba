#include "cli/program.hpp"

#include <string_view>

#include <fmt/format.h>

#include "nearest.hpp"

namespace msda {

namespace fs = std::filesystem;

fs::path program_path() { return fs::read_symlink("/proc/self/exe"); }

namespace {

Recipes named_recipes(const std::optional<std::string>& file, const Registry& registry) {
  if (file) return load_recipes(*file, registry);
  for (const fs::path& directory : experiments_directories()) {
    const fs::path shipped = directory / "recipes.yaml";
    if (fs::exists(shipped)) return load_recipes(shipped, registry);
  }
  return {};
}

/// Where the arm's name begins in "EXPERIMENT.yaml:ARM"; npos in other words.
std::size_t arm_in(const std::string& word) {
  for (const char* suffix : {".yaml:", ".yml:"}) {
    const std::size_t at = word.find(suffix);
    if (at != std::string::npos) return at + std::string_view(suffix).size();
  }
  return std::string::npos;
}

Recipe arm_of(const fs::path& file, const std::string& name, const Registry& registry) {
  const Experiment experiment = load_experiment(file, registry);
  std::vector<std::string> names;
  for (const ArmSpec& arm : experiment.arms) {
    names.push_back(arm.name);
    if (arm.name != name) continue;
    if (!arm.best) return {arm.uses, ""};
    throw UsageError(fmt::format("{}: arm '{}' is what a search finds; name one of its own arms",
                                 arm.place, name));
  }
  throw UsageError(
      fmt::format("{} has no arm '{}'{}", file.string(), name, suggestion(name, names)));
}

}  // namespace

Recipes recipes_for(const std::optional<std::string>& file, const Registry& registry,
                    const std::vector<std::string>& words) {
  Recipes recipes = named_recipes(file, registry);
  for (const std::string& word : words) {
    const std::size_t at = arm_in(word);
    if (at == std::string::npos) continue;
    recipes[word] = arm_of(word.substr(0, at - 1), word.substr(at), registry);
  }
  return recipes;
}

void add_force_option(Arguments& arguments) {
  arguments.flag("force", "overwrite what is there already");
}

void require_room(const Arguments& arguments, const fs::path& directory) {
  std::error_code error;
  const bool is_free = !fs::exists(directory, error) || fs::is_empty(directory, error);
  if (is_free || arguments.has("force")) return;
  throw UsageError(
      fmt::format("{} holds files already; give another directory, or --force to overwrite",
                  directory.string()));
}

}  // namespace msda
