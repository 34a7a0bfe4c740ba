// A lane group works on several rows at a time and keeps their sums in registers: the loads of one
// row hide the latency of the other's.
#pragma once

#include <msda/slots/mapping.cuh>

namespace msda::register_blocking {

template <class K, class Parameters>
struct Mapping
    : LaneMapping<typename K::Problem,
                  LaneShape{.vector = vector_width<typename K::Problem>(Parameters::width),
                            .threads = Parameters::threads,
                            .channels = K::Problem::kChannels,
                            .rows_per_lane = Parameters::rows}> {};

}  // namespace msda::register_blocking
