// How small a difference a table can tell from none, shown by the baseline against itself.
#pragma once

#include <optional>
#include <string>

#include "statistics/statistics.hpp"

namespace msda {

struct Table;

struct NoiseFloor {
  /// The arm with the baseline's composition under another name (the A/A pair), or "".
  std::string arm;
  /// Baseline / that arm. Without a pair: of the arm whose interval has the median width.
  RatioEstimate ratio;
  /// Least change of time that an interval like that one calls different from none in 80% of runs,
  /// as a share: 0.004 is 0.4%.
  double smallest_effect = 0;
};

/// nullopt where no arm has an interval, or where all blocks agree to the last bit. Tables that
/// were made from records hold it.
std::optional<NoiseFloor> noise_floor(const Table& table);

}  // namespace msda
