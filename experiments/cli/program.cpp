#include "cli/program.hpp"

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

}  // namespace msda
