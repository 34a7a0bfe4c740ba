#include "plugin/library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

#include <fmt/format.h>

#include <boost/dll/shared_library.hpp>
#include "files/read.hpp"
#include "hash.hpp"

namespace msda {
namespace {

constexpr const char* kRebuild = "rebuild the plugin with this version of MSDA Lab";

/// Keeps a library loaded until the process ends: variants, their vtables and exceptions thrown by
/// them may be anywhere by now. The list is never destroyed, so that no destructor runs in unloaded
/// code.
void keep_forever(boost::dll::shared_library library) {
  static std::mutex mutex;
  static auto& kept = *new std::vector<boost::dll::shared_library>();
  const std::lock_guard lock(mutex);
  kept.push_back(std::move(library));
}

boost::dll::shared_library load_library(const std::filesystem::path& file) {
  boost::dll::shared_library library;
  std::error_code failure;
  // Resolving all symbols now turns a missing one into an error here, not an abort in a
  // measurement.
  library.load(file, failure, boost::dll::load_mode::rtld_now);
  if (failure) {
    const char* reason = dlerror();
    throw Error(fmt::format("not a loadable shared library: {}",
                            reason != nullptr ? reason : failure.message()));
  }
  return library;
}

/// The first words of a manifest stay where they are in every ABI, so they are read before anything
/// else is trusted.
void check_header(const PluginManifest& manifest) {
  if (manifest.magic != kPluginMagic) {
    throw Error(
        fmt::format("symbol {} is not a plugin manifest (it starts with {:#010x}, not {:#010x})"
                    ": end the plugin's source with MSDA_PLUGIN(Class)",
                    kPluginSymbol, manifest.magic, kPluginMagic));
  }
  if (manifest.abi != kPluginAbi) {
    throw Error(fmt::format("built for plugin ABI {}, this program has ABI {}: {}", manifest.abi,
                            kPluginAbi, kRebuild));
  }
  if (manifest.size < sizeof(PluginManifest)) {
    throw Error(fmt::format("its manifest has {} bytes, that of this ABI has {}: {}", manifest.size,
                            sizeof(PluginManifest), kRebuild));
  }
  if (manifest.layouts != kLayouts) {
    throw Error(
        fmt::format("built with other sizes of what crosses the boundary ({:08x}, this "
                    "program has {:08x}), such as those of a problem or an arithmetic: {}",
                    manifest.layouts, kLayouts, kRebuild));
  }
}

void check_toolchain(const PluginManifest& manifest) {
  if (manifest.toolchain == nullptr) {
    throw Error(fmt::format("its manifest has no toolchain tag: {}", kRebuild));
  }
  if (std::strcmp(manifest.toolchain, kToolchain) != 0) {
    throw Error(
        fmt::format("built with C++ ABI '{}', this program with '{}': rebuild the plugin with a "
                    "compiler and standard library of that ABI",
                    manifest.toolchain, kToolchain));
  }
}

/// Names are used on command lines, in YAML and as file names.
void check_name(const PluginManifest& manifest) {
  const auto legal = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  const std::string_view name = manifest.name == nullptr ? "" : manifest.name;
  if (name.empty() || !std::all_of(name.begin(), name.end(), legal)) {
    throw Error(
        fmt::format("its manifest has the name '{}': use lower-case letters, digits and '-' "
                    "in msda_add_variant()",
                    name));
  }
  if (manifest.version == nullptr || manifest.create == nullptr) {
    throw Error(
        fmt::format("its manifest has no {}: end the plugin's source with MSDA_PLUGIN(Class)",
                    manifest.version == nullptr ? "version" : "factory"));
  }
}

/// The entries end with an empty one, so a count that does not match is found without reading
/// beyond.
std::span<const EmbeddedSource> checked_sources(const PluginManifest& manifest) {
  if (manifest.sources == nullptr) throw Error("its manifest has no list of embedded sources");
  std::uint32_t count = 0;
  while (count < manifest.source_count && manifest.sources[count].path != nullptr) ++count;
  if (count != manifest.source_count || manifest.sources[count].path != nullptr) {
    throw Error(
        fmt::format("its manifest announces {} embedded sources, the list has {}: build the "
                    "plugin with msda_add_variant()",
                    manifest.source_count, count < manifest.source_count ? "fewer" : "more"));
  }
  const std::span sources(manifest.sources, count);
  for (const EmbeddedSource& source : sources) {
    const std::filesystem::path path(source.path);
    const bool climbs = std::find(path.begin(), path.end(), "..") != path.end();
    if (source.text == nullptr || path.empty() || path.is_absolute() || climbs) {
      throw Error(fmt::format(
          "its embedded source '{}' has no text or a path outside its own folder", source.path));
    }
  }
  return sources;
}

std::shared_ptr<const Variant> create(const PluginManifest& manifest) {
  std::shared_ptr<const Variant> variant;
  try {
    variant.reset(manifest.create());
  } catch (const std::exception& error) {
    throw Error(fmt::format("its factory threw: {}", error.what()));
  } catch (...) {
    throw Error("its factory threw something that is not a std::exception");
  }
  if (variant == nullptr) throw Error("its factory returned null: it must return a new Variant");
  const VariantInfo& info = variant->info();
  if (info.name != manifest.name) {
    throw Error(
        fmt::format("its manifest is named '{}' but its variant '{}': give msda_add_variant() "
                    "and VariantInfo the same name",
                    manifest.name, info.name));
  }
  static_cast<void>(
      resolve_parameters(info, {}));  // the declared defaults must pass their own rules
  return variant;
}

const PluginManifest& read_manifest(const boost::dll::shared_library& library) {
  if (!library.has(kPluginSymbol)) {
    throw Error(fmt::format("no symbol {}: end the plugin's source with MSDA_PLUGIN(Class)",
                            kPluginSymbol));
  }
  const auto& manifest = library.get<const PluginManifest>(kPluginSymbol);
  check_header(manifest);
  check_toolchain(manifest);
  check_name(manifest);
  return manifest;
}

}  // namespace

Plugin open_plugin(const std::filesystem::path& file) {
  Plugin plugin;
  plugin.file = file;
  plugin.name = file.stem().string();
  try {
    plugin.hash = hash_file(file);
    boost::dll::shared_library library = load_library(file);
    const PluginManifest& manifest = read_manifest(library);
    keep_forever(std::move(library));
    plugin.name = manifest.name;
    plugin.version = manifest.version;
    plugin.build_type = manifest.build_type == nullptr ? "" : manifest.build_type;
    plugin.optimized = manifest.optimized != 0;
    plugin.sources = checked_sources(manifest);
    plugin.variant = create(manifest);
  } catch (const std::exception& error) {
    plugin.sources = {};
    plugin.error = fmt::format("plugin {}: {}", file.string(), error.what());
  }
  return plugin;
}

std::string hash_file(const std::filesystem::path& file) {
  FileReader reader(file);
  Hash hash;
  std::array<std::byte, 65536> part;
  while (const std::size_t count = reader.read_some(part)) hash.add(part.data(), count);
  return hash.hex();
}

}  // namespace msda
