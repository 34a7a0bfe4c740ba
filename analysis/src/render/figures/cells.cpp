#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "render/figures/values.hpp"
#include "render/text/text.hpp"

namespace msda {
namespace {

using Json = nlohmann::json;

/// Order statistics drawn for an arm.
constexpr std::size_t kMostTicks = 101;
/// Where an arm without any error stands on the logarithmic axis.
constexpr double kLeastError = 1e-9;

std::string arm_name(const Row& row) { return printable_line(row.record.arm); }

std::string time_text(double seconds) { return time_scale(seconds).text(seconds); }

/// The unit of a figure's times, which is that of the table.
Scale scale_of(const Rows& rows) {
  double least = INFINITY;
  for (const Row* row : rows) least = std::min(least, row->median_seconds);
  return time_scale(least);
}

/// Whether no other row is at least as fast and as accurate, and better in one of them.
bool on_front(const Row& row, const Rows& rows) {
  return std::ranges::none_of(rows, [&row](const Row* other) {
    const double error = row.record.worst_output().relative_l2;
    const double others = other->record.worst_output().relative_l2;
    const bool as_good = other->median_seconds <= row.median_seconds && others <= error;
    return as_good && (other->median_seconds < row.median_seconds || others < error);
  });
}

std::vector<double> sorted_samples(const Record& record) {
  std::vector<double> samples;
  for (const SampleBlock& block : record.samples) {
    samples.insert(samples.end(), block.seconds.begin(), block.seconds.end());
  }
  std::ranges::sort(samples);
  return samples;
}

/// The sample at `part` (0..1) of a sorted, not empty list.
double at_part(const std::vector<double>& sorted, double part) {
  const double last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(std::lround(part * last))];
}

/// Evenly spaced order statistics, the smallest and the largest among them.
Json thinned(const std::vector<double>& sorted) {
  if (sorted.size() <= kMostTicks) return sorted;
  Json values = Json::array();
  for (std::size_t i = 0; i < kMostTicks; ++i) {
    values.push_back(at_part(sorted, static_cast<double>(i) / (kMostTicks - 1)));
  }
  return values;
}

/// Where each block stands on a common axis: by process, then by block.
std::map<std::pair<int, int>, int> block_places(const Rows& rows) {
  std::map<std::pair<int, int>, int> places;
  for (const Row* row : rows) {
    for (const SampleBlock& block : row->record.samples) {
      if (!block.seconds.empty()) places[{block.process, block.block}] = 0;
    }
  }
  int next = 0;
  for (auto& [key, place] : places) place = next++;
  return places;
}

/// Bytes gathered for each byte that has to be read or written; 0 where a record does not say.
double reuse_of(const Record& record) {
  if (record.traffic.once() <= 0) return 0;
  return static_cast<double>(record.traffic.gathered) / static_cast<double>(record.traffic.once());
}

void add_arms(const Table& table, Json& values) {
  const Row* best = nullptr;
  for (const Row& row : table.rows) {
    if (row.timed() && (best == nullptr || row.median_seconds < best->median_seconds)) best = &row;
  }
  for (const Row& row : table.rows) {
    if (!row.speed_of_light || reuse_of(row.record) <= 0) continue;
    const double rate = static_cast<double>(row.record.traffic.gathered) / row.median_seconds;
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
  const bool cached = !traits_of(table.mode).flushes_caches && ceilings.l2_bytes_per_second > 0;
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

Json speedup_values(const Rows& rows) {
  Json values = Json::array();
  for (const Row* row : rows) {
    if (!row->speedup) continue;
    const Interval bounds = row->speedup_95.value_or(Interval{*row->speedup, *row->speedup});
    values.push_back(
        {{"arm", arm_name(*row)},
         {"speedup", *row->speedup},
         {"low", bounds.low},
         {"high", bounds.high},
         {"verdict", row->verdict},
         {"tip", fmt::format("{}: {}, {}", arm_name(*row),
                             ratio_text(*row->speedup, row->speedup_95), row->verdict)}});
  }
  return values;
}

Json pareto_values(const Rows& rows) {
  Json values = Json::array();
  const Scale scale = scale_of(rows);
  for (const Row* row : rows) {
    if (!row->compared()) continue;
    values.push_back({{"arm", arm_name(*row)},
                      {"time", row->median_seconds * scale.factor},
                      {"unit", scale.unit},
                      {"error", std::max(row->record.worst_output().relative_l2, kLeastError)},
                      {"front", on_front(*row, rows)},
                      {"tip", fmt::format("{}: {}, relative L2 {:.1e}", arm_name(*row),
                                          time_text(row->median_seconds),
                                          row->record.worst_output().relative_l2)}});
  }
  return values;
}

Json sol_values(const Rows& rows) {
  Json values = Json::array();
  for (const Row* row : rows) {
    if (!row->speed_of_light) continue;
    values.push_back(
        {{"arm", arm_name(*row)},
         {"share", *row->speed_of_light},
         {"tip", fmt::format("{}: {:.1f}% SOL ({}), {}", arm_name(*row), *row->speed_of_light * 100,
                             name_of(*row->bound), time_text(row->median_seconds))}});
  }
  return values;
}

Json sample_values(const Rows& rows) {
  Json values = Json::array();
  const Scale scale = scale_of(rows);
  for (const Row* row : rows) {
    const std::vector<double> sorted = sorted_samples(row->record);
    std::vector<double> scaled;
    scaled.reserve(sorted.size());
    for (const double seconds : sorted) scaled.push_back(seconds * scale.factor);
    const double first = at_part(sorted, 0.25);
    const double third = at_part(sorted, 0.75);
    values.push_back({{"arm", arm_name(*row)},
                      {"unit", scale.unit},
                      {"times", thinned(scaled)},
                      {"q1", first * scale.factor},
                      {"q3", third * scale.factor},
                      {"median", row->median_seconds * scale.factor},
                      {"tip", fmt::format("{}: median {}, quartiles {} and {}, {} samples",
                                          arm_name(*row), time_text(row->median_seconds),
                                          time_text(first), time_text(third), sorted.size())}});
  }
  return values;
}

Json block_values(const Rows& rows) {
  const auto places = block_places(rows);
  Json values = Json::array();
  for (const Row* row : rows) {
    for (const auto& [key, log_time] : log_medians(row->record.samples)) {
      const double seconds = std::exp(log_time);
      values.push_back({{"arm", arm_name(*row)},
                        {"index", places.at(key)},
                        {"process", key.first},
                        {"deviation", seconds / row->median_seconds - 1},
                        {"tip", fmt::format("{}: process {}, block {}, median {}", arm_name(*row),
                                            key.first, key.second, time_text(seconds))}});
    }
  }
  return values;
}

Json roofline_values(const std::vector<const Table*>& tables) {
  Json values = Json::array();
  for (const Table* table : tables) add_arms(*table, values);
  if (!values.empty()) add_roof(*tables.front(), values);
  return values;
}

}  // namespace msda
