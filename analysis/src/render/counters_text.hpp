// Counters as a table and in words, for the terminal.
#pragma once

#include <string>
#include <vector>

#include "results/counters.hpp"

namespace msda {

/// One row for each main kernel with what usually bounds one, what each is bound by, and below the
/// table why each arm differs from `baseline`. Ends in a line end; "" without counters.
std::string counters_text(const std::vector<KernelCounters>& kernels, const std::string& baseline);

}  // namespace msda
