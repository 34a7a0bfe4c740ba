#include <array>
#include <chrono>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <system_error>

#include "elapsed.hpp"
#include "files/cache_directory.hpp"
#include "files/exposure.hpp"
#include "files/read.hpp"
#include "files/trim_cache.hpp"
#include "files/write.hpp"
#include "hash.hpp"
#include "reference/cached_reference.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;

/// First bytes of an entry; the numbers follow. Raise the magic's digit when the reference changes.
struct EntryHeader {
  std::array<char, 8> magic;
  std::int64_t count;
  std::array<char, 32> digest;  ///< Hash of the numbers
  friend bool operator==(const EntryHeader&, const EntryHeader&) = default;
};
constexpr std::array<char, 8> kEntryMagic = {'M', 'S', 'D', 'A', 'R', 'E', 'F', '1'};

constexpr auto kHeaderBytes = static_cast<std::int64_t>(sizeof(EntryHeader));
constexpr const char* kEntrySuffix = ".f64";
/// Bytes of all entries together. One of a large problem takes some 200 MB, and fresh seeds on each
/// run would fill the disk.
constexpr std::uintmax_t kCacheLimit = 4ULL << 30U;
/// Bytes of the largest entry.
constexpr std::int64_t kLargestEntry = 256LL << 20;
/// Bytes of an entry that is stored however fast it was computed.
constexpr std::size_t kSmallEntry = 1U << 20U;
/// Bytes that one core hashes and writes in a second.
constexpr double kStoredPerSecond = 500e6;

ByteSpan bytes_of(const std::vector<double>& numbers) { return std::as_bytes(std::span(numbers)); }

/// On many cores a large reference is computed in less time than one of them needs to store it.
bool is_worth_storing(const std::vector<double>& reference, double seconds) {
  const std::size_t bytes = bytes_of(reference).size();
  return bytes <= kSmallEntry || seconds * kStoredPerSecond > static_cast<double>(bytes);
}

EntryHeader header_of(const std::vector<double>& reference) {
  EntryHeader header{kEntryMagic, static_cast<std::int64_t>(reference.size()), {}};
  const ByteSpan bytes = bytes_of(reference);
  const std::string digest = Hash().add(bytes.data(), bytes.size()).hex();
  digest.copy(header.digest.data(), header.digest.size());
  return header;
}

/// Where the entries lie; "" where there is no place for caches, or somebody else could have
/// written what is in it: a wrong reference would make wrong arms right.
fs::path private_directory() {
  try {
    const fs::path directory = cache_directory() / "reference";
    const bool usable = !create_own_directories(directory) && exposure(directory).empty();
    return usable ? directory : fs::path();
  } catch (const EnvironmentError&) {
    return {};
  }
}

/// The entry's numbers, or nullopt when it is missing, unreadable, damaged or open to others.
std::optional<std::vector<double>> load_entry(const fs::path& entry, std::int64_t count) {
  try {
    FileReader file(entry);
    if (!own_exposure(entry).empty()) return std::nullopt;
    const auto payload_bytes = count * static_cast<std::int64_t>(sizeof(double));
    if (file.remaining() != kHeaderBytes + payload_bytes) return std::nullopt;
    EntryHeader stored{};
    file.read_into(std::as_writable_bytes(std::span(&stored, 1)));
    std::vector<double> reference(static_cast<std::size_t>(count));
    file.read_into(std::as_writable_bytes(std::span(reference)));
    if (stored != header_of(reference)) return std::nullopt;
    return reference;
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// A cache that cannot be written costs time later, never the result now: errors are swallowed.
void store_entry(const fs::path& entry, const std::vector<double>& reference) {
  try {
    const EntryHeader header = header_of(reference);
    // Without waiting for the disk: a torn entry shows when it is read.
    write_atomically(entry, {std::as_bytes(std::span(&header, 1)), bytes_of(reference)},
                     Durable::kNo);
    trim_cache(entry.parent_path(), kEntrySuffix, kCacheLimit);
  } catch (const Error&) {
  } catch (const fs::filesystem_error&) {
  }
}

}  // namespace

bool keeps_reference(std::int64_t count) {
  return count * static_cast<std::int64_t>(sizeof(double)) <= kLargestEntry;
}

std::vector<double> cached_reference(const std::string& key, std::int64_t count,
                                     const std::function<std::vector<double>()>& compute) {
  if (!keeps_reference(count)) return compute();
  const fs::path directory = private_directory();
  if (directory.empty()) return compute();
  const fs::path entry = directory / (key + kEntrySuffix);
  if (auto reference = load_entry(entry, count)) {
    std::error_code ignored;
    fs::last_write_time(entry, fs::file_time_type::clock::now(), ignored);  // used now
    return *std::move(reference);
  }
  const auto start = std::chrono::steady_clock::now();
  std::vector<double> reference = compute();
  if (is_worth_storing(reference, seconds_since(start))) store_entry(entry, reference);
  return reference;
}

}  // namespace msda
