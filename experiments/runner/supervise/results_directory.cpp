#include "runner/supervise/results_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <system_error>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <msda/error.hpp>

namespace msda {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLockFile = ".lock";

/// The outermost directory of `path` that is not there.
fs::path first_missing(const fs::path& path) {
  fs::path missing;
  std::error_code ignored;
  for (fs::path part = path; !part.empty() && !fs::exists(part, ignored);
       part = part.parent_path()) {
    missing = part;
  }
  return missing;
}

EnvironmentError cannot(const char* action, const fs::path& path, const std::error_code& reason) {
  return EnvironmentError(fmt::format("cannot {} {}: {}", action, path.string(), reason.message()));
}

void make_directories(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw cannot("create the results directory", path, error);
}

std::error_code last_error() { return {errno, std::generic_category()}; }

/// Whether the name still leads to the open file: whoever had the lock before may have removed it.
bool is_there(const fs::path& file, int descriptor) {
  struct stat open_file {};
  struct stat named {};
  return ::fstat(descriptor, &open_file) == 0 && ::stat(file.c_str(), &named) == 0 &&
         open_file.st_ino == named.st_ino && open_file.st_dev == named.st_dev;
}

std::string owner_text(int descriptor) {
  std::array<char, 32> text{};
  const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
  return size > 0 ? fmt::format(" (process {})", std::string_view(text.data(), size)) : "";
}

void write_owner(int descriptor) {
  const std::string text = std::to_string(::getpid());
  if (::ftruncate(descriptor, 0) != 0) return;
  // The lock holds without it; it only makes another run's message better.
  static_cast<void>(!::pwrite(descriptor, text.data(), text.size(), 0));
}

}  // namespace

fs::path default_results_parent(const std::string& name) { return fs::path("results") / name; }

ResultsDirectory ResultsDirectory::create(const std::string& name) {
  const fs::path parent = default_results_parent(name);
  const fs::path created = first_missing(parent);
  make_directories(parent);
  const std::string time = fmt::format("{:%Y%m%d-%H%M%S}", fmt::localtime(std::time(nullptr)));
  fs::path path = parent / time;
  std::error_code error;
  // mkdir() says whether it was this process that made it.
  for (int n = 2; !fs::create_directory(path, error); ++n) {
    if (error) throw cannot("create the results directory", path, error);
    path = parent / fmt::format("{}-{}", time, n);
  }
  ResultsDirectory directory(path);
  directory.first_created_ = created.empty() ? path : created;
  return directory;
}

ResultsDirectory::ResultsDirectory(const fs::path& path)
    : path_(path), first_created_(first_missing(path)) {
  make_directories(path_);
  lock();
}

void ResultsDirectory::lock() {
  const fs::path file = path_ / kLockFile;
  for (;;) {
    descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (descriptor_ < 0) throw cannot("write to the results directory", path_, last_error());
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      const std::string owner = owner_text(descriptor_);
      ::close(std::exchange(descriptor_, -1));
      throw UsageError(
          fmt::format("a run that still goes on has {}{}; wait for its end or interrupt it, or "
                      "give another directory",
                      path_.string(), owner));
    }
    // A file system without locks (some of clusters) has to do without.
    if (is_there(file, descriptor_)) break;
    ::close(descriptor_);
  }
  write_owner(descriptor_);
}

ResultsDirectory::ResultsDirectory(ResultsDirectory&& other) noexcept
    : path_(std::move(other.path_)),
      first_created_(std::move(other.first_created_)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

ResultsDirectory::~ResultsDirectory() {
  if (descriptor_ < 0) return;
  // Removed before it is unlocked: whoever opened it in between sees that its name is gone.
  ::unlink((path_ / kLockFile).c_str());
  ::close(descriptor_);
  if (first_created_.empty()) return;
  // From the inside out; a directory that holds something stays, and so do those around it.
  for (fs::path part = path_; ::rmdir(part.c_str()) == 0 && part != first_created_;) {
    part = part.parent_path();
  }
}

}  // namespace msda
