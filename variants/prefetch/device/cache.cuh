// A value load requests the aligned 64, 128 or 256 bytes around it, so that the neighbouring pixel,
// which the next tap or query is likely to read, arrives in L2 as well.
#pragma once

#include <msda/slots/cache.cuh>
#include <msda/slots/source.cuh>

namespace msda::prefetch {

template <class K, class Parameters>
struct Cache : DefaultCache<K, Parameters> {
  static constexpr const char* idle() { return all_levels_on_chip<K>(); }

  template <int level, class Word>
  __device__ static Word load_value(const Word* p) {
    if constexpr (Parameters::bytes == 64) return ptx::ld_nc_l2_64b(p);
    if constexpr (Parameters::bytes == 128) return ptx::ld_nc_l2_128b(p);
    return ptx::ld_nc_l2_256b(p);
  }
};

}  // namespace msda::prefetch
