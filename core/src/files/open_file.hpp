// An open file as an object, for everything that reads or writes one.
#pragma once

#include <cstdint>
#include <filesystem>

#include <msda/error.hpp>

#include "files/bytes.hpp"

namespace msda {

/// A file descriptor that is closed with the object. What the operating system refuses is an
/// EnvironmentError with the file and the system's reason.
class OpenFile {
 public:
  /// `flags` are those of open(2); a new file can be read by everyone.
  OpenFile(const std::filesystem::path& file, int flags);
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile();

  const std::filesystem::path& path() const { return file_; }
  int descriptor() const { return descriptor_; }

  /// Fills `target` from where the file stands, and returns how much it got: less only at the end.
  std::size_t read(std::span<std::byte> target) const;
  void write(ByteSpan bytes) const;
  /// Returns when all that was written is on the disk.
  void sync() const;
  bool is_regular() const;
  std::int64_t size() const;
  void truncate(std::int64_t size) const;

 private:
  std::filesystem::path file_;
  int descriptor_;
};

/// What the operating system has just refused (errno): "cannot write x.json: No space left on
/// device".
EnvironmentError system_error(std::string_view action, const std::filesystem::path& file);

}  // namespace msda
