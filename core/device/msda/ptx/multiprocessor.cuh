// Number and clock of a multiprocessor (PTX ISA, "Special Registers: %smid, %clock64"). Results of
// a kernel must not depend on them.
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

/// Clock cycles of that multiprocessor since an unspecified moment.
__device__ __forceinline__ unsigned long long clock64() {
  unsigned long long now = 0;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
  return now;
}

}  // namespace msda::ptx

#endif
