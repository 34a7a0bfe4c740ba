// The grid of problems that every variant must get right or refuse with a reason.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "input/input.hpp"

namespace msda {

struct AwkwardProblem {
  Problem problem;
  Generation generation;
  bool hostile_locations = false;  ///< some are NaN or infinite
};

/// One-pixel levels, single and odd numbers of queries, points 1..8, channels 8..64, levels 1..5,
/// batches 1..3, every storage type, both layouts, points inside, outside, on borders and not
/// finite.
std::vector<AwkwardProblem> awkward_problems();

/// A small problem with these points, one number for each level or one for all.
Problem problem_with_points(std::vector<std::int64_t> points, const Types& types);

/// For the operator of that name.
Input make_input(const AwkwardProblem& awkward, std::string_view op = "forward");

}  // namespace msda
