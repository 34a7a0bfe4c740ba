// Planes of several heads, which not every problem's heads fill, and lanes that are interleaved for
// them.
#pragma once

#include <vector>

#include "compose/composition.hpp"
#include "conformance/awkward_problems.hpp"

namespace msda {

/// Planes of 1, 2, 4 and 8 heads with lanes interleaved and not, beside every slot that asks where
/// channels of a head are: copies, layouts, encodings, clusters, producers.
std::vector<Composition> head_groups();

/// Where a launch leaves something in a workspace for those that follow, or may not.
std::vector<Composition> launches_in_a_row();

/// Of 1, 2, 3, 5, 6 and 8 heads, in all types, with blocks that come to several planes.
std::vector<AwkwardProblem> head_problems();

}  // namespace msda
