#include "files/trim_cache.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <vector>

#include "files/write.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;

constexpr auto kAbandoned = std::chrono::hours(1);  ///< age of a temporary file that nobody writes

struct CachedFile {
  fs::path path;
  fs::file_time_type modified;
  std::uintmax_t bytes;
};

std::vector<CachedFile> files_ending_in(const fs::path& directory, std::string_view suffix) {
  std::vector<CachedFile> files;
  for (const fs::directory_entry& file : fs::directory_iterator(directory)) {
    if (file.path().extension() != suffix) continue;
    std::error_code time_error;
    std::error_code size_error;
    const auto modified = file.last_write_time(time_error);
    const auto bytes = file.file_size(size_error);
    if (!time_error && !size_error) files.push_back({file.path(), modified, bytes});
  }
  return files;
}

}  // namespace

void trim_cache(const fs::path& directory, std::string_view suffix, std::uintmax_t limit) {
  std::error_code ignored;
  const auto now = fs::file_time_type::clock::now();
  for (const CachedFile& file : files_ending_in(directory, kTemporarySuffix)) {
    if (now - file.modified > kAbandoned) fs::remove(file.path, ignored);
  }
  std::vector<CachedFile> entries = files_ending_in(directory, suffix);
  std::sort(entries.begin(), entries.end(),
            [](const CachedFile& a, const CachedFile& b) { return a.modified > b.modified; });
  std::uintmax_t total = 0;
  for (const CachedFile& entry : entries) {
    total += entry.bytes;
    if (total > limit) fs::remove(entry.path, ignored);
  }
}

}  // namespace msda
