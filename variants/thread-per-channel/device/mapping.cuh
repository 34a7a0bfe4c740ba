// One lane for each channel of a row, one element per load.
#pragma once

#include <msda/slots/mapping.cuh>

namespace msda::thread_per_channel {

template <class Problem, class Parameters>
using Mapping = LaneMapping<Problem, 1, static_cast<int>(Parameters::threads)>;

}  // namespace msda::thread_per_channel
