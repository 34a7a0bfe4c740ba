// Asynchronous copies from global to shared memory (cp.async; PTX ISA, "Data Movement: Asynchronous
// copy").
#pragma once

namespace msda::ptx {

/// Copies 4, 8 or 16 bytes, both addresses aligned to that.
template <int bytes>
__device__ __forceinline__ void copy_async(void* shared, const void* global) {
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  if constexpr (bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global) : "memory");
  } else {
    static_assert(bytes == 4 || bytes == 8, "cp.async copies 4, 8 or 16 bytes");
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(global), "n"(bytes)
                 : "memory");
  }
}

/// Ends a group: the copies that this thread has begun since the group before.
__device__ __forceinline__ void commit_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

/// Waits until at most `pending` of this thread's groups are under way.
template <int pending>
__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

}  // namespace msda::ptx
