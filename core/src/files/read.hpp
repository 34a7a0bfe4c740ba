// Files in: whole, or piece by piece, with errors that name the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "files/bytes.hpp"
#include "files/open_file.hpp"

namespace msda {

/// An open file, read from its beginning. The constructor throws UsageError when it is missing,
/// cannot be read, or is no regular file: a pipe or a device might never end.
class FileReader {
 public:
  explicit FileReader(const std::filesystem::path& path);
  /// Bytes not read yet.
  std::int64_t remaining() const { return remaining_; }
  /// The next `count` bytes. Throws UsageError when fewer are left; the caller adds the file's
  /// name.
  Bytes read(std::int64_t count);
  /// Fills `target`; the same error.
  void read_into(std::span<std::byte> target);
  /// What is there until `target` is full or the file ends, however long it said that it was.
  std::size_t read_some(std::span<std::byte> target);

 private:
  void require(std::int64_t count) const;

  OpenFile file_;
  std::int64_t remaining_ = 0;
};

/// Bytes of the largest text that a person writes; records and manifests may be longer.
inline constexpr std::int64_t kMostHandwritten = std::int64_t{16} << 20;
inline constexpr std::int64_t kMostText = std::int64_t{4} << 30;

/// The whole file, also one whose size is told wrong (/proc). Throws UsageError as FileReader does,
/// and for more than `most` bytes.
std::string read_text(const std::filesystem::path& file, std::int64_t most = kMostText);

/// The same; nullopt for any of its errors. For what may as well not be there, such as an entry of
/// a cache.
std::optional<std::string> read_text_if_there(const std::filesystem::path& file);

}  // namespace msda
