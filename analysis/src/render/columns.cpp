#include "render/columns.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "render/text/text.hpp"

namespace msda {
namespace {

using Json = nlohmann::json;

/// Chosen by the least time or the largest rate.
Scale scale_of(ColumnUnit unit, const std::vector<Json>& values) {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const Json& value : values) {
    if (!value.is_number()) continue;
    least = std::min(least, value.get<double>());
    most = std::max(most, value.get<double>());
  }
  if (unit == ColumnUnit::kSeconds) return time_scale(least);
  return unit == ColumnUnit::kBytesPerSecond ? bytes_scale(most) : flops_scale(most);
}

std::optional<Interval> interval_in(const Json& estimate) {
  const Json& interval = estimate["interval"];
  if (interval.is_null()) return std::nullopt;
  return Interval{interval["low"], interval["high"]};
}

/// Whether some interval is over the blocks of one process: these hold the truth less often.
bool are_of_blocks(const std::vector<Json>& values) {
  return std::ranges::any_of(values, [](const Json& value) {
    if (!value.is_object() || value["interval"].is_null()) return false;
    return value["interval"].value("over", "") == name_of(Replication::kBlocks);
  });
}

std::string ratio_in(const Json& value) {
  if (!value.is_object()) return ratio_text(value);
  const Json& ratio = value["value"];
  return ratio.is_null() ? kAbsent : ratio_text(ratio, interval_in(value));
}

}  // namespace

std::string millijoules(double joules) {
  constexpr double kThreeDigits = 999.5;
  const double value = joules * 1e3;
  return value < kThreeDigits ? fmt::format("{:#.3g}", value) : fmt::format("{:.0f}", value);
}

Json to_value(const Interval& interval) { return {{"low", interval.low}, {"high", interval.high}}; }

Json to_value(const Estimate& estimate) {
  Json interval = to_value(estimate.interval_95);
  if (estimate.interval_95 && estimate.replication != Replication::kNone) {
    interval["over"] = name_of(estimate.replication);
    interval["count"] = estimate.replicates;
  }
  return {{"value", to_value(estimate.value)}, {"interval", std::move(interval)}};
}

Column column_as_set(const std::string& title, ColumnUnit unit, bool has_interval,
                     const std::vector<Json>& values) {
  switch (unit) {
    case ColumnUnit::kSeconds: return {fmt::format("{} [{}]", title, scale_of(unit, values).unit)};
    case ColumnUnit::kBytesPerSecond:
    case ColumnUnit::kFlopsPerSecond: return {scale_of(unit, values).unit};
    default:
      return {has_interval ? title + (are_of_blocks(values) ? " [blocks]" : " [95%]") : title};
  }
}

std::vector<std::string> in_unit(ColumnUnit unit, const std::vector<Json>& values) {
  const Scale scale = scale_of(unit, values);
  const auto text = [&](const Json& value) -> std::string {
    if (value.is_null()) return kAbsent;
    switch (unit) {
      case ColumnUnit::kText: return printable_line(value.get<std::string>());
      case ColumnUnit::kSeconds:
      case ColumnUnit::kBytesPerSecond:
      case ColumnUnit::kFlopsPerSecond: return scale.number(value);
      case ColumnUnit::kRatio: return ratio_in(value);
      case ColumnUnit::kShare: return fmt::format("{:.1f}%", value.get<double>() * 100);
      case ColumnUnit::kError: return fmt::format("{:.1e}", value.get<double>());
      case ColumnUnit::kTimes: return fmt::format("{:.3g}x", value.get<double>());
      case ColumnUnit::kProbability: return fmt::format("{:.2g}", value.get<double>());
      case ColumnUnit::kJoules: return millijoules(value.get<double>());
      case ColumnUnit::kWhole: return fmt::format("{:.0f}", value.get<double>());
    }
    return kAbsent;
  };
  std::vector<std::string> cells;
  cells.reserve(values.size());
  for (const Json& value : values) cells.push_back(text(value));
  return cells;
}

void drop_empty_columns(Section& section) {
  for (std::size_t column = section.columns.size(); column-- > 0;) {
    const bool is_empty =
        section.columns[column].number && !section.rows.empty() &&
        std::ranges::all_of(section.rows, [&](const auto& row) { return row[column] == kAbsent; });
    if (!is_empty) continue;
    const auto at = static_cast<std::ptrdiff_t>(column);
    section.columns.erase(section.columns.begin() + at);
    for (auto& row : section.rows) row.erase(row.begin() + at);
  }
}

std::string footnote(std::vector<std::string>& reasons, const std::string& reason) {
  if (reason.empty()) return "";
  const std::string text = printable(reason);
  const auto found = std::ranges::find(reasons, text);
  const auto index = found - reasons.begin();
  if (found == reasons.end()) reasons.push_back(text);
  return fmt::format(" [{}]", index + 1);
}

std::string shortened(const std::string& reason) {
  constexpr int kLines = 12;
  std::size_t end = 0;
  for (int line = 0; line < kLines; ++line) {
    end = reason.find('\n', end);
    if (end == std::string::npos) return reason;
    ++end;
  }
  const auto begin = reason.begin() + static_cast<std::ptrdiff_t>(end);
  const auto rest = std::count(begin, reason.end(), '\n') + 1;
  return fmt::format("{}... ({} more lines in records.jsonl)", reason.substr(0, end), rest);
}

}  // namespace msda
