// The taps of a point, from the metadata slot to the loops.
#pragma once

#include <msda/composition.cuh>

namespace msda {

/// What one lane needs of a point: the offset of the footprint's anchor, from which taps have
/// constant distances, and the weight of each tap in the arithmetic's type. The size is a power of
/// two, so that neighbouring points are read as one vector.
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
