#include "render/headline.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "render/text.hpp"

namespace msda {
namespace {

/// Rows with a time, without the baseline's own copy, the fastest first: by their ratio to the
/// baseline where all have one, because medians over a whole run still hold the drift that ratios
/// inside blocks do not.
std::vector<const Row*> fastest_first(const Table& table) {
  std::vector<const Row*> timed;
  for (const Row& row : table.rows) {
    if (row.timed() && !row.repeats_baseline) timed.push_back(&row);
  }
  const bool all_have_ratios =
      std::all_of(timed.begin(), timed.end(), [](const Row* row) { return row->speedup; });
  std::stable_sort(timed.begin(), timed.end(), [&](const Row* a, const Row* b) {
    if (all_have_ratios) return *a->speedup > *b->speedup;
    return a->median_seconds < b->median_seconds;
  });
  return timed;
}

std::string how_sure(const RatioEstimate& estimate) {
  return msda::how_sure(estimate.interval_95, estimate.replication, estimate.replicates);
}

std::string name(const Row& row) { return printable_line(row.record.arm); }

/// "is the fastest" only where the next arm is surely slower; else it merely "leads".
std::string_view first_place(const std::vector<const Row*>& timed) {
  const auto ratio = estimate_ratio(timed[1]->record.samples, timed[0]->record.samples);
  return ratio && classify(*ratio) == Difference::kFaster ? "is the fastest" : "leads";
}

std::string comparison_with_baseline(const Row& fastest, const Row& baseline,
                                     std::string_view place) {
  const auto ratio = estimate_ratio(baseline.record.samples, fastest.record.samples);
  if (!ratio) {
    return fmt::format("{} has the lowest median, but no block in common with the baseline {}.",
                       name(fastest), name(baseline));
  }
  switch (classify(*ratio)) {
    case Difference::kFaster:
      return fmt::format("{} {}: {} the speed of the baseline {} ({}).", name(fastest), place,
                         ratio_text(ratio->ratio), name(baseline), how_sure(*ratio));
    case Difference::kEqual:
      return fmt::format(
          "No arm beats the baseline {}: the fastest, {}, is equal to it within "
          "{:.0f}% ({}).",
          name(baseline), name(fastest), kEquivalence * 100, how_sure(*ratio));
    default:
      return fmt::format(
          "{} leads with {} the speed of the baseline {}, but that is "
          "undecided ({}).",
          name(fastest), ratio_text(ratio->ratio), name(baseline), how_sure(*ratio));
  }
}

/// How far `next` lies behind `fastest`.
std::string gap(const Row& fastest, const Row& next) {
  const auto ratio = estimate_ratio(next.record.samples, fastest.record.samples);
  if (!ratio) return fmt::format("The next, {}, has no block in common with it.", name(next));
  switch (classify(*ratio)) {
    case Difference::kFaster:
      return fmt::format("The next, {}, takes {} its time ({}).", name(next),
                         ratio_text(ratio->ratio), how_sure(*ratio));
    case Difference::kEqual:
      return fmt::format("{} is equal to it within {:.0f}% ({}).", name(next), kEquivalence * 100,
                         how_sure(*ratio));
    default:
      return fmt::format("Whether {} is slower is undecided: it takes {} its time ({}).",
                         name(next), ratio_text(ratio->ratio), how_sure(*ratio));
  }
}

/// "3 right, 1 wrong" of the arms without a time, or "".
std::string untimed_counts(const Table& table) {
  constexpr std::array<std::string_view, 7> kWithoutTime{
      "right", "wrong", "skipped", "failed", "crashed", "hung", "interrupted"};
  std::string text;
  for (const std::string_view verdict : kWithoutTime) {
    const auto count = std::count_if(table.rows.begin(), table.rows.end(),
                                     [&](const Row& row) { return row.verdict == verdict; });
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, verdict);
  }
  return text;
}

std::string lone_arm(const Row& row) {
  return fmt::format("{} is the only arm with a time: {}.", name(row),
                     time_scale(row.median_seconds).text(row.median_seconds));
}

}  // namespace

std::string headline(const Table& table) {
  const std::vector<const Row*> timed = fastest_first(table);
  const std::string untimed = untimed_counts(table);
  if (timed.empty()) {
    return untimed.empty() ? "No arm has a time." : fmt::format("No arm has a time: {}.", untimed);
  }
  const Row& fastest = *timed.front();
  const auto baseline = std::find_if(timed.begin(), timed.end(),
                                     [](const Row* row) { return row->verdict == "baseline"; });
  std::string text;
  if (timed.size() == 1) {
    text = lone_arm(fastest);
  } else if (baseline == timed.end()) {
    text = fmt::format("{} {}, {}; the baseline has no time to compare with. {}", name(fastest),
                       first_place(timed),
                       time_scale(fastest.median_seconds).text(fastest.median_seconds),
                       gap(fastest, *timed[1]));
  } else if (&fastest == *baseline) {
    text = fmt::format("The baseline {} {}. {}", name(fastest), first_place(timed),
                       gap(fastest, *timed[1]));
  } else {
    text = comparison_with_baseline(fastest, **baseline, first_place(timed));
    if (timed[1] != *baseline) text += " " + gap(fastest, *timed[1]);
  }
  if (!untimed.empty()) text += fmt::format(" Without a time: {}.", untimed);
  return text;
}

}  // namespace msda
