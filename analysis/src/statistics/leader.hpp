// Which arm of a table is the fastest, and what may be said of it although it was chosen by
// looking.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "statistics/statistics.hpp"

namespace msda {

struct Row;
struct Table;

/// Whether there is a fastest arm. Of many equal arms one always has the best estimate; that it is
/// given a place that it does not have happens in at most 5% of experiments.
enum class Standing {
  /// Every other arm is significantly slower: each of the comparisons says so by itself, which is
  /// known to
  /// hold its level for the arm with the best estimate (Gutmann and Maymin, "Is the selected
  /// population the best?", Ann. Statist. 15(1), 1987).
  kFastest,
  /// Surely faster than the baseline, in an interval that holds for all arms at once, and not told
  /// apart from some other arms.
  kShared,
  kNone,  ///< nothing is significantly faster than the baseline, nor the baseline than all others
};

/// Arms are indices of the table's rows.
struct Leader {
  Standing standing = Standing::kNone;
  std::size_t best = 0;       ///< has the best estimate; may be the baseline
  std::size_t candidate = 0;  ///< the best one that is not the baseline
  /// Others that are not significantly slower than `best`, the fastest first.
  std::vector<std::size_t> rivals;
  std::size_t next = 0;  ///< the fastest of the others
  /// Baseline time / candidate's time; its interval is one of those that hold at once for all arms.
  /// nullopt without a baseline that has a time.
  std::optional<RatioEstimate> over_baseline;
  std::size_t compared = 0;  ///< arms that `over_baseline` was chosen from
  /// Time of the next / time of the best.
  std::optional<RatioEstimate> next_over_best;
  /// Of kFastest: by so much at least every other arm is slower, in 95% of experiments.
  double margin = 1;
};

/// The baseline's own copy takes no part. nullopt where fewer than two arms have a time.
/// Tables that were made from records hold it.
std::optional<Leader> find_leader(const Table& table);

/// Rows with a time but for the baseline's own copy, the fastest first: by their ratio to the
/// baseline where all have one, because medians over a whole run still hold the drift that ratios
/// inside blocks do not.
std::vector<const Row*> fastest_first(const Table& table);

/// Arms that are faster than the baseline each by itself, as their rows say. Where there are some,
/// a leader that was picked among several may still not be.
std::size_t count_faster(const Table& table);

}  // namespace msda
