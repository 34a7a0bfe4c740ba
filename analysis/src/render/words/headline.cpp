#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "render/text/text.hpp"
#include "render/words/words.hpp"
#include "statistics/outside.hpp"

namespace msda {
namespace {

std::string name(const Row& row) { return arm_text(row); }

std::string how_sure(const RatioEstimate& estimate) {
  return msda::how_sure(estimate.interval_95, estimate.replication, estimate.replicates);
}

/// Of a ratio that was the best of several: its interval holds for all of them.
std::string how_sure_of_best(const Leader& leader) {
  std::string sure = how_sure(*leader.over_baseline);
  if (leader.compared < 2 || !leader.over_baseline->interval_95) return sure;
  return fmt::format("{}, for the best of {}", sure, leader.compared);
}

/// The best and its rivals: "a and b", "a, b and c", "a, b and 3 more".
std::string first_ones(const Table& table, const Leader& leader) {
  constexpr std::size_t kMost = 3;
  const std::size_t count = leader.rivals.size() + 1;
  const std::size_t named = count <= kMost ? count - 1 : kMost - 1;
  std::string text = name(table.rows[leader.best]);
  if (count == 1) return text;
  for (std::size_t i = 1; i < named; ++i) text += ", " + name(table.rows[leader.rivals[i - 1]]);
  if (count <= kMost) return text + " and " + name(table.rows[leader.rivals.back()]);
  return fmt::format("{} and {} more", text, count - named);
}

/// "base, which takes 1.000 ms"
std::string baseline_and_time(const Table& table) {
  const Row* baseline = baseline_row(table);
  if (baseline == nullptr || !baseline->timed()) return "the baseline";
  return fmt::format("{}, which takes {}", name(*baseline),
                     time_scale(baseline->median_seconds).text(baseline->median_seconds));
}

/// How far everybody else is behind an arm that is the fastest.
std::string field_behind(const Table& table, const Leader& leader, std::size_t arms) {
  const RatioEstimate& next = *leader.next_over_best;
  if (arms == 2) {
    return fmt::format("{} takes {} its time ({}).", name(table.rows[leader.next]),
                       ratio_text(next.ratio), how_sure(next));
  }
  return fmt::format("Every other arm takes at least {} its time; the next, {}, {}.",
                     ratio_text(leader.margin), name(table.rows[leader.next]),
                     ratio_text(next.ratio));
}

std::string sole_winner(const Table& table, const Leader& leader, std::size_t arms) {
  const Row& best = table.rows[leader.best];
  if (leader.best != leader.candidate) {
    return fmt::format("The baseline {} is the fastest. {}", name(best),
                       field_behind(table, leader, arms));
  }
  if (!leader.over_baseline) {
    return fmt::format("{} is the fastest, {}; the baseline has no time to compare with. {}",
                       name(best), time_scale(best.median_seconds).text(best.median_seconds),
                       field_behind(table, leader, arms));
  }
  const std::string first = fmt::format("{} is the fastest: {} the speed of {} ({}).", name(best),
                                        ratio_text(leader.over_baseline->ratio),
                                        baseline_and_time(table), how_sure_of_best(leader));
  return arms == 2 ? first : first + " " + field_behind(table, leader, arms);
}

/// "1.945x to 2.000x": ratios of those that share the first place.
std::string shared_ratios(const Table& table, const Leader& leader) {
  double low = leader.over_baseline->ratio;
  double high = low;
  for (const std::size_t rival : leader.rivals) {
    const double ratio = table.rows[rival].speedup.value_or(high);
    low = std::min(low, ratio);
    high = std::max(high, ratio);
  }
  const std::string from = ratio_text(low);
  const std::string to = ratio_text(high);
  return from == to ? from : from + " to " + to;
}

std::string shared_win(const Table& table, const Leader& leader) {
  return fmt::format("{} are the fastest and indistinguishable: {} the speed of {} ({}: {}).",
                     first_ones(table, leader), shared_ratios(table, leader),
                     baseline_and_time(table), name(table.rows[leader.best]),
                     how_sure_of_best(leader));
}

/// Rows are each compared by itself; the leader was picked among them, which asks for more.
std::string none_significantly_faster(const Table& table, const Leader& leader,
                                      const Row& baseline) {
  const std::size_t single = count_faster(table);
  const std::string best = fmt::format(
      "the best estimate is {} with {} its speed ({})", name(table.rows[leader.candidate]),
      ratio_text(leader.over_baseline->ratio), how_sure_of_best(leader));
  if (single == 0) {
    return fmt::format("No arm is significantly faster than the baseline {}: {}.", name(baseline),
                       best);
  }
  return fmt::format(
      "Each compared alone with the baseline {}, {} of {} arms {} faster; with the intervals that "
      "hold for the best of several, none is: {}.",
      name(baseline), single, leader.compared, single == 1 ? "is" : "are", best);
}

std::string no_winner(const Table& table, const Leader& leader) {
  const Row* baseline = baseline_row(table);
  if (baseline == nullptr || !baseline->timed()) {
    return fmt::format(
        "{} are the fastest and indistinguishable; the baseline has no time to compare with.",
        first_ones(table, leader));
  }
  if (!leader.over_baseline) {
    return fmt::format("{} has the lowest median, but no block in common with the baseline {}.",
                       name(table.rows[leader.candidate]), name(*baseline));
  }
  if (classify(*leader.over_baseline) == Difference::kEqual && count_faster(table) == 0) {
    return fmt::format(
        "No arm beats the baseline {}: the fastest, {}, is equal to it within "
        "{:.0f}% ({}).",
        name(*baseline), name(table.rows[leader.candidate]), kEquivalence * 100,
        how_sure_of_best(leader));
  }
  return none_significantly_faster(table, leader, *baseline);
}

/// "3 right, 1 wrong" of the arms without a time, or "".
std::string untimed_counts(const Table& table) {
  constexpr std::array<std::string_view, 8> kWithoutTime{
      "right", "wrong", "impossible", "skipped", "failed", "crashed", "hung", "interrupted"};
  std::string text;
  for (const std::string_view verdict : kWithoutTime) {
    const auto count =
        std::ranges::count_if(table.rows, [&](const Row& row) { return row.verdict == verdict; });
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, verdict);
  }
  return text;
}

bool is_all_right(const Table& table) {
  return !table.rows.empty() &&
         std::ranges::all_of(table.rows, [](const Row& row) { return row.verdict == "right"; });
}

/// The baseline's code under another name takes no place of its own, but has a time in the table.
std::string of_only_arm(const Table& table, const Row& only) {
  const std::string time = time_scale(only.median_seconds).text(only.median_seconds);
  const auto copy = std::ranges::find_if(
      table.rows, [](const Row& row) { return row.timed() && row.repeats_baseline; });
  if (copy == table.rows.end()) {
    return fmt::format("{} is the only arm with a time: {}.", name(only), time);
  }
  return fmt::format(
      "{} and {} are one arm, the same composition twice: there is nothing to compare. {} "
      "takes {}.",
      name(only), name(*copy), name(only), time);
}

std::string of_timed(const Table& table, const std::vector<const Row*>& timed) {
  const auto& leader = table.leader;
  if (!leader) return of_only_arm(table, *timed.front());
  switch (leader->standing) {
    case Standing::kFastest: return sole_winner(table, *leader, timed.size());
    case Standing::kShared: return shared_win(table, *leader);
    case Standing::kNone: break;
  }
  return no_winner(table, *leader);
}

/// Of arms whose time leaves out work that they do: the ratio with that work beside it.
std::string outside_work(const Table& table) {
  std::string text;
  for (const Row& row : table.rows) {
    if (!row.timed() || !has_outside_work(row.record)) continue;
    const auto with = ratio_with_outside(table, row);
    text += outside_sentence(name(row), with ? ratio_text(with->ratio) : "");
  }
  return text;
}

}  // namespace

std::string outside_sentence(const std::string& arm, const std::string& ratio) {
  std::string text = fmt::format(" {} does a part of its work outside the timed part", arm);
  if (!ratio.empty()) text += fmt::format(": with that part {} the speed of the baseline", ratio);
  return text + ".";
}

std::string headline(const Table& table) {
  const std::vector<const Row*> timed = fastest_first(table);
  const std::string untimed = untimed_counts(table);
  if (timed.empty()) {
    if (is_all_right(table)) {
      const std::string arms =
          table.rows.size() == 1 ? "The arm is" : fmt::format("All {} arms are", table.rows.size());
      return arms + " right; this device verifies and measures no time.";
    }
    return untimed.empty() ? "No arm has a time." : fmt::format("No arm has a time: {}.", untimed);
  }
  const std::string text = of_timed(table, timed) + outside_work(table);
  return untimed.empty() ? text : fmt::format("{} Without a time: {}.", text, untimed);
}

}  // namespace msda
