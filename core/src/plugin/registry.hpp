// Finds plugins, checks their manifests and keeps every library loaded for the life of the process.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <msda/plugin.hpp>

#include "nearest.hpp"

namespace msda {

/// A plugin that is loaded, or a file that is not, with the reason.
struct Plugin {
  std::filesystem::path file;
  std::string name;
  std::string version;
  std::string hash;        ///< XXH3-128 of the file, for provenance
  std::string build_type;  ///< CMake's, "Release"; "" when it has none
  bool optimized = true;   ///< false: the compiler did not optimize its host code
  std::string error;       ///< empty when usable; else why not, naming the file
  std::shared_ptr<const Variant> variant;
  std::span<const EmbeddedSource> sources;
};

class Registry {
 public:
  /// Why a plugin that is whole in itself is of no use to this program, or "".
  using Check = std::function<std::string(const Plugin&)>;

  /// Loads every plugin of the directories in order; inside one, in the order of file names. A
  /// directory that does not exist is skipped. Of two plugins with one name the first stays and the
  /// other is broken, and so is one whose code ends or hangs the process when it is opened, and one
  /// that `check` refuses (slot_error(), where slots are known).
  explicit Registry(const std::vector<std::filesystem::path>& directories, const Check& check = {});

  /// Those of the directories; without the variant that the program brings (external.hpp).
  const std::vector<Plugin>& plugins() const { return plugins_; }

  /// A plugin, or the program's own variant. Throws UsageError with the nearest name, or with the
  /// reason when the plugin is there but broken.
  const Plugin& find(std::string_view name) const;

  /// --plugin-dir first, then MSDA_PLUGIN_PATH (colon-separated), then variants/ of the build or
  /// install tree that the running program lies in.
  static std::vector<std::filesystem::path> default_directories(
      const std::vector<std::filesystem::path>& from_command_line);

 private:
  void add(Plugin plugin, const Check& check);
  std::vector<Plugin> plugins_;
};

/// Values for all of a variant's parameters: defaults, overridden by `given`. Integers are taken
/// where a double is declared. Throws UsageError for an unknown name (with the nearest one), a
/// wrong type, a value out of range or not among the choices; the message names variant and
/// parameter.
Parameters resolve_parameters(const VariantInfo& variant,
                              const std::map<std::string, ParameterValue>& given);

std::string to_string(const ParameterValue& value);

}  // namespace msda
