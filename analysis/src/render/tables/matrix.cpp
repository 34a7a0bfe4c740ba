#include "render/tables/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "render/text/text.hpp"
#include "render/words/words.hpp"

namespace msda {
namespace {

/// A number whose interval leaves open on which side of 1 it lies says so.
std::string cell_text(double ratio, std::string_view verdict) {
  return short_ratio(ratio) + (verdict == "undecided" ? "?" : "");
}

std::string tip_of(const Table& table, const Row& row) {
  std::string text =
      fmt::format("{} at {}: {}", printable_line(row.record.arm), place_of(table), row.verdict);
  if (row.timed()) text += ", " + time_scale(row.median_seconds).text(row.median_seconds);
  if (row.speedup) text += ", " + ratio_text(*row.speedup, row.speedup_95);
  if (row.is_vacuous()) text += ", no effect";
  return text;
}

/// As wide as a number.
std::string short_status(const std::string& verdict) {
  if (verdict == "skipped") return "skip";
  if (verdict == "failed") return "fail";
  if (verdict == "crashed") return "crash";
  return verdict == "impossible" ? "imposs" : verdict;
}

MatrixCell cell_of(const Table& table, const Row* row) {
  if (row == nullptr) return {};
  MatrixCell cell;
  cell.verdict = row->verdict;
  cell.ratio = row->speedup;
  cell.tip = tip_of(table, *row);
  if (row->speedup && !row->record.baseline) {
    cell.text = cell_text(*row->speedup, row->verdict);
  } else if (row->timed()) {
    cell.text = time_scale(row->median_seconds).text(row->median_seconds);
  } else {
    cell.text = short_status(row->verdict);
  }
  return cell;
}

/// Arms in the order in which tables name them, the baseline's copy last.
std::vector<const Row*> arms_of(const std::vector<Table>& tables) {
  std::vector<const Row*> arms;
  for (const Table& table : tables) {
    for (const Row& row : table.rows) {
      const bool is_known = std::ranges::any_of(
          arms, [&](const Row* known) { return known->record.arm == row.record.arm; });
      if (!is_known) arms.push_back(&row);
    }
  }
  std::stable_partition(arms.begin(), arms.end(),
                        [](const Row* row) { return !row->repeats_baseline; });
  return arms;
}

/// The winner of a column, or those that share the first place.
void mark_places(const Table& table, std::size_t column, std::vector<MatrixRow>& rows) {
  const auto& leader = table.leader;
  if (!leader || leader->standing == Standing::kNone) return;
  const auto mark = [&](std::size_t row, Place place) {
    for (MatrixRow& candidate : rows) {
      if (candidate.name == printable_line(table.rows[row].record.arm)) {
        candidate.cells[column].place = place;
      }
    }
  };
  mark(leader->best, leader->standing == Standing::kFastest ? Place::kFirst : Place::kShared);
  for (const std::size_t rival : leader->rivals) mark(rival, Place::kShared);
}

/// Once the rows' names are not needed any more.
void mark_if_vacuous(const std::vector<Table>& tables, MatrixRow& row) {
  std::size_t all = 0;
  std::size_t vacuous = 0;
  for (const Table& table : tables) {
    for (const Row& arm : table.rows) {
      if (printable_line(arm.record.arm) != row.name) continue;
      ++all;
      if (arm.is_vacuous()) ++vacuous;
    }
  }
  if (vacuous > 0) row.name += vacuous == all ? " (no effect)" : " (no effect in part)";
}

MatrixCell effect_cell(const AblationTable& table, const Effect* effect) {
  if (effect == nullptr) return {};
  MatrixCell cell;
  cell.verdict = std::string(name_of(effect->verdict));
  cell.ratio = effect->ratio;
  cell.text = effect->ratio ? cell_text(*effect->ratio, cell.verdict) : "-";
  cell.tip =
      fmt::format("{} at {}: {}", printable_line(effect->label), place_of(table), cell.verdict);
  if (effect->ratio) cell.tip += ", " + ratio_text(*effect->ratio, effect->ratio_95);
  return cell;
}

const Effect* find_effect(const EffectFamily* family, const std::string& label) {
  if (family == nullptr) return nullptr;
  const auto found = std::find_if(family->effects.begin(), family->effects.end(),
                                  [&](const Effect& effect) { return effect.label == label; });
  return found == family->effects.end() ? nullptr : &*found;
}

std::vector<const AblationTable*> tables_with_effects(const Report& report) {
  std::vector<const AblationTable*> tables;
  if (!report.ablation) return tables;
  for (const AblationTable& table : report.ablation->tables) {
    if (telling_family(table) != nullptr) tables.push_back(&table);
  }
  return tables;
}

}  // namespace

std::string short_ratio(double ratio) {
  if (ratio < 9.995) return fmt::format("{:.2f}", ratio);
  return fmt::format("{:.{}f}", ratio, ratio < 99.95 ? 1 : 0);
}

std::optional<double> mean_ratio(const MatrixRow& row) {
  double sum = 0;
  int count = 0;
  for (const MatrixCell& cell : row.cells) {
    if (!cell.ratio) continue;
    sum += std::log(*cell.ratio);
    ++count;
  }
  return count == 0 ? std::nullopt : std::optional(std::exp(sum / count));
}

bool Matrix::has_several_modes() const {
  return std::ranges::any_of(
      columns, [this](const MatrixColumn& one) { return one.mode != columns.front().mode; });
}

bool Matrix::goes_on(std::size_t column) const {
  return column > 0 && columns[column].problem == columns[column - 1].problem;
}

std::optional<Matrix> arm_matrix(const Report& report) {
  if (report.tables.empty()) return std::nullopt;
  Matrix matrix{
      "Arms: times the speed of the baseline, whose row has its median time", "arm", {}, {}};
  for (const Table& table : report.tables) {
    matrix.columns.push_back({printable_line(table.problem), table.mode});
  }
  std::vector<MatrixRow> copies;
  for (const Row* arm : arms_of(report.tables)) {
    MatrixRow row{printable_line(arm->record.arm), {}, arm->record.baseline};
    for (const Table& table : report.tables) {
      row.cells.push_back(cell_of(table, find_row(table, arm->record.arm)));
    }
    (arm->repeats_baseline ? copies : matrix.rows).push_back(std::move(row));
  }
  std::ranges::stable_sort(matrix.rows, [](const MatrixRow& a, const MatrixRow& b) {
    return mean_ratio(a).value_or(0) > mean_ratio(b).value_or(0);
  });
  for (std::size_t column = 0; column < report.tables.size(); ++column) {
    mark_places(report.tables[column], column, matrix.rows);
  }
  for (MatrixRow& row : matrix.rows) mark_if_vacuous(report.tables, row);
  for (MatrixRow& copy : copies) matrix.rows.push_back(std::move(copy));
  return matrix;
}

std::optional<Matrix> factor_matrix(const Report& report) {
  const std::vector<const AblationTable*> tables = tables_with_effects(report);
  if (tables.empty()) return std::nullopt;
  const EffectFamily& first = *telling_family(*tables.front());
  Matrix matrix{fmt::format("Factors: speed-up, {}", view_of(first.kind)), "factor", {}, {}};
  for (const AblationTable* table : tables) {
    matrix.columns.push_back({printable_line(table->problem), table->mode});
  }
  MatrixRow together{"all together", {}, false};
  for (const AblationTable* table : tables) {
    const EffectFamily* total = find_family(*table, EffectKind::kTotal);
    together.cells.push_back(
        effect_cell(*table, total == nullptr ? nullptr : &total->effects.front()));
  }
  if (mean_ratio(together)) matrix.rows.push_back(std::move(together));
  for (const Effect& like : first.effects) {
    MatrixRow row{printable_line(like.label), {}, false};
    for (const AblationTable* table : tables) {
      row.cells.push_back(
          effect_cell(*table, find_effect(find_family(*table, first.kind), like.label)));
    }
    matrix.rows.push_back(std::move(row));
  }
  return matrix;
}

}  // namespace msda
