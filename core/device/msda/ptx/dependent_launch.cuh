// Launches that begin while the one before them in the stream still runs (CUDA programming guide,
// "Programmatic Dependent Launch"; PTX ISA, "griddepcontrol", compute capability 9.0). Earlier
// architectures have none of it: who uses it asks kHasDependentLaunch and calls none of it.
#pragma once

#if defined(MSDA_SIMT_HOST)
#include <msda/simt/host/dependent_launch.cuh>
#else

namespace msda::ptx {

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
inline constexpr bool kHasDependentLaunch = true;
#else
inline constexpr bool kHasDependentLaunch = false;
#endif

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define MSDA_DEPENDENT(...) asm volatile(__VA_ARGS__)
#else
#define MSDA_DEPENDENT(...) __trap()
#endif

/// The next launch of the stream, where it is a dependent one, may begin as soon as all blocks have
/// come here or ended. What it does before griddepcontrol_wait() runs beside this one.
__device__ __forceinline__ void griddepcontrol_launch_dependents() {
  MSDA_DEPENDENT("griddepcontrol.launch_dependents;" ::: "memory");
}

/// Returns when the launches that this one depends on have ended and all that they wrote can be
/// seen; at once where this is no dependent launch. Before it a kernel leaves global memory alone.
__device__ __forceinline__ void griddepcontrol_wait() {
  MSDA_DEPENDENT("griddepcontrol.wait;" ::: "memory");
}

#undef MSDA_DEPENDENT

}  // namespace msda::ptx

#endif
