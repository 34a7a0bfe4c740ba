#include "statistics/leader.hpp"

#include <algorithm>
#include <limits>

#include "statistics/table.hpp"

namespace msda {
namespace {

std::size_t index_of(const Table& table, const Row* row) {
  return static_cast<std::size_t>(row - table.rows.data());
}

/// Time of `slow` / time of `fast`.
std::optional<RatioEstimate> behind(const Table& table, const Row& slow, const Row& fast) {
  return estimate_ratio(slow.record.samples, fast.record.samples, table.planned);
}

bool is_significantly_slower(const std::optional<RatioEstimate>& ratio) {
  return ratio && classify(*ratio) == Difference::kFaster;
}

/// Everybody else against the best: rivals, and the margin where there is none.
void compare_with_best(const Table& table, const std::vector<const Row*>& timed, Leader& leader) {
  leader.margin = std::numeric_limits<double>::infinity();
  for (const Row* row : timed) {
    const std::size_t index = index_of(table, row);
    if (index == leader.best) continue;
    const auto ratio = behind(table, *row, table.rows[leader.best]);
    if (index == leader.next) leader.next_over_best = ratio;
    if (!is_significantly_slower(ratio)) leader.rivals.push_back(index);
    if (ratio && ratio->interval_95) {
      leader.margin = std::min(leader.margin, ratio->interval_95->low);
    }
  }
  if (!leader.rivals.empty()) leader.margin = 1;
}

/// One of `leader.compared` comparisons, the one that was chosen afterwards.
std::optional<RatioEstimate> over_baseline(const Table& table, const Row& baseline,
                                           const Leader& leader) {
  const auto log_ratio = estimate_log_ratio(
      baseline.record.samples, table.rows[leader.candidate].record.samples, table.planned);
  if (!log_ratio) return std::nullopt;
  RatioEstimate ratio = to_ratio(*log_ratio);
  ratio.interval_95 = joint_interval_95(*log_ratio, leader.compared);
  return ratio;
}

Standing standing_of(const Leader& leader) {
  if (leader.rivals.empty()) return Standing::kFastest;
  const bool beats_baseline = leader.best == leader.candidate && leader.over_baseline &&
                              classify(*leader.over_baseline) == Difference::kFaster;
  return beats_baseline ? Standing::kShared : Standing::kNone;
}

}  // namespace

std::vector<const Row*> fastest_first(const Table& table) {
  std::vector<const Row*> timed;
  for (const Row& row : table.rows) {
    const bool is_alike = row.record.op == table.rows.front().record.op;
    if (row.timed() && !row.repeats_baseline && is_alike) timed.push_back(&row);
  }
  const bool all_have_ratios =
      std::ranges::all_of(timed, [](const Row* row) { return row->speedup.has_value(); });
  std::ranges::stable_sort(timed, [&](const Row* a, const Row* b) {
    if (all_have_ratios) return *a->speedup > *b->speedup;
    return a->median_seconds < b->median_seconds;
  });
  return timed;
}

std::optional<Leader> find_leader(const Table& table) {
  const std::vector<const Row*> timed = fastest_first(table);
  if (timed.size() < 2) return std::nullopt;
  Leader leader;
  leader.best = index_of(table, timed[0]);
  leader.next = index_of(table, timed[1]);
  const Row* baseline = baseline_row(table);
  const bool has_baseline = baseline != nullptr && baseline->timed();
  leader.candidate = timed[0] != baseline ? leader.best : leader.next;
  leader.compared = timed.size() - (has_baseline ? 1 : 0);
  compare_with_best(table, timed, leader);
  if (has_baseline) leader.over_baseline = over_baseline(table, *baseline, leader);
  leader.standing = standing_of(leader);
  return leader;
}

std::size_t count_faster(const Table& table) {
  return static_cast<std::size_t>(std::ranges::count_if(table.rows, [](const Row& row) {
    return !row.repeats_baseline && row.verdict == name_of(Difference::kFaster);
  }));
}

}  // namespace msda
