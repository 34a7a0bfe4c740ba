// Barriers of some of a block's warps: named barriers (bar.sync, bar.arrive) and mbarriers, which
// also count the bytes of asynchronous copies (PTX ISA, "Parallel Synchronization and Communication
// Instructions").
#pragma once

#if defined(MSDA_SIMT_HOST)
#include <msda/simt/host/barrier.cuh>
#else

namespace msda::ptx {

/// Waits at barrier `id`, 0 .. 15 (0 is the barrier of the block), until `threads` threads, whole
/// warps, have arrived there.
__device__ __forceinline__ void bar_sync(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
/// Arrives at barrier `id` without waiting.
__device__ __forceinline__ void bar_arrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/// An mbarrier, in shared memory. A phase is complete after the expected arrivals and after all
/// bytes that arrivals announced.
struct alignas(8) Barrier {
  unsigned long long state;
};

/// The address in shared memory, as instructions of PTX take it.
__device__ __forceinline__ unsigned shared_address(const void* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

/// Initialises a barrier for `arrivals` arrivals in each phase. One thread calls it; other threads
/// may use the barrier after fence_mbarrier_init() and a barrier of the block.
__device__ __forceinline__ void mbarrier_init(Barrier* barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals)
               : "memory");
}
/// Makes initialised barriers visible to asynchronous copies.
__device__ __forceinline__ void fence_mbarrier_init() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

/// Arrives, after this thread's earlier reads and writes.
__device__ __forceinline__ void mbarrier_arrive(Barrier* barrier) {
  asm volatile(
      "{\n.reg .b64 state;\n"
      "mbarrier.arrive.shared.b64 state, [%0];\n}" ::"r"(shared_address(barrier))
      : "memory");
}

#define MSDA_PHASE_IS_OVER(INSTRUCTION)                    \
  unsigned over = 0;                                       \
  asm volatile("{\n.reg .pred over;\n" INSTRUCTION         \
               ".parity.shared.b64 over, [%1], %2;\n"      \
               "selp.u32 %0, 1, 0, over;\n}"               \
               : "=r"(over)                                \
               : "r"(shared_address(barrier)), "r"(parity) \
               : "memory");                                \
  return over != 0

/// True if the phase of parity `parity` (0, 1, 0, ...) is complete.
__device__ __forceinline__ bool mbarrier_test_wait(Barrier* barrier, unsigned parity) {
  MSDA_PHASE_IS_OVER("mbarrier.test_wait");
}
/// As mbarrier_test_wait(), after a limited wait if the architecture has one.
__device__ __forceinline__ bool mbarrier_try_wait(Barrier* barrier, unsigned parity) {
#if __CUDA_ARCH__ >= 900
  MSDA_PHASE_IS_OVER("mbarrier.try_wait");
#else
  return mbarrier_test_wait(barrier, parity);
#endif
}
#undef MSDA_PHASE_IS_OVER
/// Waits until the phase of parity `parity` is complete.
__device__ __forceinline__ void mbarrier_wait(Barrier* barrier, unsigned parity) {
  while (!mbarrier_try_wait(barrier, parity)) {
  }
}

}  // namespace msda::ptx

#endif
