#include "statistics/noise_floor.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "statistics/table.hpp"

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

}  // namespace

std::optional<NoiseFloor> noise_floor(const Table& table) {
  const Row* row = typical_row(table);
  const Row* baseline = baseline_row(table);
  if (row == nullptr || baseline == nullptr) return std::nullopt;
  const auto log_ratio =
      estimate_log_ratio(baseline->record.samples, row->record.samples, table.planned);
  const auto smallest = log_ratio ? smallest_detectable(*log_ratio) : std::nullopt;
  if (!smallest || *smallest <= 0) return std::nullopt;
  NoiseFloor floor;
  if (row->repeats_baseline) floor.arm = row->record.arm;
  floor.ratio = to_ratio(*log_ratio);
  floor.smallest_effect = std::expm1(*smallest);
  return floor;
}

}  // namespace msda
