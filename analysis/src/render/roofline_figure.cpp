#include "render/roofline_figure.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "render/text.hpp"

namespace msda {
namespace {

using Json = nlohmann::json;

/// Bytes gathered for each byte that has to be read or written; 0 where a record does not say.
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

/// Below the ridge: what all problems have to read comes from DRAM, or from the L2 where the mode
/// leaves it there and the device has a ceiling for that.
void add_roof(const Table& table, Json& values) {
  const Ceilings& ceilings = table.memory.ceilings;
  const bool cached = table.mode != TimingMode::kCold && ceilings.l2_bytes_per_second > 0;
  const double slope = cached ? ceilings.l2_bytes_per_second : ceilings.dram_bytes_per_second;
  const double flat = std::max(ceilings.gather_bytes_per_second, ceilings.shared_bytes_per_second);
  const double ridge = flat / slope;
  double least = ridge;
  double most = ridge;
  for (const Json& value : values) {
    least = std::min(least, value["reuse"].get<double>());
    most = std::max(most, value["reuse"].get<double>());
  }
  constexpr double kMargin = 1.5;
  for (const double reuse : {least / kMargin, ridge, most * kMargin}) {
    values.push_back({{"reuse", reuse}, {"rate", std::min(flat, reuse * slope)}});
  }
}

}  // namespace

Json roofline_values(const std::vector<const Table*>& tables) {
  Json values = Json::array();
  for (const Table* table : tables) add_arms(*table, values);
  if (!values.empty()) add_roof(*tables.front(), values);
  return values;
}

}  // namespace msda
