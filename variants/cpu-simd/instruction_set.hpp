// The instruction sets that the vector code was built for, and which of them this machine has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "row_plan.hpp"

namespace msda::cpu_rows {

/// Widest first: "avx512", "avx2", "sse4", "portable" on x86-64, "portable" elsewhere.
std::vector<std::string> built_instruction_sets();

/// `name` is "auto", for the widest that can run, or one of built_instruction_sets(). Returns
/// nullptr when this machine has no such instructions.
RowFunction function_for(std::string_view name);

}  // namespace msda::cpu_rows
