// Products of small matrices that a warp holds in registers (PTX ISA, "Warp-level matrix
// instructions": mma.m16n8k16). Compute capability 8.0 and later.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#if defined(MSDA_SIMT_HOST)
#include <msda/simt/host/matrix.cuh>
#endif

namespace msda::ptx {

/// sums[16][8] += a[16][16] * b[16][8]: products of 16-bit elements T, sums in float32. All lanes
/// of the warp call it. Lane 4 * g + t holds
///
///   a[0] = row g,     columns 2t and 2t + 1      b[0] = column g, rows 2t and 2t + 1
///   a[1] = row g + 8, columns 2t and 2t + 1      b[1] = column g, rows 2t + 8 and 2t + 9
///   a[2] = row g,     columns 2t + 8 and 2t + 9  sums[0], sums[1] = row g,     columns 2t, 2t + 1
///   a[3] = row g + 8, columns 2t + 8 and 2t + 9  sums[2], sums[3] = row g + 8, columns 2t, 2t + 1
///
/// with the first of two elements in the lower half of a register.
#if !defined(MSDA_SIMT_HOST)
template <class T>
__device__ void mma_m16n8k16(float (&sums)[4], const unsigned (&a)[4], const unsigned (&b)[2]);

/// Defines mma_m16n8k16<T> with the element type TYPE of PTX. Volatile, so that it stays where
/// all lanes are together.
#define MSDA_PTX_MMA(T, TYPE)                                                             \
  template <>                                                                             \
  __device__ __forceinline__ void mma_m16n8k16<T>(float(&sums)[4], const unsigned(&a)[4], \
                                                  const unsigned(&b)[2]) {                \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." TYPE "." TYPE                   \
                 ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"   \
                 : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])             \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));     \
  }

MSDA_PTX_MMA(__half, "f16")
MSDA_PTX_MMA(__nv_bfloat16, "bf16")

#undef MSDA_PTX_MMA
#endif

/// Two elements of type T as one register of a fragment, each rounded to nearest even.
template <class T>
__device__ unsigned pack(float lower, float upper);

template <>
__device__ __forceinline__ unsigned pack<__half>(float lower, float upper) {
  const __half2 both = __floats2half2_rn(lower, upper);
  return reinterpret_cast<const unsigned&>(both);
}
template <>
__device__ __forceinline__ unsigned pack<__nv_bfloat16>(float lower, float upper) {
  const __nv_bfloat162 both = __floats2bfloat162_rn(lower, upper);
  return reinterpret_cast<const unsigned&>(both);
}

}  // namespace msda::ptx
