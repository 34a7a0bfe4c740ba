// One directory of the compilation cache.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <msda/error.hpp>

#include "compose/unit.hpp"
#include "jit/module.hpp"

namespace msda {

/// The file of an entry that holds what was compiled: for a GPU, and for the host.
inline constexpr std::string_view kCubin = "kernel.cubin";
inline constexpr std::string_view kSharedObject = "unit.so";

/// An entry cannot be written: no permission, no space. The work can be done elsewhere.
class CacheUnwritable : public EnvironmentError {
 public:
  using EnvironmentError::EnvironmentError;
};

/// The complete entry of `key` in `directory`; nullopt when there is none, when anything in it is
/// not as it was stored under that key, or when another user could have written it.
std::optional<Module> load_entry(const std::filesystem::path& directory, std::string_view image,
                                 const std::string& key);

/// Makes the unit's sources in `directory` what they are to be, whatever lies there: those that
/// differ are written anew, each by rename, so that another process may compile from them. Throws
/// CacheUnwritable.
void write_sources(const Unit& unit, const std::filesystem::path& directory);

/// Stores the image and build.json under `key`, each on the disk before its rename; build.json
/// last. Throws CacheUnwritable.
void store_entry(const Module& module, std::string_view image, const std::string& key);

}  // namespace msda
