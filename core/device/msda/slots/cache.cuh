// Slot "cache": the hints of loads and stores. Value rows are read many times, locations and
// weights once, outputs never.
#pragma once

#include <msda/launch.cuh>
#include <msda/ptx/memory.cuh>

namespace msda {

/// Default: read-only loads through L1, plain stores.
template <class Problem, class Parameters>
struct DefaultCache {
  static constexpr Slot kSlot = kCache;
  /// A word of a value row of level `level`.
  template <int level, class Word>
  __device__ static Word load_value(const Word* p) {
    return ptx::load_readonly(p);
  }
  /// A word of locations, weights or anything else that is read once.
  template <class Word>
  __device__ static Word load_stream(const Word* p) {
    return ptx::load_readonly(p);
  }
  template <class Word>
  __device__ static void store_output(Word* p, Word v) {
    *p = v;
  }
};

}  // namespace msda
