// Several neighbouring channels per lane: one 16-byte load where there were eight of 2 bytes, and
// an eighth of the lanes that compute coordinates.
#pragma once

#include <msda/slots/mapping.cuh>

namespace msda::vector_loads {

/// `wanted`, or for 0 the widest power of two that 16 bytes hold and that divides the channels.
template <class Problem>
constexpr int width(int wanted) {
  if (wanted != 0) return wanted;
  int widest = 16 / static_cast<int>(sizeof(typename Problem::Value));
  while (Problem::kChannels % widest != 0) widest /= 2;
  return widest;
}

template <class Problem, class Parameters>
using Mapping = LaneMapping<Problem, width<Problem>(static_cast<int>(Parameters::width)),
                            static_cast<int>(Parameters::threads)>;

}  // namespace msda::vector_loads
