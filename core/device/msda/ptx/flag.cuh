// Flags in shared memory with release and acquire semantics (PTX ISA, "Memory Consistency Model"),
// for warps of one block that signal to each other without a barrier.
#pragma once

#if defined(MSDA_SIMT_HOST)
#include <msda/simt/host/flag.cuh>
#else

namespace msda::ptx {

/// Adds 1 to the flag, after this thread's earlier reads and writes.
__device__ __forceinline__ void red_release_add(unsigned* flag) {
  asm volatile("red.release.cta.shared.add.u32 [%0], 1;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(flag)))
               : "memory");
}

/// Waits until the flag is at least `count` (with a difference below 2^31), before this thread's
/// later reads and writes.
__device__ __forceinline__ void wait_for_flag(unsigned* flag, unsigned count) {
  unsigned seen = 0;
  do {
    asm volatile("ld.acquire.cta.shared.u32 %0, [%1];"
                 : "=r"(seen)
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(flag)))
                 : "memory");
  } while (static_cast<int>(seen - count) < 0);
}

}  // namespace msda::ptx

#endif
