#include "cli/program.hpp"

#include <fmt/format.h>

namespace msda {

namespace fs = std::filesystem;

fs::path program_path() { return fs::read_symlink("/proc/self/exe"); }

Recipes recipes_for(const std::optional<std::string>& file, const Registry& registry) {
  if (file) return load_recipes(*file, registry);
  for (const fs::path& directory : experiments_directories()) {
    const fs::path shipped = directory / "recipes.yaml";
    if (fs::exists(shipped)) return load_recipes(shipped, registry);
  }
  return {};
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
