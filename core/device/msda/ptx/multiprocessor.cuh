// What a multiprocessor tells of itself (PTX ISA, "Special Registers: %smid, %clock64"). What a
// kernel computes must not depend on it.
#pragma once

#if defined(MSDA_SIMT_HOST)
#include <msda/simt/host/multiprocessor.cuh>
#else

namespace msda::ptx {

/// Number of the multiprocessor that runs the thread.
__device__ __forceinline__ unsigned smid() {
  unsigned number = 0;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  return number;
}

/// Cycles of that multiprocessor since some moment.
__device__ __forceinline__ unsigned long long clock64() {
  unsigned long long now = 0;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
  return now;
}

}  // namespace msda::ptx

#endif
