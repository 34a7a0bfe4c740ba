// The end of a run on a terminal: what pays, how sure that is, what to be careful about.
#pragma once

#include <cstddef>
#include <string>

#include "render/tables/matrix.hpp"

namespace msda {

/// The most lines that to_summary() prints.
inline constexpr std::size_t kSummaryLines = 18;

/// A matrix for a terminal of so many columns: of the factors in an ablation, else of the arms. One
/// that is too wide shows for each mode the mean over problems, the range, and how often an arm is
/// the fastest.
std::string matrix_text(const Matrix& matrix, std::size_t most_rows, std::size_t width,
                        bool colour);

/// Title, answer, the first matrix and warnings, in at most kSummaryLines lines that end in '\n'.
std::string to_summary(const Report& report, bool colour);

}  // namespace msda
