// Programmatic dependent launch: the kernel's blocks start while blocks of the launch before still
// run, and wait before they touch global memory. This hides some microseconds of scheduling and of
// setting up blocks behind the end of the launch before.
#pragma once

#include <msda/ptx/dependent_launch.cuh>
#include <msda/slots/launch.cuh>

namespace msda::dependent_launch {

template <class K, class Parameters>
struct Launch {
  static constexpr const char* idle() {
    return kDependent ? nullptr : "launches of this architecture do not depend on each other";
  }
  static constexpr bool kDependent = ptx::kHasDependentLaunch;

  __device__ static void begin() {
    if constexpr (kDependent) {
      ptx::griddepcontrol_launch_dependents();
      ptx::griddepcontrol_wait();
    }
  }
};

}  // namespace msda::dependent_launch
