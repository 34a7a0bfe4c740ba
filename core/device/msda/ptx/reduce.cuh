// Reductions to memory that return nothing (PTX ISA, "red"): relaxed, in any order.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <msda/ptx/barrier.cuh>

#if defined(MSDA_SIMT_HOST)
#include <msda/simt/host/reduce.cuh>
#else

namespace msda::ptx {

/// Adds n neighbouring numbers to those in global memory, whose address is a multiple of all their
/// bytes, at most 16. One instruction from compute capability 9.0 on for floating point, elsewhere
/// one for each word. Any thread calls it.
template <int n>
__device__ __forceinline__ void red_add(float* to, const float (&v)[n]) {
  static_assert(n == 1 || n == 2 || n == 4);
#if __CUDA_ARCH__ >= 900
  if constexpr (n == 4) {
    asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(v[0]),
                 "f"(v[1]), "f"(v[2]), "f"(v[3])
                 : "memory");
  } else if constexpr (n == 2) {
    asm volatile("red.relaxed.gpu.global.add.v2.f32 [%0], {%1, %2};" ::"l"(to), "f"(v[0]), "f"(v[1])
                 : "memory");
  } else
#endif
  {
#pragma unroll
    for (int i = 0; i < n; ++i) {
      asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" ::"l"(to + i), "f"(v[i]) : "memory");
    }
  }
}

/// The same for integers, of which an instruction adds one.
template <int n>
__device__ __forceinline__ void red_add(int* to, const int (&v)[n]) {
#pragma unroll
  for (int i = 0; i < n; ++i) {
    asm volatile("red.relaxed.gpu.global.add.s32 [%0], %1;" ::"l"(to + i), "r"(v[i]) : "memory");
  }
}

/// The same for numbers of 64 bits.
__device__ __forceinline__ void red_add(unsigned long long* to, const unsigned long long (&v)[1]) {
  asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(to), "l"(v[0]) : "memory");
}

/// The bits of one or two numbers of 16 bits.
template <class T>
__device__ __forceinline__ unsigned pair_bits(const T* two) {
  return *reinterpret_cast<const unsigned*>(two);
}

#define MSDA_RED_ADD_16(T, T2, TYPE)                               \
  template <int n>                                                 \
  __device__ __forceinline__ void red_add(T* to, const T(&v)[n]) { \
    static_assert(n == 1 || n == 2 || n == 4 || n == 8);           \
    if constexpr (n == 1) {                                        \
      atomicAdd(to, v[0]);                                         \
    } else {                                                       \
      alignas(16) T pairs[n];                                      \
      for (int i = 0; i < n; ++i) pairs[i] = v[i];                 \
      MSDA_RED_ADD_PAIRS(T2, TYPE)                                 \
    }                                                              \
  }
#if __CUDA_ARCH__ >= 900
#define MSDA_RED_ADD_PAIRS(T2, TYPE)                                                               \
  if constexpr (n == 8) {                                                                          \
    asm volatile("red.relaxed.gpu.global.add.noftz.v4." TYPE " [%0], {%1, %2, %3, %4};" ::"l"(to), \
                 "r"(pair_bits(pairs)), "r"(pair_bits(pairs + 2)), "r"(pair_bits(pairs + 4)),      \
                 "r"(pair_bits(pairs + 6))                                                         \
                 : "memory");                                                                      \
  } else if constexpr (n == 4) {                                                                   \
    asm volatile("red.relaxed.gpu.global.add.noftz.v2." TYPE " [%0], {%1, %2};" ::"l"(to),         \
                 "r"(pair_bits(pairs)), "r"(pair_bits(pairs + 2))                                  \
                 : "memory");                                                                      \
  } else {                                                                                         \
    asm volatile("red.relaxed.gpu.global.add.noftz." TYPE " [%0], %1;" ::"l"(to),                  \
                 "r"(pair_bits(pairs))                                                             \
                 : "memory");                                                                      \
  }
#else
#define MSDA_RED_ADD_PAIRS(T2, TYPE)                                                   \
  for (int i = 0; i < n; i += 2) {                                                     \
    atomicAdd(reinterpret_cast<T2*>(to + i), *reinterpret_cast<const T2*>(pairs + i)); \
  }
#endif
MSDA_RED_ADD_16(__half, __half2, "f16x2")
MSDA_RED_ADD_16(__nv_bfloat16, __nv_bfloat162, "bf16x2")
#undef MSDA_RED_ADD_PAIRS
#undef MSDA_RED_ADD_16

/// What shared_address() returns (ptx/barrier.cuh): bytes can be added to it.
using SharedAddress = unsigned;

/// Adds to a number in the block's shared memory. For float32 the hardware has no such addition:
/// a loop that compares and exchanges.
__device__ __forceinline__ void red_shared_add(SharedAddress to, int v) {
  asm volatile("red.relaxed.cta.shared.add.s32 [%0], %1;" ::"r"(to), "r"(v) : "memory");
}
__device__ __forceinline__ void red_shared_add(SharedAddress to, float v) {
  asm volatile("red.relaxed.cta.shared.add.f32 [%0], %1;" ::"r"(to), "f"(v) : "memory");
}

}  // namespace msda::ptx

#endif
