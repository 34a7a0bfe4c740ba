// Each block works on `channels` channels of its rows; a row's channels are spread over several
// blocks, which all compute the same coordinates. Less of the image's channels per block can be
// kept on chip.
#pragma once

#include <msda/slots/mapping.cuh>

namespace msda::channel_split {

template <class K, class Parameters>
struct Mapping
    : LaneMapping<typename K::Problem, LaneShape{.vector = vector_width<typename K::Problem>(
                                                     Parameters::width, Parameters::channels),
                                                 .threads = Parameters::threads,
                                                 .channels = Parameters::channels}> {};

}  // namespace msda::channel_split
