// What became of each cell from one run to the next, as text.
#pragma once

#include <string>
#include <vector>

#include "report/compare.hpp"

namespace msda {

/// A table of all cells for the terminal.
std::string to_text(const std::vector<CellChange>& changes, double threshold);
/// JUnit XML: a test case for each cell, failed when it is worse, skipped when nothing is known.
std::string to_junit(const std::vector<CellChange>& changes);

}  // namespace msda
