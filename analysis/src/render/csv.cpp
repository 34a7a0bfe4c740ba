#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "render/csv_field.hpp"
#include "render/formats.hpp"

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

constexpr std::string_view kSamplesHeader =
    "problem,mode,arm,baseline,device,process,block,samples,median_seconds,mean_seconds,"
    "least_seconds,largest_seconds,throttled";

constexpr std::string_view kHeader =
    "problem,mode,arm,composition,device,baseline,status,verdict,median_seconds,speedup,"
    "speedup_95_low,speedup_95_high,replication,replicates,samples,stopped_by,dram_bytes_per_"
    "second,"
    "flops_per_second,speed_of_light,relative_l2,maximum_absolute,tolerance,expected_relative_l2,"
    "minimum_dram_bytes,"
    "gathered_bytes,flops,registers,static_shared_bytes,dynamic_shared_bytes,spill_bytes,"
    "compile_seconds,compiled_from_cache,prepare_seconds,before_kernel,prepass_seconds,"
    "kernel_seconds,speedup_without_prepasses,speedup_without_prepasses_95_low,"
    "speedup_without_prepasses_95_high,reason";

std::int64_t sample_count(const Record& record) {
  std::int64_t count = 0;
  for (const SampleBlock& block : record.samples) count += std::ssize(block.seconds);
  return count;
}

/// "compile_seconds" and "compiled_from_cache".
std::string compilation_fields(const std::optional<Compilation>& compilation) {
  if (!compilation) return ",";
  return fmt::format("{},{}", field(compilation->seconds), compilation->from_cache);
}

/// From "before_kernel" ("name=seconds;...") to "speedup_without_prepasses_95_high".
std::string prepass_fields(const std::optional<PrepassSplit>& split) {
  if (!split) return ",,,,,";
  std::string before;
  for (const PartMedian& part : split->before) {
    before += fmt::format("{}{}={}", before.empty() ? "" : ";", part.name, part.seconds);
  }
  const auto& without = split->without;
  const auto interval = without ? without->interval_95 : std::nullopt;
  return fmt::format("{},{},{},{},{},{}", field(before), field(split->prepass_seconds()),
                     field(split->kernel_seconds),
                     field(without ? std::optional(without->ratio) : std::nullopt),
                     field(interval ? std::optional(interval->low) : std::nullopt),
                     field(interval ? std::optional(interval->high) : std::nullopt));
}

/// In the order of kHeader.
std::string line_of(const Row& row) {
  const Record& record = row.record;
  const bool timed = row.timed();
  const bool compared = row.compared();
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
      compilation_fields(record.compilation),
      field(record.prepare_seconds),
      prepass_fields(row.prepasses),
      field(record.reason),
  };
  return fmt::format("{}", fmt::join(std::begin(fields), std::end(fields), ","));
}

constexpr std::string_view kClaimHeader =
    "claim,source,arm,over,quantity,claimed,claimed_low,claimed_high,problem,mode,measured,"
    "measured_95_low,measured_95_high,replication,replicates,verdict,reason,note";

/// In the order of kClaimHeader.
std::string line_of(const CheckedClaim& checked) {
  const Claim& claim = checked.claim;
  const bool numeric = claim.quantity != Claim::Quantity::kNotTestable;
  const auto& interval = checked.interval_95;
  const std::string fields[] = {
      field(claim.text),
      field(claim.source),
      field(claim.arm),
      field(claim.over),
      field(name_of(claim.quantity)),
      numeric ? field(claim.value) : "",
      field(when(numeric, claim.range.low)),
      field(when(numeric, claim.range.high)),
      field(checked.problem),
      field(name_of(checked.mode)),
      field(checked.measured),
      field(interval ? std::optional(interval->low) : std::nullopt),
      field(interval ? std::optional(interval->high) : std::nullopt),
      field(replication_name(checked.replication)),
      checked.measured ? field(std::int64_t{checked.replicates}) : "",
      field(name_of(checked.verdict)),
      field(checked.reason),
      field(claim.note),
  };
  return fmt::format("{}", fmt::join(std::begin(fields), std::end(fields), ","));
}

/// In the order of kSamplesHeader.
std::string line_of(const Record& record, const SampleBlock& block) {
  const auto [least, largest] = std::minmax_element(block.seconds.begin(), block.seconds.end());
  const double sum = std::accumulate(block.seconds.begin(), block.seconds.end(), 0.0);
  const std::string fields[] = {
      field(record.problem),
      field(name_of(record.mode)),
      field(record.arm),
      record.baseline ? "true" : "false",
      field(record.device),
      field(std::int64_t{block.process}),
      field(std::int64_t{block.block}),
      field(static_cast<std::int64_t>(block.seconds.size())),
      field(median(block.seconds)),
      field(sum / static_cast<double>(block.seconds.size())),
      field(*least),
      field(*largest),
      field(fmt::format("{}", fmt::join(block.throttled, " "))),
  };
  return fmt::format("{}", fmt::join(std::begin(fields), std::end(fields), ","));
}

constexpr std::string_view kLineEnd = "\r\n";

}  // namespace

std::string to_claims_csv(const Report& report) {
  std::string text = fmt::format("{}{}", kClaimHeader, kLineEnd);
  for (const CheckedClaim& checked : report.claims) {
    text += fmt::format("{}{}", line_of(checked), kLineEnd);
  }
  return text;
}

std::string to_csv(const Report& report) {
  std::string text = fmt::format("{}{}", kHeader, kLineEnd);
  for (const Table& table : report.tables) {
    for (const Row& row : table.rows) text += fmt::format("{}{}", line_of(row), kLineEnd);
  }
  return text;
}

std::string to_samples_csv(const Report& report) {
  std::string text = fmt::format("{}{}", kSamplesHeader, kLineEnd);
  for (const Table& table : report.tables) {
    for (const Row& row : table.rows) {
      if (!row.timed()) continue;
      for (const SampleBlock& block : row.record.samples) {
        if (!block.seconds.empty()) {
          text += fmt::format("{}{}", line_of(row.record, block), kLineEnd);
        }
      }
    }
  }
  return text;
}

}  // namespace msda
