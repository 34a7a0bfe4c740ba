// Opening one plugin file: everything that is checked before and after its first C++ object exists.
#pragma once

#include <filesystem>

#include "plugin/registry.hpp"

namespace msda {

/// Loads and checks one file. Never throws for a bad one: the result's `error` says what is wrong
/// with it and what to do, and its `name` is the manifest's when that could be read, else the
/// file's stem. A library that passed the checks of its manifest stays loaded for the life of the
/// process.
Plugin open_plugin(const std::filesystem::path& file);

/// XXH3-128 of a file's content, 32 hexadecimal digits. Throws EnvironmentError when it is
/// unreadable.
std::string hash_file(const std::filesystem::path& file);

}  // namespace msda
