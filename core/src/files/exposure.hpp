// Whether somebody else could have written what this process is about to run.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace msda {

/// Why another user than this one and root could have written, or could replace, what lies at
/// `path` (which must be there): who owns it or one of the directories above it, or may write
/// there. "" when nobody could. Throws EnvironmentError when it cannot be looked at.
std::string exposure(const std::filesystem::path& path);

/// The same of `path` alone, without the directories above it.
std::string own_exposure(const std::filesystem::path& path);

/// Creates those of the directories that are not there, so that others may read them and, whatever
/// the umask says, not write.
std::error_code create_own_directories(const std::filesystem::path& directory);

}  // namespace msda
