#include "files/cache_directory.hpp"

#include <cstdlib>

#include <msda/error.hpp>

namespace msda {
namespace {

/// The path in an environment variable; empty when it is unset.
std::filesystem::path path_in(const char* variable) {
  const char* value = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nothing sets it
  return value == nullptr ? "" : value;
}

}  // namespace

std::filesystem::path cache_directory() {
  if (auto own = path_in("MSDA_CACHE_DIR"); !own.empty()) return own;
  // The XDG Base Directory Specification says that a relative path is to be ignored.
  if (const auto xdg = path_in("XDG_CACHE_HOME"); xdg.is_absolute()) return xdg / "msda";
  if (const auto home = path_in("HOME"); !home.empty()) return home / ".cache" / "msda";
  throw EnvironmentError("no place for caches: set MSDA_CACHE_DIR to a directory");
}

}  // namespace msda
