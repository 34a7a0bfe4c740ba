// A lane group works on several rows at a time and keeps their sums in registers: the loads of one
// row hide the latency of the other's.
#pragma once

#include <msda/slots/mapping.cuh>

namespace msda::register_blocking {

template <class Problem, class Parameters>
using Mapping = LaneMapping<Problem, vector_width<Problem>(static_cast<int>(Parameters::width)),
                            static_cast<int>(Parameters::threads), 1, Problem::kChannels,
                            static_cast<int>(Parameters::rows)>;

}  // namespace msda::register_blocking
