// Short vectors of elements as they lie in memory, and their conversion to float.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <msda/ptx/memory.cuh>

namespace msda {

/// The widest machine word, at most 16 bytes, that divides all of `bytes`.
template <class... Bytes>
constexpr int widest_word(Bytes... bytes) {
  int word = 16;
  while (((bytes % word != 0) || ...)) word /= 2;
  return word;
}

/// The greatest common divisor.
constexpr int common_divisor(int a, int b) { return b == 0 ? a : common_divisor(b, a % b); }

/// Copies `bytes` bytes in the widest words that divide `bytes` and `alignment`, of which both
/// addresses are multiples.
template <int bytes, int alignment = 16>
__device__ __forceinline__ void copy_words(void* to, const void* from) {
  constexpr int kWord = widest_word(bytes, alignment);
  using Word = ptx::Word<kWord>;
#pragma unroll
  for (int w = 0; w < bytes / kWord; ++w) {
    static_cast<Word*>(to)[w] = static_cast<const Word*>(from)[w];
  }
}

/// N neighbouring elements; N * sizeof(T) is 2, 4, 8, 16 or a multiple of 16 bytes.
template <class T, int N>
struct Vector {
  static constexpr int kBytes = N * static_cast<int>(sizeof(T));
  static constexpr int kWordBytes = kBytes < 16 ? kBytes : 16;
  static constexpr int kWords = kBytes / kWordBytes;
  static_assert(kWords * kWordBytes == kBytes, "a vector is made of whole words");
  using Word = ptx::Word<kWordBytes>;

  alignas(kWordBytes) T element[N];

  /// A vector made of the words that `word(i)` returns.
  template <class WordOf>
  __device__ __forceinline__ static Vector of_words(WordOf word) {
    Vector result;
#pragma unroll
    for (int i = 0; i < kWords; ++i) reinterpret_cast<Word*>(result.element)[i] = word(i);
    return result;
  }
  /// Reads with `load(const Word*)`, one call for each word.
  template <class Load>
  __device__ __forceinline__ static Vector read(const void* address, Load load) {
    return of_words([&](int i) { return load(static_cast<const Word*>(address) + i); });
  }
  /// Writes with `store(Word*, Word)`.
  template <class Store>
  __device__ __forceinline__ void write(void* address, Store store) const {
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
      store(static_cast<Word*>(address) + i, reinterpret_cast<const Word*>(element)[i]);
    }
  }
  __device__ __forceinline__ void set(int n, T value) { element[n] = value; }
};

__device__ __forceinline__ float to_float(float v) { return v; }
__device__ __forceinline__ float to_float(__half v) { return __half2float(v); }
__device__ __forceinline__ float to_float(__nv_bfloat16 v) { return __bfloat162float(v); }

/// Rounds to nearest even.
template <class T>
__device__ __forceinline__ T from_float(float v) {
  return T(v);
}

__device__ __forceinline__ __half2 half2_from_floats(float a, float b, __half) {
  return __floats2half2_rn(a, b);
}
__device__ __forceinline__ __nv_bfloat162 half2_from_floats(float a, float b, __nv_bfloat16) {
  return __floats2bfloat162_rn(a, b);
}

/// Converts several numbers, two with each instruction if T has 16 bits.
template <int n>
__device__ __forceinline__ void from_floats(const float (&from)[n], float (&to)[n]) {
#pragma unroll
  for (int i = 0; i < n; ++i) to[i] = from[i];
}
template <class T, int n>
__device__ __forceinline__ void from_floats(const float (&from)[n], T (&to)[n]) {
#pragma unroll
  for (int i = 0; i + 1 < n; i += 2) {
    const auto both = half2_from_floats(from[i], from[i + 1], T());
    to[i] = both.x;
    to[i + 1] = both.y;
  }
  if constexpr (n % 2 == 1) to[n - 1] = from_float<T>(from[n - 1]);
}

}  // namespace msda
