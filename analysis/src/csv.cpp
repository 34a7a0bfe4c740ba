#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "csv_field.hpp"
#include "report.hpp"

namespace msda {

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

namespace {

std::string field(std::string_view text) { return csv_field(text); }

/// The shortest text that reads back as the same number.
std::string field(double value) { return std::isnan(value) ? "NaN" : fmt::format("{}", value); }
std::string field(std::int64_t value) { return fmt::format("{}", value); }

std::string field(const std::optional<double>& value) { return value ? field(*value) : ""; }

std::optional<double> when(bool condition, double value) {
  return condition ? std::optional(value) : std::nullopt;
}

std::string_view replication_name(Replication replication) {
  switch (replication) {
    case Replication::kProcesses: return "processes";
    case Replication::kBlocks: return "blocks";
    case Replication::kNone: break;
  }
  return "";
}

constexpr std::string_view kHeader =
    "problem,mode,arm,composition,device,baseline,status,verdict,median_seconds,speedup,"
    "speedup_95_low,speedup_95_high,replication,replicates,samples,stopped_by,dram_bytes_per_"
    "second,"
    "flops_per_second,speed_of_light,relative_l2,maximum_absolute,tolerance,expected_relative_l2,"
    "minimum_dram_bytes,"
    "gathered_bytes,flops,registers,static_shared_bytes,dynamic_shared_bytes,spill_bytes,"
    "prepare_seconds,reason";

std::int64_t sample_count(const Record& record) {
  std::int64_t count = 0;
  for (const SampleBlock& block : record.samples) count += std::ssize(block.seconds);
  return count;
}

/// In the order of kHeader.
std::string line_of(const Row& row) {
  const Record& record = row.record;
  const bool timed = row.timed();
  const bool compared = timed || record.status == CellStatus::kWrong;
  const std::string fields[] = {
      field(record.problem),
      field(name_of(record.mode)),
      field(record.arm),
      field(record.composition),
      field(record.device),
      record.baseline ? "true" : "false",
      field(name_of(record.status)),
      field(row.verdict),
      field(when(timed, row.median_seconds)),
      field(row.speedup),
      field(row.speedup_95 ? std::optional(row.speedup_95->low) : std::nullopt),
      field(row.speedup_95 ? std::optional(row.speedup_95->high) : std::nullopt),
      field(replication_name(row.replication)),
      field(std::int64_t{row.replicates}),
      field(sample_count(record)),
      field(record.stopped_by),
      field(when(timed, row.dram_bytes_per_second)),
      field(when(timed, row.flops_per_second)),
      field(row.speed_of_light),
      field(when(compared, record.relative_l2)),
      field(when(compared, record.maximum_absolute)),
      field(when(compared, record.tolerance)),
      field(record.expected_relative_l2),
      field(record.minimum_dram_bytes),
      field(record.gathered_bytes),
      field(record.flops),
      field(std::int64_t{record.resources.registers}),
      field(record.resources.static_shared_bytes),
      field(record.resources.dynamic_shared_bytes),
      field(record.resources.spill_bytes),
      field(record.prepare_seconds),
      field(record.reason),
  };
  return fmt::format("{}", fmt::join(std::begin(fields), std::end(fields), ","));
}

}  // namespace

std::string to_csv(const Report& report) {
  constexpr std::string_view kLineEnd = "\r\n";
  std::string text = fmt::format("{}{}", kHeader, kLineEnd);
  for (const Table& table : report.tables) {
    for (const Row& row : table.rows) text += fmt::format("{}{}", line_of(row), kLineEnd);
  }
  return text;
}

}  // namespace msda
