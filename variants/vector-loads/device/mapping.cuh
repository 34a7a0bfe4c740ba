// Several neighbouring channels per lane: one 16-byte load where there were eight of 2 bytes, and
// an eighth of the lanes that compute coordinates.
#pragma once

#include <msda/slots/mapping.cuh>

namespace msda::vector_loads {

template <class K, class Parameters>
struct Mapping
    : LaneMapping<typename K::Problem,
                  LaneShape{.vector = vector_width<typename K::Problem>(Parameters::width),
                            .threads = Parameters::threads,
                            .channels = K::Problem::kChannels}> {};

}  // namespace msda::vector_loads
