// What problems differ in: columns for files, and the one number that a sweep changes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "render/columns.hpp"
#include "results/manifest.hpp"

namespace msda {

/// Batch, queries, heads, channels, points, levels, types and where the sampling points lie.
const ColumnsOf<ProblemEntry>& shape_columns();

/// The one number in which problems differ.
struct Sweep {
  std::string key;                       ///< "batch", as files call the column
  std::map<std::string, double> values;  ///< by the problem's name
};

/// nullopt where fewer than three problems are left, or they differ in nothing, in more than one
/// property, or in one that is no number.
std::optional<Sweep> sweep_of(const std::vector<ProblemEntry>& problems);

}  // namespace msda
