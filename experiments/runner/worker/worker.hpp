// The worker process: owns the device and runs variants, so that what they break dies with it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace msda {

struct WorkerOptions {
  std::string device;                                     ///< "cpu", "cuda:N", "simt"
  std::vector<std::filesystem::path> plugin_directories;  ///< as given with --plugin-dir
  bool ceilings = false;  ///< measure the device's ceilings (cached) before saying "ready"
};

/// Speaks the protocol on stdin and stdout until the parent closes its end. Returns the exit code.
int run_worker(const WorkerOptions& options);

}  // namespace msda
