#include "files/write.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <system_error>
#include <vector>

#include "characters.hpp"
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

/// What stands at a place that no file may take; "" where there is nothing, or a file.
std::string other_than_file(const std::filesystem::path& place) {
  namespace fs = std::filesystem;
  std::error_code ignored;  // opening says what is wrong with the place
  switch (fs::symlink_status(place, ignored).type()) {
    case fs::file_type::symlink:
      return fmt::format("a link to {}", fs::read_symlink(place, ignored).string());
    case fs::file_type::directory: return "a directory";
    case fs::file_type::character:
    case fs::file_type::block: return "a device";
    case fs::file_type::fifo: return "a pipe";
    case fs::file_type::socket: return "a socket";
    default: return "";
  }
}

}  // namespace

void require_file_place(const std::filesystem::path& file) {
  const std::string other = other_than_file(file);
  if (other.empty()) return;
  const bool stream = file.string().starts_with("/dev/") || file.string().starts_with("/proc/");
  throw EnvironmentError(fmt::format(
      "cannot write {}: it is {}, which a file would replace; {}", visible(file.string()),
      visible(other),
      stream ? "give the name of a file, and print that file" : "give the name of a file"));
}

void write_atomically(const std::filesystem::path& file, std::initializer_list<ByteSpan> parts,
                      Durable durable) {
  require_file_place(file);
  std::error_code unknown;  // opening says what else is wrong with the place
  const std::filesystem::path folder = file.parent_path();
  if (!file.has_filename()) throw EnvironmentError("cannot write a file without a name");
  if (!folder.empty() && !std::filesystem::exists(folder, unknown)) {
    throw EnvironmentError(fmt::format("cannot write {}: there is no directory {}",
                                       visible(file.string()), visible(folder.string())));
  }
  TemporaryFile temporary(temporary_beside(file));
  {
    // Where others may write, somebody could have put a link at this name.
    const OpenFile open(temporary.path(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
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

void require_directory_place(const std::filesystem::path& directory) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<fs::path> made;
  for (fs::path at = fs::absolute(directory); !fs::exists(at, error) && at.has_relative_path();
       at = at.parent_path()) {
    made.push_back(at);
  }
  std::error_code refused;
  fs::create_directories(directory, refused);
  const fs::path inside = temporary_beside(directory / "here");
  if (!refused && fs::create_directory(inside, refused)) fs::remove(inside, error);
  for (const fs::path& at : made) fs::remove(at, error);
  if (!refused) return;
  throw EnvironmentError(fmt::format("cannot write into the directory {}: {}; give another one",
                                     visible(directory.string()), refused.message()));
}

std::filesystem::path temporary_beside(const std::filesystem::path& target) {
  static std::atomic<unsigned> calls{0};
  std::filesystem::path name = target;
  name += fmt::format(".{}.{}{}", ::getpid(), calls++, kTemporarySuffix);
  return name;
}

}  // namespace msda
