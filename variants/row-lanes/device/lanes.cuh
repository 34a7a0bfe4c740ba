// The lanes of a row: one or two sides, vectors of at most so many bytes.
#pragma once

#include <backward/lanes.cuh>

namespace msda::row_lanes {

template <class K, class Parameters>
struct Lanes
    : RowLaneMapping<typename K::Problem, RowLaneShape{.threads = Parameters::threads,
                                                       .sides = Parameters::sides,
                                                       .bytes = Parameters::bytes,
                                                       .blocks = Parameters::blocks,
                                                       .points = Parameters::points,
                                                       .levels_apart = Parameters::levels == 1}> {};

}  // namespace msda::row_lanes
