// One lane for each channel of a row, one element per load.
#pragma once

#include <msda/slots/mapping.cuh>

namespace msda::thread_per_channel {

template <class K, class Parameters>
struct Mapping : LaneMapping<typename K::Problem, LaneShape{.vector = 1,
                                                            .threads = Parameters::threads,
                                                            .channels = K::Problem::kChannels}> {};

}  // namespace msda::thread_per_channel
