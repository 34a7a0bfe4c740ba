// Two passes over the points: one adds to grad_value, the other gathers values for the gradients of
// points. Neither needs the other, so that sums can be cleared and added while values are read.
#pragma once

#include <backward/fusion.cuh>

namespace msda::two_passes {

template <bool is_divided, class K>
struct PassOf {};
template <class K>
struct PassOf<true, K> {
  using Prepass = backward::AddAlone<K>;
};

template <class K, class Parameters>
struct Fusion : PassOf<kMayBeDivided<K> && !K::kAddsAlone, K> {
  static constexpr bool kDivided = true;
  static constexpr bool kBeside = Parameters::order == 0;
  static constexpr const char* idle() {
    if (kMayBeDivided<K> || (kAddsApart<K> && kIsBeside<K>)) return nullptr;
    return "one kind of gradients alone is asked for or has a pass of its own already, the "
           "schedule "
           "counts, or sums are on chip";
  }
};

}  // namespace msda::two_passes
