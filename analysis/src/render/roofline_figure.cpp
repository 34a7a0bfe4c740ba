#include "render/roofline_figure.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "render/text.hpp"

namespace msda {
namespace {

using Json = nlohmann::json;

/// Bytes gathered for each byte from DRAM; 0 where a record does not say.
double reuse_of(const Record& record) {
  if (record.minimum_dram_bytes <= 0) return 0;
  return static_cast<double>(record.gathered_bytes) /
         static_cast<double>(record.minimum_dram_bytes);
}

void add_arms(const Table& table, Json& values) {
  const Row* best = nullptr;
  for (const Row& row : table.rows) {
    if (row.timed() && (best == nullptr || row.median_seconds < best->median_seconds)) best = &row;
  }
  for (const Row& row : table.rows) {
    if (!row.speed_of_light || reuse_of(row.record) <= 0) continue;
    const double rate = static_cast<double>(row.record.gathered_bytes) / row.median_seconds;
    const std::string arm = printable_line(row.record.arm);
    values.push_back({{"problem", printable_line(table.problem)},
                      {"arm", arm},
                      {"reuse", reuse_of(row.record)},
                      {"rate", rate},
                      {"best", &row == best},
                      {"tip", fmt::format("{}, {}: {:.2f} TB/s gathered, {:.1f}% of the roof", arm,
                                          printable_line(table.problem), rate * 1e-12,
                                          *row.speed_of_light * 100)}});
  }
}

void add_roof(const Ceilings& ceilings, Json& values) {
  const double ridge = ceilings.gather_bytes_per_second / ceilings.dram_bytes_per_second;
  double least = ridge;
  double most = ridge;
  for (const Json& value : values) {
    least = std::min(least, value["reuse"].get<double>());
    most = std::max(most, value["reuse"].get<double>());
  }
  constexpr double kMargin = 1.5;
  for (const double reuse : {least / kMargin, ridge, most * kMargin}) {
    values.push_back({{"reuse", reuse},
                      {"rate", std::min(ceilings.gather_bytes_per_second,
                                        reuse * ceilings.dram_bytes_per_second)}});
  }
}

}  // namespace

Json roofline_values(const std::vector<const Table*>& tables) {
  Json values = Json::array();
  for (const Table* table : tables) add_arms(*table, values);
  if (!values.empty()) add_roof(tables.front()->ceilings, values);
  return values;
}

}  // namespace msda
