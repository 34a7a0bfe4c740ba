#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "render/figures/values.hpp"
#include "render/tables/shapes.hpp"
#include "render/text/text.hpp"

namespace msda {
namespace {

using Json = nlohmann::json;

/// Lines in a figure: as many as its colours tell apart.
constexpr std::size_t kMostSwept = 8;

/// Arms that are the fastest on average, those without a ratio last.
std::set<std::string> best_arms(const std::vector<Table>& tables) {
  std::map<std::string, std::pair<double, int>> sums;
  for (const Table& table : tables) {
    for (const Row& row : table.rows) {
      if (!row.timed()) continue;
      auto& [sum, count] = sums[row.record.arm];
      sum += std::log(row.speedup.value_or(1));
      ++count;
    }
  }
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [arm, sum] : sums) order.emplace_back(-sum.first / sum.second, arm);
  std::ranges::sort(order);
  std::set<std::string> arms;
  for (const auto& [mean, arm] : order) {
    if (arms.size() < kMostSwept) arms.insert(arm);
  }
  return arms;
}

/// Tables of the first mode with the values they stand for, the least first.
std::vector<std::pair<double, const Table*>> tables_by_value(const Report& report,
                                                             const Sweep& sweep) {
  std::vector<std::pair<double, const Table*>> tables;
  for (const Table& table : report.tables) {
    const auto value = sweep.values.find(table.problem);
    const bool is_swept = value != sweep.values.end() && table.mode == report.tables.front().mode;
    if (is_swept) tables.emplace_back(value->second, &table);
  }
  std::ranges::sort(tables);
  return tables;
}

}  // namespace

Json sweep_values(const Report& report) {
  Json values = Json::array();
  const auto sweep = sweep_of(report.manifest.problems);
  if (!sweep) return values;
  const std::set<std::string> arms = best_arms(report.tables);
  double least = INFINITY;
  for (const Row& row : rows_of(report)) {
    if (row.timed()) least = std::min(least, row.median_seconds);
  }
  const Scale scale = time_scale(least);
  for (const auto& [swept, table] : tables_by_value(report, *sweep)) {
    for (const Row& row : table->rows) {
      if (!row.timed() || !arms.contains(row.record.arm)) continue;
      const std::string arm = printable_line(row.record.arm);
      values.push_back({{"arm", arm},
                        {"key", sweep->key},
                        {"unit", scale.unit},
                        {"value", swept},
                        {"time", row.median_seconds * scale.factor},
                        {"ratio", row.speedup.value_or(1)},
                        {"tip", fmt::format("{}, {} {:g}: {}{}", arm, sweep->key, swept,
                                            scale.text(row.median_seconds),
                                            row.speedup ? ", " + ratio_text(*row.speedup) : "")}});
    }
  }
  return values;
}

}  // namespace msda
