// Threads of a block: indices, barriers and lane exchange. Device code calls these functions and no
// intrinsics, so that another executor than a GPU can provide bodies.
#pragma once

#include <msda/ptx/barrier.cuh>

namespace msda::simt {

inline constexpr int kWarpLanes = 32;
inline constexpr int kConsumerBarrier = 15;  ///< id of the named barrier of the consumer warps
inline constexpr int kProducerBarrier = 14;  ///< id of the named barrier of the producer warps

}  // namespace msda::simt

#if defined(MSDA_SIMT_HOST)
#include <msda/simt/host/thread.cuh>
#endif

namespace msda::simt {

#if !defined(MSDA_SIMT_HOST)

/// Number of the thread in its block.
__device__ __forceinline__ unsigned thread() { return threadIdx.x; }
/// Number of the block in the launch.
__device__ __forceinline__ unsigned block() { return blockIdx.x; }
/// Blocks of the launch.
__device__ __forceinline__ unsigned blocks() { return gridDim.x; }
/// Number of the thread in its warp.
__device__ __forceinline__ unsigned lane() { return threadIdx.x % kWarpLanes; }
/// Number of the warp in its block.
__device__ __forceinline__ unsigned warp() { return threadIdx.x / kWarpLanes; }

/// Barrier of all threads of the block.
__device__ __forceinline__ void syncthreads() { __syncthreads(); }
/// Barrier of the lanes in `mask`, which must be the lanes that call it.
__device__ __forceinline__ void syncwarp(unsigned mask = 0xffffffffU) { __syncwarp(mask); }

/// The value of the lane whose number differs in the bits of `lane_mask`. All lanes call it.
template <class T>
__device__ __forceinline__ T shfl_xor_sync(T value, int lane_mask) {
  return __shfl_xor_sync(0xffffffffU, value, lane_mask);
}
/// The value of the lane `lanes` below; the first `lanes` lanes keep theirs. All lanes call it.
template <class T>
__device__ __forceinline__ T shfl_up_sync(T value, int lanes) {
  return __shfl_up_sync(0xffffffffU, value, static_cast<unsigned>(lanes));
}
/// The value of lane `source_lane` of this lane's group of `width` lanes. All lanes call it.
template <class T>
__device__ __forceinline__ T shfl_sync(T value, int source_lane, int width = kWarpLanes) {
  return __shfl_sync(0xffffffffU, value, source_lane, width);
}

/// The lanes, as bits, whose `value` is this lane's. All lanes call it.
__device__ __forceinline__ unsigned match_any_sync(int value) {
  return __match_any_sync(0xffffffffU, value);
}

#endif

/// Reduction of the values of all 32 lanes by `combine(a, b)`, the same in all lanes. All 32 lanes
/// call this and the reductions that follow.
template <class T, class Combine>
__device__ __forceinline__ T warp_reduce(T value, const Combine& combine) {
#pragma unroll
  for (int step = kWarpLanes / 2; step > 0; step /= 2)
    value = combine(value, shfl_xor_sync(value, step));
  return value;
}

/// The sum of the values of this lane and of all lanes below.
template <class T>
__device__ __forceinline__ T warp_inclusive_sum(T value) {
#pragma unroll
  for (int lanes = 1; lanes < kWarpLanes; lanes *= 2) {
    const T below = shfl_up_sync(value, lanes);
    if (static_cast<int>(lane()) >= lanes) value += below;
  }
  return value;
}

/// The largest value of all lanes.
__device__ __forceinline__ float reduce_max_sync(float value) {
  return warp_reduce(value, [](float a, float b) { return fmaxf(a, b); });
}

// One instruction from compute capability 8.0 on.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
/// The smallest value of all lanes.
__device__ __forceinline__ int reduce_min_sync(int value) {
  return __reduce_min_sync(0xffffffffU, value);
}
__device__ __forceinline__ int reduce_max_sync(int value) {
  return __reduce_max_sync(0xffffffffU, value);
}
/// The bits that are set in any lane's value.
__device__ __forceinline__ unsigned reduce_or_sync(unsigned bits) {
  return __reduce_or_sync(0xffffffffU, bits);
}
#else
__device__ __forceinline__ int reduce_min_sync(int value) {
  return warp_reduce(value, [](int a, int b) { return min(a, b); });
}
__device__ __forceinline__ int reduce_max_sync(int value) {
  return warp_reduce(value, [](int a, int b) { return max(a, b); });
}
__device__ __forceinline__ unsigned reduce_or_sync(unsigned bits) {
  return warp_reduce(bits, [](unsigned a, unsigned b) { return a | b; });
}
#endif

/// Whether it holds in all lanes. All lanes call it.
__device__ __forceinline__ bool all_sync(bool holds) {
#if defined(MSDA_SIMT_HOST)
  return reduce_or_sync(holds ? 0U : 1U) == 0;
#else
  return __all_sync(0xffffffffU, holds) != 0;
#endif
}

#if !defined(MSDA_SIMT_HOST)

/// Number of the lowest bit set in `bits`, which is not 0.
__device__ __forceinline__ int lowest_bit(unsigned bits) {
  return __ffs(static_cast<int>(bits)) - 1;
}

/// Stores the larger of both, and returns the old value.
template <class T>
__device__ __forceinline__ T atomic_max(T* address, T value) {
  return atomicMax(address, value);
}
/// Stores the sum of both, and returns the old value.
template <class T>
__device__ __forceinline__ T atomic_add(T* address, T value) {
  return atomicAdd(address, value);
}

/// Stores `value` if the old value is `expected`, and returns the old value.
__device__ __forceinline__ unsigned atomic_cas(unsigned* address, unsigned expected,
                                               unsigned value) {
  return atomicCAS(address, expected, value);
}
/// Orders this thread's earlier reads and writes before its later ones, for all threads of the GPU.
__device__ __forceinline__ void threadfence() { __threadfence(); }

/// Dynamic shared memory of the block, aligned to 128 bytes.
__device__ __forceinline__ unsigned char* shared_memory() {
  extern __shared__ __align__(128) unsigned char msda_shared[];
  return msda_shared;
}

/// The thread begins a tile of rows, perhaps the first tile of a work item. Counted by the
/// executor; no code on a GPU.
__device__ __forceinline__ void begin_tile(bool /*first*/) {}

/// The order of an image's `queries` has `query` at `position`. The executor refuses an order that
/// returns a query for two positions; no code on a GPU.
__device__ __forceinline__ void note_order(long long /*image*/, long long /*queries*/,
                                           long long /*position*/, long long /*query*/) {}

#if defined(__CUDACC_RTC__)  // has printf without a header, which exports would have to bring
/// Prints a line as printf does, with the block and the thread before it, to look into a kernel. A
/// GPU prints when the device is waited for next, lines of threads in any order.
template <class... Values>
__device__ void print(const char* format, Values... values) {
  printf("block %u thread %u: ", block(), thread());
  printf(format, values...);
  printf("\n");
}
#endif

#endif

}  // namespace msda::simt
