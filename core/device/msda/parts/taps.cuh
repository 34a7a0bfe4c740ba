// Where a lane reads for a point, and with which weights: what the metadata slot hands to the
// loops.
#pragma once

#include <msda/composition.cuh>

namespace msda {

/// What one lane needs for one point: the offset of the footprint's anchor, from which the taps lie
/// at constant distances, and the weight of each of its taps in the arithmetic's type. Padded to a
/// power of two of bytes, so that neighbouring points can be read as one vector.
template <class K>
struct alignas(sizeof(typename K::Source::Offset) +
                           kTaps<K> * sizeof(typename K::Arithmetic::Weight) <=
                       8
                   ? 8
                   : 16) Taps {
  typename K::Source::Offset offset;
  typename K::Arithmetic::Weight weight[kTaps<K>];
};

}  // namespace msda
