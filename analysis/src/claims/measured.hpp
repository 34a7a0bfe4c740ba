// What the quantity of a claim came to for its arms.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/claim.hpp"
#include "statistics/table.hpp"

namespace msda {

/// A measured number of one quantity.
struct MeasuredNumber {
  double value = 0;
  std::optional<Interval> interval_95;
  Replication replication = Replication::kNone;  ///< what the interval is over
  int replicates = 0;
  std::string over;  ///< of a speedup over the fastest of several arms: that one; else ""
};

/// The best of what some arms came to, and who has no part in it and why.
struct MeasuredClaim {
  std::optional<MeasuredNumber> best;  ///< none where no arm has the quantity
  std::vector<std::string> without;    ///< reasons, of arms of the claim
  std::vector<std::string> absent;     ///< of several arms it is over: "hf-fp16 (skipped)"
};

/// `quantity` of the best of `arms` in a table; a speedup is over the fastest of `over`, the
/// baseline when it is empty. Where several comparisons make up the number, each interval is
/// widened for how many they are (Bonferroni), so that all hold at once; then the best of the
/// truths lies between the best of the lower and the best of the upper bounds, whichever arm it is,
/// and likewise the truth over the fastest.
MeasuredClaim measure_claim(Claim::Quantity quantity, const Table& table,
                            const std::vector<std::string>& arms,
                            const std::vector<std::string>& over);

}  // namespace msda
