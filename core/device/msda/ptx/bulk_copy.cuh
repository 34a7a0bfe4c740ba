// Bulk and tensor copies by the Tensor Memory Accelerator (TMA) of compute capability 9.0: one
// thread issues them and an mbarrier counts their bytes (PTX ISA, "cp.async.bulk" and
// "cp.async.bulk.tensor"). Bulk reductions go the other way, in groups of the thread that issues
// them (PTX ISA, "cp.reduce.async.bulk"). Addresses in shared memory are of this block. Code that
// also compiles for earlier devices tests kHasTma.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#if defined(MSDA_SIMT_HOST)
#include <msda/simt/host/bulk_copy.cuh>
#else

#include <msda/ptx/barrier.cuh>

namespace msda::ptx {

// True in nvcc's host pass too, which computes launch plans of exported kernels.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
inline constexpr bool kHasTma = true;
#else
inline constexpr bool kHasTma = false;
#endif

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define MSDA_TMA(...) asm volatile(__VA_ARGS__ : "memory")
#else
#define MSDA_TMA(...) __trap()
#endif

/// Arrives, and announces `bytes` of copies that complete in this phase.
__device__ __forceinline__ void mbarrier_arrive_expect_tx(Barrier* barrier, unsigned bytes) {
  MSDA_TMA(
      "{\n.reg .b64 state;\n"
      "mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1;\n}" ::"r"(shared_address(barrier)),
      "r"(bytes));
}

/// Orders this thread's earlier accesses of shared memory before bulk copies and reductions that
/// begin later.
__device__ __forceinline__ void fence_proxy_async() {
  MSDA_TMA("fence.proxy.async.shared::cta;" ::);
}

/// Copies `bytes` contiguous bytes. Both addresses and `bytes` are multiples of 16.
__device__ __forceinline__ void cp_async_bulk(void* shared, const void* global, unsigned bytes,
                                              Barrier* barrier) {
  MSDA_TMA(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(shared)),
      "l"(global), "r"(bytes), "r"(shared_address(barrier)));
}

/// Copies the box at (x, y, z) of the tensor of `map` to `shared`, a multiple of 128 bytes.
/// Elements outside the tensor become zeros.
__device__ __forceinline__ void cp_async_bulk_tensor(void* shared, const void* map, int x, int y,
                                                     int z, Barrier* barrier) {
  MSDA_TMA(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(shared)),
      "l"(map), "r"(x), "r"(y), "r"(z), "r"(shared_address(barrier)));
}
__device__ __forceinline__ void cp_async_bulk_tensor(void* shared, const void* map, int x, int y,
                                                     int z, int w, Barrier* barrier) {
  MSDA_TMA(
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4, %5}], [%6];" ::"r"(shared_address(shared)),
      "l"(map), "r"(x), "r"(y), "r"(z), "r"(w), "r"(shared_address(barrier)));
}

#define MSDA_BULK_ADD(TYPE)                                               \
  MSDA_TMA("cp.reduce.async.bulk.global.shared::cta.bulk_group.add." TYPE \
           " [%0], [%1], %2;" ::"l"(global),                              \
           "r"(shared_address(shared)), "r"(bytes))

/// Adds `bytes` contiguous bytes of numbers to as many in global memory, each atomically. Both
/// addresses and `bytes` are multiples of 16. It belongs to the open group of the calling thread.
__device__ __forceinline__ void cp_reduce_async_bulk_add(float* global, const float* shared,
                                                         unsigned bytes) {
  MSDA_BULK_ADD("f32");
}
__device__ __forceinline__ void cp_reduce_async_bulk_add(__half* global, const __half* shared,
                                                         unsigned bytes) {
  MSDA_BULK_ADD("noftz.f16");
}
__device__ __forceinline__ void cp_reduce_async_bulk_add(__nv_bfloat16* global,
                                                         const __nv_bfloat16* shared,
                                                         unsigned bytes) {
  MSDA_BULK_ADD("noftz.bf16");
}
__device__ __forceinline__ void cp_reduce_async_bulk_add(int* global, const int* shared,
                                                         unsigned bytes) {
  MSDA_BULK_ADD("s32");
}
__device__ __forceinline__ void cp_reduce_async_bulk_add(unsigned long long* global,
                                                         const unsigned long long* shared,
                                                         unsigned bytes) {
  MSDA_BULK_ADD("u64");
}

#undef MSDA_BULK_ADD

/// Ends a group of bulk reductions: those that this thread has begun since the last group.
__device__ __forceinline__ void cp_async_bulk_commit_group() {
  MSDA_TMA("cp.async.bulk.commit_group;" ::);
}

/// Waits until at most `pending` of this thread's groups of bulk reductions still read shared
/// memory.
template <int pending>
__device__ __forceinline__ void cp_async_bulk_wait_group_read() {
  MSDA_TMA("cp.async.bulk.wait_group.read %0;" ::"n"(pending));
}

/// Prefetches a tensor map into the cache that TMA reads it from.
__device__ __forceinline__ void prefetch_tensormap(const void* map) {
  MSDA_TMA("prefetch.tensormap [%0];" ::"l"(map));
}

#undef MSDA_TMA

}  // namespace msda::ptx

#endif
