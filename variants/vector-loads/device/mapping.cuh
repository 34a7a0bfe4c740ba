// Several neighbouring channels per lane: one 16-byte load where there were eight of 2 bytes, and
// an eighth of the lanes that compute coordinates.
#pragma once

#include <msda/slots/mapping.cuh>

namespace msda::vector_loads {

template <class Problem, class Parameters>
using Mapping = LaneMapping<Problem, vector_width<Problem>(static_cast<int>(Parameters::width)),
                            static_cast<int>(Parameters::threads)>;

}  // namespace msda::vector_loads
