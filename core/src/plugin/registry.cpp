#include "plugin/registry.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <boost/dll/runtime_symbol_info.hpp>

#include "external/external.hpp"
#include "plugin/levels.hpp"
#include "plugin/library.hpp"
#include "plugin/rehearsal.hpp"
#include "version.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;

/// Plugin files of a directory by name; empty when it does not exist. Throws EnvironmentError when
/// it cannot be read.
std::vector<fs::path> plugin_files(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code failure;
  if (!fs::is_directory(directory, failure)) return files;
  for (fs::directory_iterator entry(directory, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    if (entry->path().extension() == ".so") files.push_back(entry->path());
  }
  if (failure) {
    throw EnvironmentError(fmt::format("cannot list the plugin directory {}: {}",
                                       directory.string(), failure.message()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// The same directory has one spelling, so that naming it twice does not make its plugins
/// duplicates.
fs::path canonical_spelling(const fs::path& directory) {
  std::error_code failure;
  const fs::path result = fs::weakly_canonical(directory, failure);
  return failure ? directory.lexically_normal() : result;
}

std::vector<fs::path> split_search_path(std::string_view text) {
  std::vector<fs::path> directories;
  while (!text.empty()) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    if (colon > 0) directories.emplace_back(text.substr(0, colon));
    text.remove_prefix(std::min(colon + 1, text.size()));
  }
  return directories;
}

Plugin unopened(const fs::path& file, const std::string& reason) {
  Plugin plugin;
  plugin.file = file;
  plugin.name = file.stem().string();
  plugin.hash = hash_file(file);
  plugin.error = fmt::format(
      "plugin {}: {}: its factory and its static objects must neither end the process nor wait",
      file.string(), reason);
  return plugin;
}

Plugin built_in(const char* name, std::shared_ptr<const Variant> variant) {
  Plugin plugin;
  plugin.name = name;
  plugin.version = kVersion;
  plugin.variant = std::move(variant);
  return plugin;
}

/// The variants that come with the program itself.
const Plugin* find_built_in(std::string_view name) {
  static const Plugin external = built_in(kExternalVariant, make_external_variant());
  static const Plugin levels = built_in(kLevelsVariant, make_levels_variant());
  if (name == kExternalVariant) return &external;
  return name == kLevelsVariant ? &levels : nullptr;
}

}  // namespace

Registry::Registry(const std::vector<fs::path>& directories, const Check& check) {
  std::vector<fs::path> seen;
  std::vector<fs::path> files;
  for (const fs::path& given : directories) {
    const fs::path directory = canonical_spelling(given);
    if (std::find(seen.begin(), seen.end(), directory) != seen.end()) continue;
    seen.push_back(directory);
    for (fs::path& file : plugin_files(directory)) files.push_back(std::move(file));
  }
  const std::vector<std::string> reasons = rehearse_opening(files);
  for (std::size_t i = 0; i < files.size(); ++i) {
    add(reasons[i].empty() ? open_plugin(files[i]) : unopened(files[i], reasons[i]), check);
  }
}

void Registry::add(Plugin plugin, const Check& check) {
  const auto make_broken = [&plugin](const std::string& reason) {
    plugin.error = fmt::format("plugin {}: {}", plugin.file.string(), reason);
    plugin.variant.reset();
    plugin.sources = {};
  };
  if (plugin.error.empty() && find_built_in(plugin.name) != nullptr) {
    make_broken(
        fmt::format("the name '{}' is the program's own: give it another one", plugin.name));
  } else if (check && plugin.error.empty()) {
    if (const std::string reason = check(plugin); !reason.empty()) make_broken(reason);
  }
  const auto same = std::find_if(plugins_.begin(), plugins_.end(), [&](const Plugin& other) {
    return other.error.empty() && other.name == plugin.name;
  });
  if (plugin.error.empty() && same != plugins_.end()) {
    make_broken(fmt::format(
        "the name '{}' is taken by {}, which was found first: rename or remove one of them",
        plugin.name, same->file.string()));
  }
  plugins_.push_back(std::move(plugin));
}

const Plugin& Registry::find(std::string_view name) const {
  if (const Plugin* const own = find_built_in(name)) return *own;
  const Plugin* broken = nullptr;
  std::vector<std::string> names;
  for (const Plugin& plugin : plugins_) {
    if (plugin.name == name) {
      if (plugin.error.empty()) return plugin;
      if (broken == nullptr) broken = &plugin;
    }
    if (plugin.error.empty()) names.push_back(plugin.name);
  }
  if (broken != nullptr) {
    throw UsageError(fmt::format("variant '{}' cannot be used: {}", name, broken->error));
  }
  throw UsageError(fmt::format("no variant '{}'{}; 'msda list' shows the {} there are", name,
                               suggestion(name, names), names.size()));
}

std::vector<fs::path> Registry::default_directories(
    const std::vector<fs::path>& from_command_line) {
  std::vector<fs::path> directories;
  for (const fs::path& directory : from_command_line) {
    if (!fs::is_directory(directory)) {
      throw UsageError(fmt::format("--plugin-dir {}: no such directory", directory.string()));
    }
    directories.push_back(directory);
  }
  if (const char* search_path = std::getenv("MSDA_PLUGIN_PATH")) {
    for (fs::path& directory : split_search_path(search_path)) {
      directories.push_back(std::move(directory));
    }
  }
  const fs::path prefix = boost::dll::program_location().parent_path().parent_path();
  directories.push_back(prefix / "lib" / "msda" / "variants");
  return directories;
}

}  // namespace msda
