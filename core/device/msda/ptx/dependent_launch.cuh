// Launches that begin while the one before them in the stream still runs (CUDA programming guide,
// "Programmatic Dependent Launch"; PTX ISA, "griddepcontrol", compute capability 9.0). Earlier
// architectures have no such launches: code that compiles for them tests kHasDependentLaunch.
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

/// Lets the next launch of the stream, if it is a dependent one, begin as soon as all blocks have
/// called this or ended. Until its griddepcontrol_wait() it runs beside this launch.
__device__ __forceinline__ void griddepcontrol_launch_dependents() {
  MSDA_DEPENDENT("griddepcontrol.launch_dependents;" ::: "memory");
}

/// Returns when the launches that this one depends on have ended and their writes are visible;
/// immediately if this is no dependent launch. A kernel touches no global memory before.
__device__ __forceinline__ void griddepcontrol_wait() {
  MSDA_DEPENDENT("griddepcontrol.wait;" ::: "memory");
}

#undef MSDA_DEPENDENT

}  // namespace msda::ptx

#endif
