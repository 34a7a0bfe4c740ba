// One directory of the compilation cache.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "jit/compiler.hpp"

namespace msda {

/// The complete entry in `directory`, or nullopt when there is none or it is damaged.
std::optional<Module> load_entry(const std::filesystem::path& directory);

/// Writes the unit and its headers to a temporary directory beside `directory`, then renames it.
/// Another process may be first: then its sources, which are the same, stay.
void write_sources(const Unit& unit, const std::filesystem::path& directory);

/// Stores cubin and build.json, each by rename; build.json last.
void store_entry(const Module& module);

}  // namespace msda
