// What the program keeps between runs: compiled kernels, references, and ceilings of devices.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <msda/error.hpp>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "files/cache_directory.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;

/// A compiled kernel or a reference: what is removed as one.
struct Entry {
  fs::path path;
  std::uintmax_t bytes = 0;
  fs::file_time_type used;
};

std::uintmax_t bytes_of(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    const std::uintmax_t size = fs::file_size(path, error);
    return error ? 0 : size;
  }
  std::uintmax_t bytes = 0;
  for (const auto& inside : fs::recursive_directory_iterator(path, error)) {
    if (inside.is_regular_file(error)) bytes += inside.file_size(error);
  }
  return bytes;
}

/// What lies in a folder of the cache; none where the folder is not there.
std::vector<Entry> entries_in(const fs::path& folder) {
  std::vector<Entry> entries;
  std::error_code error;
  for (const auto& inside : fs::directory_iterator(folder, error)) {
    entries.push_back({inside.path(), bytes_of(inside.path()), inside.last_write_time(error)});
  }
  return entries;
}

double megabytes(std::uintmax_t bytes) { return static_cast<double>(bytes) / 1e6; }

std::uintmax_t total_of(const std::vector<Entry>& entries) {
  std::uintmax_t bytes = 0;
  for (const Entry& entry : entries) bytes += entry.bytes;
  return bytes;
}

/// Removes the oldest entries until at most `kept` bytes are left; returns what that frees.
std::uintmax_t shrink(std::vector<Entry> entries, std::uintmax_t kept) {
  std::ranges::sort(entries, {}, &Entry::used);
  std::uintmax_t left = total_of(entries);
  std::uintmax_t freed = 0;
  for (const Entry& entry : entries) {
    if (left <= kept) break;
    std::error_code error;
    fs::remove_all(entry.path, error);
    if (error) continue;  // another user's, say: what remains costs room alone
    left -= entry.bytes;
    freed += entry.bytes;
  }
  return freed;
}

}  // namespace

int cache_command(const std::vector<std::string>& words) {
  Arguments arguments(
      {"cache [OPTION...]",
       "Says what the program keeps between runs, and removes it when asked: compiled kernels and "
       "references, which are made again when they are needed. Measured ceilings stay. The cache "
       "has no limit of its own. MSDA_CACHE_DIR names another directory.",
       "  msda cache\n"
       "  msda cache --keep 2000\n"
       "  msda cache --clear\n",
       "0 ok; 2 wrong usage; 3 the place of the cache is no directory"});
  arguments.flag("clear", "remove all compiled kernels and references");
  arguments.option("keep", "MB", "remove the oldest ones until so many megabytes are left");
  if (!arguments.parse(words)) return 0;
  const auto kept = arguments.integer("keep", 0);
  if (kept && arguments.has("clear")) {
    throw UsageError("cache: give either --clear or --keep, not both");
  }
  const fs::path directory = cache_directory();
  if (fs::exists(directory) && !fs::is_directory(directory)) {
    throw EnvironmentError(fmt::format(
        "cache: {} is no directory, so that nothing is kept: set MSDA_CACHE_DIR to another place",
        directory.string()));
  }
  std::vector<Entry> all;
  fmt::print("{}\n", directory.string());
  for (const char* folder : {"jit", "reference"}) {
    const std::vector<Entry> entries = entries_in(directory / folder);
    fmt::print("  {:<10} {:>6} entries  {:>10.1f} MB\n", folder, entries.size(),
               megabytes(total_of(entries)));
    all.insert(all.end(), entries.begin(), entries.end());
  }
  if (!kept && !arguments.has("clear")) return 0;
  constexpr std::uintmax_t kMegabyte = 1'000'000;
  const std::uintmax_t limit =
      arguments.has("clear") ? 0 : static_cast<std::uintmax_t>(*kept) * kMegabyte;
  fmt::print("freed {:.1f} MB\n", megabytes(shrink(std::move(all), limit)));
  return 0;
}

}  // namespace msda
