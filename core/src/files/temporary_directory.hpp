// A directory for as long as something is at work.
#pragma once

#include <filesystem>
#include <string_view>

namespace msda {

/// A new directory, which is removed with the object and all that is in it.
class TemporaryDirectory {
 public:
  /// Below the system's directory for temporary files.
  TemporaryDirectory() : TemporaryDirectory(std::filesystem::temp_directory_path()) {}
  /// Throws EnvironmentError when it cannot be made there.
  explicit TemporaryDirectory(const std::filesystem::path& parent);
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();

  const std::filesystem::path& path() const { return path_; }
  /// Writes a file in it, and returns its path.
  std::filesystem::path write(std::string_view name, std::string_view text) const;

 private:
  std::filesystem::path path_;
};

}  // namespace msda
