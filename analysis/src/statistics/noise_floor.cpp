#include "statistics/noise_floor.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "render/text.hpp"
#include "report.hpp"

namespace msda {
namespace {

double width_of(const Row& row) { return row.speedup_95->high / row.speedup_95->low; }

/// The pair's row, else the one with the median interval; nullptr where none has an interval.
const Row* typical_row(const Table& table) {
  std::vector<const Row*> rows;
  for (const Row& row : table.rows) {
    if (!row.speedup_95) continue;
    if (row.repeats_baseline) return &row;
    rows.push_back(&row);
  }
  if (rows.empty()) return nullptr;
  const auto middle = rows.begin() + static_cast<std::ptrdiff_t>((rows.size() - 1) / 2);
  std::nth_element(rows.begin(), middle, rows.end(),
                   [](const Row* a, const Row* b) { return width_of(*a) < width_of(*b); });
  return *middle;
}

const Row* baseline_of(const Table& table) {
  const auto found = std::find_if(table.rows.begin(), table.rows.end(),
                                  [](const Row& row) { return row.record.baseline; });
  return found == table.rows.end() ? nullptr : &*found;
}

}  // namespace

std::optional<NoiseFloor> noise_floor(const Table& table) {
  const Row* row = typical_row(table);
  const Row* baseline = baseline_of(table);
  if (row == nullptr || baseline == nullptr) return std::nullopt;
  const auto log_ratio = estimate_log_ratio(baseline->record.samples, row->record.samples);
  const auto smallest = log_ratio ? smallest_detectable(*log_ratio) : std::nullopt;
  if (!smallest || *smallest <= 0) return std::nullopt;
  NoiseFloor floor;
  if (row->repeats_baseline) floor.arm = row->record.arm;
  floor.ratio = to_ratio(*log_ratio);
  floor.smallest_effect = std::expm1(*smallest);
  return floor;
}

std::string to_text(const NoiseFloor& floor) {
  const std::string smallest = fmt::format(
      "{:.2g}% is the smallest effect that {} finds in 4 of 5 runs", floor.smallest_effect * 100,
      floor.arm.empty() ? "the arms' median interval" : "such an interval");
  if (floor.arm.empty()) return fmt::format("No A/A pair ran; {}.", smallest);
  const Difference difference = classify(floor.ratio);
  const std::string pair = fmt::format(
      "A/A pair: {} is the baseline's code once more, {}, {}; {}.", printable_line(floor.arm),
      ratio_text(floor.ratio.ratio, floor.ratio.interval_95), name_of(difference), smallest);
  const bool differs = difference == Difference::kFaster || difference == Difference::kSlower;
  if (!differs) return pair;
  return pair +
         " The baseline differs from itself: this run was noisier than its intervals say, and "
         "differences of that size mean nothing.";
}

}  // namespace msda
