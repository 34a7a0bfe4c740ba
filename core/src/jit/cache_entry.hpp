// One directory of the compilation cache.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "jit/compiler.hpp"

namespace msda {

/// The file of an entry that holds what was compiled: for a GPU, and for the host.
inline constexpr std::string_view kCubin = "kernel.cubin";
inline constexpr std::string_view kSharedObject = "unit.so";

/// The complete entry in `directory`, or nullopt when there is none or it is damaged.
std::optional<Module> load_entry(const std::filesystem::path& directory, std::string_view image);

/// Writes the unit and its headers to a temporary directory beside `directory`, then renames it.
/// Another process may be first: then its sources, which are the same, stay.
void write_sources(const Unit& unit, const std::filesystem::path& directory);

/// Stores the image and build.json, each by rename; build.json last.
void store_entry(const Module& module, std::string_view image);

}  // namespace msda
