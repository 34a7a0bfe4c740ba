// A smaller problem in which a kernel does what it does in a large one.
#pragma once

#include <msda/launch.cuh>
#include <msda/problem.hpp>

namespace msda {

struct Scaled {
  Problem problem;      ///< the same but for batch and queries
  int multiprocessors;  ///< of the device that it runs on
};

/// Fewer images and queries, and a device that is smaller in the same measure, so that each block
/// has as many tiles as in the whole problem, or a few of many. Levels, heads, channels, points and
/// types stay: the compiled unit is the same, unless parameters follow from the number of queries.
/// Each of the `devices` that share the batch has as many images as one would have.
Scaled scaled_down(const Problem& problem, const LaunchPlan& plan, int multiprocessors,
                   int devices = 1);

}  // namespace msda
