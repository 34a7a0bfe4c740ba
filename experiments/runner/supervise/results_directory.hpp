// The directory of one run, which belongs to that run alone while it goes on.
#pragma once

#include <filesystem>
#include <string>

namespace msda {

/// Locked while the object lives; in the end a directory that it created and that is still empty
/// goes away again.
class ResultsDirectory {
 public:
  /// A new one, results/<name>/<time>, with a number behind it when that is there already: two runs
  /// that begin in the same second have two. Throws EnvironmentError when it cannot be created.
  static ResultsDirectory create(const std::string& name);

  /// `path`, created when it is not there. Throws UsageError when a run has it that still goes on,
  /// EnvironmentError when it cannot be created or written.
  explicit ResultsDirectory(const std::filesystem::path& path);
  ~ResultsDirectory();
  ResultsDirectory(ResultsDirectory&& other) noexcept;
  ResultsDirectory(const ResultsDirectory&) = delete;
  ResultsDirectory& operator=(const ResultsDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  void lock();

  std::filesystem::path path_;
  std::filesystem::path first_created_;  ///< the outermost directory that was not there before
  int descriptor_ = -1;
};

/// "results/<name>": where the runs of an experiment lie by default.
std::filesystem::path default_results_parent(const std::string& name);

}  // namespace msda
