// The GPU's clock (PTX ISA, "Special Registers: %globaltimer"). There is no body for the CPU:
// results of a kernel must not depend on it.
#pragma once

namespace msda::ptx {

/// Nanoseconds since an unspecified moment, the same on all multiprocessors, in steps of up to a
/// microsecond.
__device__ __forceinline__ unsigned long long globaltimer() {
  unsigned long long now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

}  // namespace msda::ptx
