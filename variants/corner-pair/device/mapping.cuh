// Left and right corner of a point lie side by side in memory. Half of a row's lanes read the left
// column and half the right, so that a warp's request is one run of twice the bytes: fewer cache
// lines are touched twice, and each lane has two taps per point where it had four.
#pragma once

#include <msda/slots/mapping.cuh>

namespace msda::corner_pair {

template <class K, class Parameters>
struct Mapping
    : LaneMapping<typename K::Problem,
                  LaneShape{.vector = vector_width<typename K::Problem>(Parameters::width),
                            .threads = Parameters::threads,
                            .channels = K::Problem::kChannels,
                            .sides = 2,
                            .interleaved = static_cast<int>(Parameters::interleaved)}> {};

}  // namespace msda::corner_pair
