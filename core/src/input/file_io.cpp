#include "input/file_io.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace msda {
namespace {

/// Removes the file unless it was renamed away: an interrupted write leaves nothing behind.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::filesystem::path path) : path_(std::move(path)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }
  void rename_to(const std::filesystem::path& target) {
    std::filesystem::rename(path_, target);
    path_.clear();
  }

 private:
  std::filesystem::path path_;
};

/// Different for each process and each call, so that concurrent writers do not meet.
std::filesystem::path temporary_name(const std::filesystem::path& path) {
  static std::atomic<unsigned> calls{0};
  std::filesystem::path name = path;
  name += fmt::format(".{}-{}{}", ::getpid(), calls++, kTemporarySuffix);
  return name;
}

[[noreturn]] void throw_cannot_write(const std::filesystem::path& path, int error) {
  throw EnvironmentError(
      fmt::format("{}: cannot be written: {}", path.string(),
                  error == 0 ? "unknown error" : std::generic_category().message(error)));
}

}  // namespace

FileReader::FileReader(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    throw UsageError(fmt::format("{}: no such file", path.string()));
  }
  if (!std::filesystem::is_regular_file(path, error)) {
    throw UsageError(fmt::format("{}: not a regular file", path.string()));
  }
  remaining_ = static_cast<std::int64_t>(std::filesystem::file_size(path, error));
  stream_.open(path, std::ios::binary);
  if (error || !stream_) {
    throw UsageError(fmt::format("{}: cannot be opened: {}", path.string(), std::strerror(errno)));
  }
}

Bytes FileReader::read(std::int64_t count) {
  require(count);
  Bytes bytes(static_cast<std::size_t>(count));
  read_into(bytes);
  return bytes;
}

void FileReader::read_into(std::span<std::byte> target) {
  const auto count = static_cast<std::int64_t>(target.size());
  require(count);
  stream_.read(reinterpret_cast<char*>(target.data()), count);
  if (!stream_) throw UsageError("reading failed");
  remaining_ -= count;
}

void FileReader::require(std::int64_t count) const {
  if (count <= remaining_) return;
  throw UsageError(
      fmt::format("truncated: {} bytes left where {} are expected", remaining_, count));
}

void write_file(const std::filesystem::path& path, std::initializer_list<ByteSpan> parts) {
  TemporaryFile temporary(temporary_name(path));
  try {
    errno = 0;
    std::ofstream stream(temporary.path(), std::ios::binary | std::ios::trunc);
    for (const ByteSpan part : parts) {
      stream.write(reinterpret_cast<const char*>(part.data()),
                   static_cast<std::streamsize>(part.size()));
    }
    stream.close();
    if (!stream) throw_cannot_write(path, errno);
    temporary.rename_to(path);
  } catch (const std::filesystem::filesystem_error& e) {
    throw_cannot_write(path, e.code().value());
  }
}

}  // namespace msda
