#include "ablation/regimes.hpp"

#include <algorithm>

namespace msda {
namespace {

/// By the ratio to the baseline, in which drift cancels, where both have one.
bool is_ahead(const Row& a, const Row& b) {
  if (a.speedup && b.speedup) return *a.speedup > *b.speedup;
  return a.median_seconds < b.median_seconds;
}

int rank_of(const Table& table, const Row& row) {
  return 1 + static_cast<int>(std::ranges::count_if(table.rows, [&](const Row& other) {
           return other.timed() && is_ahead(other, row);
         }));
}

RegimeCell cell_of(const Table& table, const std::string& arm) {
  RegimeCell cell;
  const Row* row = find_row(table, arm);
  if (row == nullptr || !row->timed()) return cell;
  cell.median_seconds = row->median_seconds;
  cell.speedup = row->speedup;
  cell.speedup_95 = row->speedup_95;
  cell.rank = rank_of(table, *row);
  return cell;
}

/// Whether `a` is significantly the faster or the slower of the two in a mode.
Difference compare_in(const Table& table, const std::string& a, const std::string& b) {
  const Row* first = find_row(table, a);
  const Row* second = find_row(table, b);
  if (first == nullptr || second == nullptr || !first->timed() || !second->timed()) {
    return Difference::kUndecided;
  }
  const auto ratio = estimate_ratio(second->record.samples, first->record.samples, table.planned);
  return ratio ? classify(*ratio) : Difference::kUndecided;
}

bool flips(const std::vector<const Table*>& tables, const std::string& a, const std::string& b) {
  bool faster = false;
  bool slower = false;
  for (const Table* table : tables) {
    const Difference difference = compare_in(*table, a, b);
    faster = faster || difference == Difference::kFaster;
    slower = slower || difference == Difference::kSlower;
  }
  return faster && slower;
}

/// Whether two arms stand in the same order in every mode, which spares the estimate.
bool same_order(const RegimeRow& a, const RegimeRow& b) {
  int ahead = 0;
  int behind = 0;
  for (std::size_t m = 0; m < a.cells.size(); ++m) {
    if (a.cells[m].rank == 0 || b.cells[m].rank == 0) continue;
    if (a.cells[m].rank < b.cells[m].rank) ++ahead;
    if (a.cells[m].rank > b.cells[m].rank) ++behind;
  }
  return ahead == 0 || behind == 0;
}

RegimeTable regimes_of(const std::vector<const Table*>& tables) {
  RegimeTable regimes;
  regimes.problem = tables.front()->problem;
  for (const Table* table : tables) regimes.modes.push_back(table->mode);
  for (const Row& row : tables.front()->rows) {
    RegimeRow& regime = regimes.rows.emplace_back();
    regime.arm = row.record.arm;
    for (const Table* table : tables) regime.cells.push_back(cell_of(*table, regime.arm));
  }
  for (std::size_t a = 0; a < regimes.rows.size(); ++a) {
    for (std::size_t b = a + 1; b < regimes.rows.size(); ++b) {
      RegimeRow& first = regimes.rows[a];
      RegimeRow& second = regimes.rows[b];
      if (same_order(first, second) || !flips(tables, first.arm, second.arm)) continue;
      first.flips_with.push_back(second.arm);
      second.flips_with.push_back(first.arm);
    }
  }
  return regimes;
}

}  // namespace

std::vector<RegimeTable> compare_regimes(const std::vector<Table>& tables) {
  std::vector<std::vector<const Table*>> problems;
  for (const Table& table : tables) {
    const auto found = std::ranges::find_if(
        problems, [&](const auto& group) { return group.front()->problem == table.problem; });
    if (found == problems.end()) {
      problems.push_back({&table});
    } else {
      found->push_back(&table);
    }
  }
  std::vector<RegimeTable> regimes;
  for (const auto& group : problems) {
    if (group.size() > 1) regimes.push_back(regimes_of(group));
  }
  return regimes;
}

}  // namespace msda
