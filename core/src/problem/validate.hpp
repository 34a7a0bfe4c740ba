// What makes a problem well-formed, and the words for one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <msda/operator.hpp>

namespace msda {

/// Throws UsageError that names the field, its value and the rule it breaks: sizes positive, at
/// most kMaxLevels levels, the byte count of every tensor and of all together inside 63 bits.
void validate(const Problem& problem, std::span<const TensorSpec> specs);

/// Bytes of all tensors but derived ones and outputs that nobody asks for: what one input set takes
/// in memory.
std::int64_t total_bytes(const Problem& problem, std::span<const TensorSpec> specs);

/// Throws UsageError unless `starts` and `spatial_size` are what `problem.levels` imply. The
/// message says which level starts where, where it ends, and what the consistent value is.
void validate_level_starts(const Problem& problem, const std::vector<std::int64_t>& starts,
                           std::int64_t spatial_size);

/// "4", or "3+6+3" where levels differ.
std::string points_text(const Problem& problem);

/// "B=48 Q=15422 H=1 C=32 L=4 P=8 fp16": for messages and reports.
std::string describe(const Problem& problem);

}  // namespace msda
