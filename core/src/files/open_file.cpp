#include "files/open_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace msda {
namespace {

struct stat status_of(const OpenFile& file) {
  struct stat status {};
  if (::fstat(file.descriptor(), &status) != 0) throw system_error("examine", file.path());
  return status;
}

}  // namespace

EnvironmentError system_error(std::string_view action, const std::filesystem::path& file) {
  return EnvironmentError(fmt::format("cannot {} {}: {}", action, file.string(),
                                      std::generic_category().message(errno)));
}

OpenFile::OpenFile(const std::filesystem::path& file, int flags)
    : file_(file), descriptor_(::open(file.c_str(), flags | O_CLOEXEC, 0644)) {
  if (descriptor_ < 0) {
    throw system_error((flags & O_ACCMODE) == O_RDONLY ? "read" : "write", file_);
  }
}

OpenFile::~OpenFile() { ::close(descriptor_); }

std::size_t OpenFile::read(std::span<std::byte> target) const {
  std::size_t count = 0;
  while (count < target.size()) {
    const ssize_t got = ::read(descriptor_, target.data() + count, target.size() - count);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error("read", file_);
    if (got == 0) break;
    count += static_cast<std::size_t>(got);
  }
  return count;
}

void OpenFile::write(ByteSpan bytes) const {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw system_error("write", file_);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void OpenFile::sync() const {
  if (::fsync(descriptor_) != 0) throw system_error("flush", file_);
}

bool OpenFile::is_regular() const { return S_ISREG(status_of(*this).st_mode); }

std::int64_t OpenFile::size() const { return status_of(*this).st_size; }

void OpenFile::truncate(std::int64_t size) const {
  if (::ftruncate(descriptor_, size) != 0) throw system_error("shorten", file_);
}

}  // namespace msda
