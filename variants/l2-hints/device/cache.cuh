// Values are read many times, by all blocks of an image; locations, weights and outputs once. So L2
// may evict values last and streams first, and loads of levels that are too large for L1, and of
// streams, may bypass L1.
#pragma once

#include <msda/slots/cache.cuh>
#include <msda/slots/source.cuh>

namespace msda::l2_hints {

template <class K, class Parameters>
struct Cache : DefaultCache<K, Parameters> {
  using Problem = typename K::Problem;
  // The choices of parameters "value" and "stream", in their order.
  enum Value { kDefault, kCg, kEvictLast };
  enum Stream { kPlainStream, kCgStream, kEvictFirst };
  static constexpr const char* idle() {
    return Parameters::stream != kPlainStream                            ? nullptr
           : Parameters::value == kDefault && Parameters::bypass_l1 == 0 ? "no hint is asked for"
                                                                         : all_levels_on_chip<K>();
  }

  /// Number of larger levels; of equal levels the earlier counts as larger.
  static constexpr int rank(int level) requires(K::Sizes::kFixed) {
    int larger = 0;
    for (int l = 0; l < Problem::kLevels; ++l) {
      const int mine = Problem::width(level) * Problem::height(level);
      const int other = Problem::width(l) * Problem::height(l);
      larger += other > mine || (other == mine && l < level) ? 1 : 0;
    }
    return larger;
  }
  /// Of run-time sizes by the order of pyramids, largest first.
  static constexpr int rank(int level) requires(!K::Sizes::kFixed) { return level; }

  template <int level, class Word>
  __device__ static Word load_value(const Word* p) {
    if constexpr (rank(level) < Parameters::bypass_l1) return ptx::ld_nc_l1_no_allocate(p);
    if constexpr (Parameters::value == kCg) return ptx::ld_cg(p);
    if constexpr (Parameters::value == kEvictLast) return ptx::ld_nc_evict_last(p);
    return ptx::ldg(p);
  }
  template <class Word>
  __device__ static Word load_stream(const Word* p) {
    if constexpr (Parameters::stream == kCgStream) return ptx::ld_cg(p);
    if constexpr (Parameters::stream == kPlainStream) return ptx::ldg(p);
    if constexpr (Parameters::stream_past_l1) return ptx::ld_nc_no_allocate_evict_first(p);
    return ptx::ld_nc_evict_first(p);
  }
  /// No store stays in L1, so that one of kind cg is a plain one.
  template <class Word>
  __device__ static void store_output(Word* p, Word v) {
    if constexpr (Parameters::stream == kEvictFirst) {
      ptx::st_cs(p, v);
    } else {
      *p = v;
    }
  }
};

}  // namespace msda::l2_hints
