// What is left of a search's winners in fresh processes with unseen inputs. The best of many noisy
// measurements is better than it deserves (the winner's curse), so a gain counts only when samples
// that had no part in the choice show it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/record.hpp"
#include "statistics/statistics.hpp"

namespace msda {

/// A finalist against the baseline.
struct Confirmation {
  std::string arm;
  std::optional<double> gain;       ///< baseline time / time; absent without a time
  std::optional<Interval> gain_95;  ///< of this finalist alone
  double p = 1;                     ///< of "no difference", corrected over the finalists (Holm)
  /// The difference is significant at 5% and larger than what counts as equal.
  bool confirmed = false;
  std::string verdict;  ///< "confirmed", "not confirmed", "equal", "slower", or the cell's status
};

/// Of the records of one problem in one mode, those that are neither the baseline's nor have its
/// composition; the fastest first. Empty where the baseline has no time.
std::vector<Confirmation> confirm(const std::vector<Record>& records);

/// The first that is confirmed, or nullptr.
const Confirmation* confirmed_winner(const std::vector<Confirmation>& confirmations);

}  // namespace msda
