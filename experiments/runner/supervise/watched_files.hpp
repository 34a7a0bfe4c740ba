// The files whose code a run measures, and those of its tensors: every worker loads them anew,
// under hashes of the run's beginning.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "runner/plan/plan.hpp"

namespace msda {

/// The files that arms name (libraries of external kernels), and those of the tensors in the
/// directories that problems name.
std::vector<std::filesystem::path> named_files(const Plan& plan, const Registry& registry);

class WatchedFiles {
 public:
  /// The program, the plugins of the registry, and named_files(), as they are now.
  WatchedFiles(const std::filesystem::path& program, const Plan& plan, const Registry& registry);

  /// Throws EnvironmentError that names the first file that is another one by now. Callable from
  /// several threads at a time.
  void check() const;

 private:
  std::map<std::filesystem::path, std::string> hashes_;  ///< "" of a file that is not there
};

}  // namespace msda
