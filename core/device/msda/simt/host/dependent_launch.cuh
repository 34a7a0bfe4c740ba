// Host bodies of ptx/dependent_launch.cuh. Launches run one after the other, so no thread waits;
// the executor checks that no global memory is touched before the wait.
#pragma once

#include <msda/simt/host/executor.cuh>

namespace msda::ptx {

inline constexpr bool kHasDependentLaunch = true;

MSDA_UNCHECKED inline void griddepcontrol_launch_dependents() {
  simt::host::count(simt::host::kLaunchRelease);
}
MSDA_UNCHECKED inline void griddepcontrol_wait() {
  simt::host::count(simt::host::kLaunchWait);
  if (simt::host::executor != nullptr) simt::host::executor->griddepcontrol_wait();
}

}  // namespace msda::ptx
