#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "hash.hpp"
#include "input/file_io.hpp"
#include "reference/reference.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;

/// First bytes of an entry; the numbers follow. Raise the magic's digit when the reference changes.
struct EntryHeader {
  std::array<char, 8> magic;
  std::int64_t count;
  std::array<char, 32> digest;  ///< Hash of the numbers
};
constexpr std::array<char, 8> kMagic = {'M', 'S', 'D', 'A', 'R', 'E', 'F', '1'};

constexpr std::uintmax_t kCacheLimit = 4ULL << 30U;  ///< bytes; ledger-48 takes 190 MB
constexpr auto kAbandoned = std::chrono::hours(1);   ///< age of a temporary file nobody writes

ByteSpan bytes_of(const std::vector<double>& numbers) { return std::as_bytes(std::span(numbers)); }

EntryHeader header_of(const std::vector<double>& reference) {
  EntryHeader header{kMagic, static_cast<std::int64_t>(reference.size()), {}};
  const ByteSpan bytes = bytes_of(reference);
  const std::string digest = Hash().add(bytes.data(), bytes.size()).hex();
  digest.copy(header.digest.data(), header.digest.size());
  return header;
}

bool same_bytes(const EntryHeader& a, const EntryHeader& b) {
  return a.magic == b.magic && a.count == b.count && a.digest == b.digest;
}

/// The entry's numbers, or nullopt when it is missing, unreadable or damaged.
std::optional<std::vector<double>> load_entry(const fs::path& entry, std::int64_t count) {
  try {
    FileReader file(entry);
    const auto payload_bytes = count * static_cast<std::int64_t>(sizeof(double));
    if (file.remaining() != static_cast<std::int64_t>(sizeof(EntryHeader)) + payload_bytes)
      return std::nullopt;
    EntryHeader stored{};
    file.read_into(std::as_writable_bytes(std::span(&stored, 1)));
    std::vector<double> reference(static_cast<std::size_t>(count));
    file.read_into(std::as_writable_bytes(std::span(reference)));
    if (!same_bytes(stored, header_of(reference))) return std::nullopt;
    return reference;
  } catch (const Error&) {
    return std::nullopt;
  }
}

struct CachedFile {
  fs::path path;
  fs::file_time_type used;
  std::uintmax_t bytes;
};

std::vector<CachedFile> cached_files(const fs::path& directory) {
  std::vector<CachedFile> files;
  for (const fs::directory_entry& file : fs::directory_iterator(directory)) {
    std::error_code error;
    const auto used = file.last_write_time(error);
    const auto bytes = file.file_size(error);
    if (!error) files.push_back({file.path(), used, bytes});
  }
  return files;
}

/// Removes what interrupted writers left, and the entries unused for longest until the rest is
/// within the limit: fresh seeds on each run would fill the disk otherwise.
void trim(const fs::path& directory) {
  std::error_code ignored;
  std::vector<CachedFile> files = cached_files(directory);
  std::sort(files.begin(), files.end(),
            [](const CachedFile& a, const CachedFile& b) { return a.used > b.used; });
  const auto now = fs::file_time_type::clock::now();
  std::uintmax_t total = 0;
  for (const CachedFile& file : files) {
    total += file.bytes;
    const bool abandoned =
        file.path.extension() == kTemporarySuffix && now - file.used > kAbandoned;
    if (total > kCacheLimit || abandoned) fs::remove(file.path, ignored);
  }
}

/// A cache that cannot be written costs time later, never the result now: errors are swallowed.
void store_entry(const fs::path& entry, const std::vector<double>& reference) {
  try {
    fs::create_directories(entry.parent_path());
    const EntryHeader header = header_of(reference);
    write_file(entry, {std::as_bytes(std::span(&header, 1)), bytes_of(reference)});
    trim(entry.parent_path());
  } catch (const Error&) {
  } catch (const fs::filesystem_error&) {
  }
}

}  // namespace

std::vector<double> cached_reference(const Input& input, unsigned threads) {
  const fs::path entry = cache_directory() / "reference" / (content_hash(input) + ".f64");
  if (auto reference = load_entry(entry, input.problem.output_elements())) {
    std::error_code ignored;
    fs::last_write_time(entry, fs::file_time_type::clock::now(), ignored);  // for trim()
    return *std::move(reference);
  }
  std::vector<double> reference = compute_reference(input, threads);
  store_entry(entry, reference);
  return reference;
}

}  // namespace msda
