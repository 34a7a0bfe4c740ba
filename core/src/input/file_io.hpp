// Whole files in and out, with errors that name the file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <span>

#include <msda/error.hpp>

#include "input/input.hpp"

namespace msda {

using ByteSpan = std::span<const std::byte>;

/// An open file, read from its beginning. The constructor throws UsageError when it is missing or
/// cannot be read.
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

 private:
  void require(std::int64_t count) const;

  std::ifstream stream_;
  std::int64_t remaining_ = 0;
};

/// Writes the parts one after the other to a temporary file beside `path`, then renames it: whoever
/// opens `path` sees the old content or the new one, never a part. Throws EnvironmentError; the
/// temporary file is removed then.
void write_file(const std::filesystem::path& path, std::initializer_list<ByteSpan> parts);

/// The temporary name that write_file() uses ends with this.
inline constexpr const char* kTemporarySuffix = ".tmp";

}  // namespace msda
