// A value load asks for the whole 64, 128 or 256 bytes around it: the neighbouring pixel, which the
// next tap or the next query is likely to read, arrives in L2 with it.
#pragma once

#include <msda/slots/cache.cuh>
#include <msda/slots/source.cuh>

namespace msda::prefetch {

template <class K, class Parameters>
struct Cache : DefaultCache<K, Parameters> {
  static constexpr const char* idle() { return all_levels_on_chip<K>(); }

  template <int level, class Word>
  __device__ static Word load_value(const Word* p) {
    if constexpr (Parameters::bytes == 64) return ptx::load_prefetch_64(p);
    if constexpr (Parameters::bytes == 128) return ptx::load_prefetch_128(p);
    return ptx::load_prefetch_256(p);
  }
};

}  // namespace msda::prefetch
