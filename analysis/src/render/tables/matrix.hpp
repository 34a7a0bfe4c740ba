// The picture that a report begins with: what every arm, or every factor, is worth at every problem
// in every mode, on one screen.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/report.hpp"

namespace msda {

/// One table of the report.
struct MatrixColumn {
  std::string problem;
  TimingMode mode = kUsualMode;
};

enum class Place {
  kNone,
  kFirst,   ///< significantly the fastest
  kShared,  ///< indistinguishable from the fastest
};

struct MatrixCell {
  std::string text;  ///< "1.68", "0.98?" where undecided, the baseline's median time, "wrong"; ""
  std::string verdict;          ///< of the table's row
  std::optional<double> ratio;  ///< baseline time / this time, or time without / with a factor
  Place place = Place::kNone;
  std::string tip;  ///< the whole of it, in words
};

struct MatrixRow {
  std::string name;
  std::vector<MatrixCell> cells;  ///< one for each column
  bool is_baseline = false;
};

struct Matrix {
  std::string title;   ///< "Arms", "Factors"
  std::string corner;  ///< what the rows are: "arm"
  std::vector<MatrixColumn> columns;
  std::vector<MatrixRow> rows;

  bool has_several_modes() const;
  /// Whether a column is of the same problem as the one before it.
  bool goes_on(std::size_t column) const;
};

/// Arms against tables, those that are the fastest on average first, the baseline's copy and arms
/// without a time last. nullopt without tables.
std::optional<Matrix> arm_matrix(const Report& report);

/// Factors of an ablation, averaged over the others where the design allows that, in the design's
/// order below all of them together. nullopt without effects.
std::optional<Matrix> factor_matrix(const Report& report);

/// Geometric mean of a row's ratios; nullopt without one.
std::optional<double> mean_ratio(const MatrixRow& row);

/// Three digits: "1.68", "12.4", "104".
std::string short_ratio(double ratio);

}  // namespace msda
