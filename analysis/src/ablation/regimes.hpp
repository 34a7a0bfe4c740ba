// The same arms in different timing modes: a winner with a warm cache need not win with a cold one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "statistics/table.hpp"

namespace msda {

/// An arm in one mode.
struct RegimeCell {
  double median_seconds = 0;      ///< 0 without a time
  std::optional<double> speedup;  ///< against the baseline in the same mode
  std::optional<Interval> speedup_95;
  int rank = 0;  ///< 1 is the fastest; 0 without a time
};

struct RegimeRow {
  std::string arm;
  std::vector<RegimeCell> cells;  ///< one for each mode
  /// Arms that this one significantly beats in one mode and significantly loses to in another (both
  /// 95% intervals exclude 1).
  std::vector<std::string> flips_with;
};

/// One problem that was measured in more than one mode.
struct RegimeTable {
  std::string problem;
  std::vector<TimingMode> modes;
  std::vector<RegimeRow> rows;
};

/// One for each problem with tables in more than one mode.
std::vector<RegimeTable> compare_regimes(const std::vector<Table>& tables);

}  // namespace msda
