// Runs of neighbouring elements in memory, of any length.
#pragma once

#include <msda/ptx/memory.cuh>
#include <msda/vector.cuh>

namespace msda::tensor_core_attempt {

/// `count` neighbouring elements.
template <class T, int count>
struct alignas(16) Elements {
  T element[count];

  static constexpr int kBytes = count * static_cast<int>(sizeof(T));
  static constexpr int kWordBytes = widest_word(kBytes);
  using Word = ptx::Word<kWordBytes>;

  /// All of them; `from` is aligned to kWordBytes.
  __device__ __forceinline__ static Elements read(const T* from) {
    Elements result;
#pragma unroll
    for (int w = 0; w < kBytes / kWordBytes; ++w) {
      reinterpret_cast<Word*>(result.element)[w] =
          ptx::ldg(reinterpret_cast<const Word*>(from) + w);
    }
    return result;
  }
  /// The first `valid` ones, zeros (all bits) after them.
  __device__ __forceinline__ static Elements read(const T* from, int valid) {
    Elements result = {};
#pragma unroll
    for (int i = 0; i < count; ++i) {
      if (i < valid) result.element[i] = from[i];
    }
    return result;
  }
  __device__ __forceinline__ void write(T* to) const { copy_words<kBytes>(to, element); }
  __device__ __forceinline__ void write(T* to, int valid) const {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      if (i < valid) to[i] = element[i];
    }
  }
};

}  // namespace msda::tensor_core_attempt
