// The GPU's clock (PTX ISA, "Special Registers: %globaltimer"). There is no body for the CPU: what
// a kernel computes must not depend on it.
#pragma once

namespace msda::ptx {

/// Nanoseconds since some moment, the same on all multiprocessors; it moves in steps of up to a
/// microsecond.
__device__ __forceinline__ unsigned long long globaltimer() {
  unsigned long long now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

}  // namespace msda::ptx
