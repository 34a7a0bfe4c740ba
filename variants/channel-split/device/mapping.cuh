// Each block works on `channels` channels of its rows; a row's channels are spread over several
// blocks, which all compute the same coordinates. Less of the image's channels per block can be
// kept on chip.
#pragma once

#include <msda/slots/mapping.cuh>

namespace msda::channel_split {

template <class Problem, class Parameters>
using Mapping =
    LaneMapping<Problem,
                vector_width<Problem>(static_cast<int>(Parameters::width),
                                      static_cast<int>(Parameters::channels)),
                static_cast<int>(Parameters::threads), 1, static_cast<int>(Parameters::channels)>;

}  // namespace msda::channel_split
