#include "files/write.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <system_error>

#include "files/open_file.hpp"

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
    std::error_code error;
    std::filesystem::rename(path_, target, error);
    if (error) {
      throw EnvironmentError(fmt::format("cannot rename {} to {}: {}", path_.string(),
                                         target.string(), error.message()));
    }
    path_.clear();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace

void write_atomically(const std::filesystem::path& file, std::initializer_list<ByteSpan> parts,
                      Durable durable) {
  TemporaryFile temporary(temporary_beside(file));
  {
    const OpenFile open(temporary.path(), O_WRONLY | O_CREAT | O_TRUNC);
    for (const ByteSpan part : parts) open.write(part);
    if (durable == Durable::kYes) open.sync();
  }
  temporary.rename_to(file);
}

void write_atomically(const std::filesystem::path& file, std::string_view text, Durable durable) {
  write_atomically(file, {bytes_of(text)}, durable);
}

void ensure_directory(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (!error) return;
  throw EnvironmentError(
      fmt::format("cannot create the directory {}: {}", directory.string(), error.message()));
}

std::filesystem::path temporary_beside(const std::filesystem::path& target) {
  static std::atomic<unsigned> calls{0};
  std::filesystem::path name = target;
  name += fmt::format(".{}.{}{}", ::getpid(), calls++, kTemporarySuffix);
  return name;
}

}  // namespace msda
