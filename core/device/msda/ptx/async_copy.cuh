// Asynchronous copies from global to shared memory (cp.async; PTX ISA, "Data Movement: Asynchronous
// copy").
#pragma once

#include <msda/ptx/barrier.cuh>

#if defined(MSDA_SIMT_HOST)
#include <msda/simt/host/async_copy.cuh>
#else

namespace msda::ptx {

/// Copies 4, 8 or 16 bytes, both addresses aligned to that.
template <int bytes>
__device__ __forceinline__ void cp_async(void* shared, const void* global) {
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  if constexpr (bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global) : "memory");
  } else {
    static_assert(bytes == 4 || bytes == 8, "cp.async copies 4, 8 or 16 bytes");
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(global), "n"(bytes)
                 : "memory");
  }
}

/// As cp_async(), through L1, which keeps values that are read again.
template <int bytes>
__device__ __forceinline__ void cp_async_ca(void* shared, const void* global) {
  static_assert(bytes == 4 || bytes == 8 || bytes == 16, "cp.async copies 4, 8 or 16 bytes");
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(global), "n"(bytes)
               : "memory");
}

/// Ends a group of copies: those that this thread has begun since the last group.
__device__ __forceinline__ void cp_async_commit_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

/// Waits until at most `pending` of this thread's groups are incomplete.
template <int pending>
__device__ __forceinline__ void cp_async_wait_group() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

/// Arrives at the barrier when all copies that this thread has begun are complete.
__device__ __forceinline__ void cp_async_mbarrier_arrive_noinc(Barrier* barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(barrier))
               : "memory");
}

}  // namespace msda::ptx

#endif
