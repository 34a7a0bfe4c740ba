// Runs a composition on the device "simt" on a smaller problem and counts what its threads do.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <msda/launch.cuh>

#include "device/compiled_unit.hpp"
#include "evidence/counts.hpp"
#include "evidence/evidence.hpp"

namespace msda {

/// For the compositions of one problem on one device. Callable from several threads at a time.
class SimtCounter {
 public:
  SimtCounter(const Problem& problem, const DeviceInfo& device, const SmallInputs& inputs)
      : problem_(problem), device_(device), inputs_(inputs) {}

  /// Throws Unsupported where the composition does not run on simt, EnvironmentError where nothing
  /// compiles for it, and what a kernel that goes wrong there leaves.
  Counts count(const Composition& composition);

 private:
  const HostCompiler& compiler();
  /// Arms of one shape of launch share their input.
  const Input& input(const Problem& scaled);
  Counts run(const Composition& composition, const Build& build, const LaunchPlan& plan,
             const Problem& scaled, const DeviceInfo& on);

  const Problem& problem_;
  const DeviceInfo& device_;
  const SmallInputs& inputs_;
  std::mutex mutex_;
  std::optional<HostCompiler> compiler_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::unique_ptr<const Input>> made_;
};

}  // namespace msda
