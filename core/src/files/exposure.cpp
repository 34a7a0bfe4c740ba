#include "files/exposure.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include <msda/error.hpp>

namespace msda {
namespace {

namespace fs = std::filesystem;

struct stat status_of(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    throw EnvironmentError(fmt::format("cannot look at {}: {}", path.string(),
                                       std::generic_category().message(errno)));
  }
  return status;
}

/// Users of a namespace that has no number for them own what this one shows: the root of the
/// machine around a container, above all.
uid_t nameless_user() {
  static const uid_t user = [] {
    uid_t number = 65534;
    std::ifstream("/proc/sys/kernel/overflowuid") >> number;
    return number;
  }();
  return user;
}

bool is_ours(const struct stat& status) {
  return status.st_uid == ::geteuid() || status.st_uid == 0;
}

/// A group that is one user's own, by the convention of distributions that give each user one.
bool is_private_group(const struct stat& status) { return status.st_gid == status.st_uid; }

/// Who may write there. In a directory with the sticky bit each user can only replace what is the
/// user's own.
std::string writers(const fs::path& path, const struct stat& status) {
  const bool sticky = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0;
  if (sticky) return "";
  if ((status.st_mode & S_IWOTH) != 0) return fmt::format("everybody may write {}", path.string());
  if ((status.st_mode & S_IWGRP) != 0 && !is_private_group(status)) {
    return fmt::format("a group may write {}", path.string());
  }
  return "";
}

}  // namespace

std::string own_exposure(const fs::path& path) {
  const struct stat status = status_of(path);
  if (!is_ours(status)) return fmt::format("{} belongs to another user", path.string());
  if (S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0 &&
      (status.st_mode & (S_IWOTH | S_IWGRP)) != 0) {
    return fmt::format("others may write into {}", path.string());
  }
  return writers(path, status);
}

std::string exposure(const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error) {
    throw EnvironmentError(fmt::format("cannot look at {}: {}", path.string(), error.message()));
  }
  if (std::string reason = own_exposure(real); !reason.empty()) return reason;
  for (fs::path part = real.parent_path();; part = part.parent_path()) {
    const struct stat status = status_of(part);
    if (!is_ours(status) && status.st_uid != nameless_user()) {
      return fmt::format("{} belongs to another user", part.string());
    }
    if (std::string reason = writers(part, status); !reason.empty()) return reason;
    if (part == part.root_path()) return "";
  }
}

std::error_code create_own_directories(const fs::path& directory) {
  std::error_code error;
  if (directory.empty() || fs::is_directory(directory, error)) return {};
  if ((error = create_own_directories(directory.parent_path()))) return error;
  if (::mkdir(directory.c_str(), 0755) == 0) return {};
  const int reason = errno;  // another process may have been first
  if (fs::is_directory(directory, error)) return {};
  return {reason, std::generic_category()};
}

}  // namespace msda
