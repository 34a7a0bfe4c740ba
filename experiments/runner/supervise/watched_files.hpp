// The files whose code a run measures: every worker loads them anew, under hashes of its beginning.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "runner/plan/plan.hpp"

namespace msda {

/// The files that arms name (libraries of external kernels).
std::vector<std::filesystem::path> files_of_arms(const Plan& plan, const Registry& registry);

class WatchedFiles {
 public:
  /// The program, the plugins of the registry, and the files that arms name, as they are now.
  WatchedFiles(const std::filesystem::path& program, const Plan& plan, const Registry& registry);

  /// Throws EnvironmentError that names the first file that is another one by now. Callable from
  /// several threads at a time.
  void check() const;

 private:
  std::map<std::filesystem::path, std::string> hashes_;  ///< "" of a file that is not there
};

}  // namespace msda
