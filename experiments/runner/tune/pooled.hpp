// The measurements of a set of problems as those of one.
#pragma once

#include <string>
#include <vector>

#include "results/record.hpp"

namespace msda {

/// One record for each arm that has one in each of `problems`, whose records are of one mode. Its
/// sample in a block is the geometric mean, over the problems, of the medians in that block; its
/// status is that of the first problem where it is not ok. Of one problem its records as they are.
std::vector<Record> pooled(const std::vector<std::vector<Record>>& problems);

/// The smallest, over the problems, of the time of the fastest arm over that of `arm`: 1 where it
/// is the fastest everywhere. 0 where it has no time on some problem.
double worst_of(const std::string& arm, const std::vector<std::vector<Record>>& problems);

}  // namespace msda
