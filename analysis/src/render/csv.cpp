#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "render/csv_field.hpp"
#include "render/formats.hpp"

namespace msda {

std::string csv_field(std::string_view text) {
  const bool is_formula =
      !text.empty() && std::string_view("=+-@\t\r\n").find(text.front()) != std::string_view::npos;
  if (!is_formula && text.find_first_of(",\"\r\n") == std::string_view::npos) {
    return std::string(text);
  }
  std::string quoted = is_formula ? "\"'" : "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

namespace {

std::optional<double> when(bool condition, double value) {
  return condition ? std::optional(value) : std::nullopt;
}

std::string low(const std::optional<Interval>& interval) {
  return interval ? csv_field(interval->low) : "";
}
std::string high(const std::optional<Interval>& interval) {
  return interval ? csv_field(interval->high) : "";
}

std::string replication_name(Replication replication) {
  switch (replication) {
    case Replication::kProcesses: return "processes";
    case Replication::kBlocks: return "blocks";
    case Replication::kNone: break;
  }
  return "";
}

std::int64_t sample_count(const Record& record) {
  std::int64_t count = 0;
  for (const SampleBlock& block : record.samples) count += std::ssize(block.seconds);
  return count;
}

/// "name=seconds;..."
std::string parts_before_kernel(const Row& row) {
  std::string before;
  if (!row.prepasses) return before;
  for (const PartMedian& part : row.prepasses->before) {
    before += fmt::format("{}{}={}", before.empty() ? "" : ";", part.name, part.seconds);
  }
  return before;
}

/// The ratio to the baseline without what runs before the kernel.
std::optional<RatioEstimate> without_prepasses(const Row& row) {
  return row.prepasses ? row.prepasses->without : std::nullopt;
}

constexpr CsvColumn<Row> kCells[] = {
    {"problem", [](const Row& r) { return csv_field(r.record.problem); }},
    {"mode", [](const Row& r) { return csv_field(name_of(r.record.mode)); }},
    {"arm", [](const Row& r) { return csv_field(r.record.arm); }},
    {"composition", [](const Row& r) { return csv_field(r.record.composition); }},
    {"device", [](const Row& r) { return csv_field(r.record.device); }},
    {"baseline", [](const Row& r) { return csv_field(r.record.baseline); }},
    {"status", [](const Row& r) { return csv_field(name_of(r.record.status)); }},
    {"verdict", [](const Row& r) { return csv_field(r.verdict); }},
    {"median_seconds", [](const Row& r) { return csv_field(when(r.timed(), r.median_seconds)); }},
    {"speedup", [](const Row& r) { return csv_field(r.speedup); }},
    {"speedup_95_low", [](const Row& r) { return low(r.speedup_95); }},
    {"speedup_95_high", [](const Row& r) { return high(r.speedup_95); }},
    {"replication", [](const Row& r) { return replication_name(r.replication); }},
    {"replicates", [](const Row& r) { return csv_field(r.replicates); }},
    {"samples", [](const Row& r) { return csv_field(sample_count(r.record)); }},
    {"stopped_by", [](const Row& r) { return csv_field(r.record.stopped_by); }},
    {"dram_bytes_per_second",
     [](const Row& r) { return csv_field(when(r.timed(), r.dram_bytes_per_second)); }},
    {"flops_per_second",
     [](const Row& r) { return csv_field(when(r.timed(), r.flops_per_second)); }},
    {"speed_of_light", [](const Row& r) { return csv_field(r.speed_of_light); }},
    {"bound", [](const Row& r) { return r.bound ? std::string(name_of(*r.bound)) : ""; }},
    {"relative_l2",
     [](const Row& r) { return csv_field(when(r.compared(), r.record.relative_l2)); }},
    {"maximum_absolute",
     [](const Row& r) { return csv_field(when(r.compared(), r.record.maximum_absolute)); }},
    {"tolerance", [](const Row& r) { return csv_field(when(r.compared(), r.record.tolerance)); }},
    {"expected_relative_l2", [](const Row& r) { return csv_field(r.record.expected_relative_l2); }},
    {"minimum_dram_bytes", [](const Row& r) { return csv_field(r.record.minimum_dram_bytes); }},
    {"gathered_bytes", [](const Row& r) { return csv_field(r.record.gathered_bytes); }},
    {"flops", [](const Row& r) { return csv_field(r.record.flops); }},
    {"registers", [](const Row& r) { return csv_field(r.record.resources.registers); }},
    {"static_shared_bytes",
     [](const Row& r) { return csv_field(r.record.resources.static_shared_bytes); }},
    {"dynamic_shared_bytes",
     [](const Row& r) { return csv_field(r.record.resources.dynamic_shared_bytes); }},
    {"spill_bytes", [](const Row& r) { return csv_field(r.record.resources.spill_bytes); }},
    {"compile_seconds",
     [](const Row& r) {
       return r.record.compilation ? csv_field(r.record.compilation->seconds) : "";
     }},
    {"compiled_from_cache",
     [](const Row& r) {
       return r.record.compilation ? csv_field(r.record.compilation->from_cache) : "";
     }},
    {"prepare_seconds", [](const Row& r) { return csv_field(r.record.prepare_seconds); }},
    {"before_kernel", [](const Row& r) { return csv_field(parts_before_kernel(r)); }},
    {"prepass_seconds",
     [](const Row& r) { return r.prepasses ? csv_field(r.prepasses->prepass_seconds()) : ""; }},
    {"kernel_seconds",
     [](const Row& r) { return r.prepasses ? csv_field(r.prepasses->kernel_seconds) : ""; }},
    {"speedup_without_prepasses",
     [](const Row& r) {
       const auto without = without_prepasses(r);
       return without ? csv_field(without->ratio) : "";
     }},
    {"speedup_without_prepasses_95_low",
     [](const Row& r) {
       const auto without = without_prepasses(r);
       return without ? low(without->interval_95) : "";
     }},
    {"speedup_without_prepasses_95_high",
     [](const Row& r) {
       const auto without = without_prepasses(r);
       return without ? high(without->interval_95) : "";
     }},
    {"evidence",
     [](const Row& r) {
       return r.record.evidence ? csv_field(name_of(r.record.evidence->status)) : "";
     }},
    {"missing_evidence",
     [](const Row& r) {
       if (!r.record.evidence) return std::string();
       return csv_field(fmt::format("{}", fmt::join(r.record.evidence->missing, "; ")));
     }},
    {"same_code_as", [](const Row& r) { return csv_field(r.same_code_as); }},
    {"reason", [](const Row& r) { return csv_field(r.record.reason); }},
};

bool has_range(const CheckedClaim& checked) {
  return checked.claim.quantity != Claim::Quantity::kNotTestable &&
         checked.claim.quantity != Claim::Quantity::kOutcome;
}

constexpr CsvColumn<CheckedClaim> kClaims[] = {
    {"claim", [](const CheckedClaim& c) { return csv_field(c.claim.text); }},
    {"source", [](const CheckedClaim& c) { return csv_field(c.claim.source); }},
    {"arm", [](const CheckedClaim& c) { return csv_field(c.claim.arm_text()); }},
    {"over", [](const CheckedClaim& c) { return csv_field(c.claim.over_text()); }},
    {"quantity", [](const CheckedClaim& c) { return csv_field(name_of(c.claim.quantity)); }},
    {"metric", [](const CheckedClaim& c) { return csv_field(c.claim.metric); }},
    {"claimed",
     [](const CheckedClaim& c) {
       return c.claim.quantity == Claim::Quantity::kNotTestable ? "" : csv_field(c.claim.value);
     }},
    {"claimed_low",
     [](const CheckedClaim& c) { return csv_field(when(has_range(c), c.claim.range.low)); }},
    {"claimed_high",
     [](const CheckedClaim& c) { return csv_field(when(has_range(c), c.claim.range.high)); }},
    {"measured_on", [](const CheckedClaim& c) { return csv_field(c.claim.measured_on); }},
    {"against",
     [](const CheckedClaim& c) { return c.claim.against ? csv_field(c.claim.against->arm) : ""; }},
    {"ratio_low",
     [](const CheckedClaim& c) { return c.as_ratio ? csv_field(c.as_ratio->low) : ""; }},
    {"ratio_high",
     [](const CheckedClaim& c) { return c.as_ratio ? csv_field(c.as_ratio->high) : ""; }},
    {"problem", [](const CheckedClaim& c) { return csv_field(c.problem); }},
    {"mode", [](const CheckedClaim& c) { return csv_field(name_of(c.mode)); }},
    {"measured", [](const CheckedClaim& c) { return csv_field(c.measured); }},
    {"measured_95_low", [](const CheckedClaim& c) { return low(c.interval_95); }},
    {"measured_95_high", [](const CheckedClaim& c) { return high(c.interval_95); }},
    {"replication", [](const CheckedClaim& c) { return replication_name(c.replication); }},
    {"replicates", [](const CheckedClaim& c) { return c.measured ? csv_field(c.replicates) : ""; }},
    {"verdict", [](const CheckedClaim& c) { return csv_field(name_of(c.verdict)); }},
    {"reason", [](const CheckedClaim& c) { return csv_field(c.reason); }},
    {"remark", [](const CheckedClaim& c) { return csv_field(c.remark); }},
    {"note", [](const CheckedClaim& c) { return csv_field(c.claim.note); }},
};

// Of an ablation each cell's line ends with the level of each factor.

/// "factor_loop-unrolling"
std::vector<std::string> factor_names(const Design* design) {
  std::vector<std::string> names;
  if (design == nullptr) return names;
  for (const Factor& factor : design->factors) names.push_back("factor_" + factor.name);
  return names;
}

/// Empty for an arm that is no point of the design.
std::vector<std::string> levels_of(const Design* design, const std::string& arm) {
  std::vector<std::string> levels;
  if (design == nullptr) return levels;
  levels.resize(design->factors.size());
  const auto point = std::find_if(design->points.begin(), design->points.end(),
                                  [&](const DesignPoint& one) { return one.arm == arm; });
  if (point == design->points.end()) return levels;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    levels[i] = design->factors[i].levels.at(static_cast<std::size_t>(point->levels[i]));
  }
  return levels;
}

/// Puts more cells at the end of the last line.
void add_cells(std::string& text, const std::vector<std::string>& cells) {
  text.resize(text.size() - kCsvLineEnd.size());
  for (const std::string& cell : cells) text += "," + csv_field(cell);
  text += kCsvLineEnd;
}

/// A block of samples of a record; it has at least one.
struct Block {
  const Record& record;
  const SampleBlock& block;

  const std::vector<double>& seconds() const { return block.seconds; }
};

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

constexpr CsvColumn<Block> kBlocks[] = {
    {"problem", [](const Block& b) { return csv_field(b.record.problem); }},
    {"mode", [](const Block& b) { return csv_field(name_of(b.record.mode)); }},
    {"arm", [](const Block& b) { return csv_field(b.record.arm); }},
    {"baseline", [](const Block& b) { return csv_field(b.record.baseline); }},
    {"device", [](const Block& b) { return csv_field(b.record.device); }},
    {"process", [](const Block& b) { return csv_field(b.block.process); }},
    {"block", [](const Block& b) { return csv_field(b.block.block); }},
    {"samples",
     [](const Block& b) { return csv_field(static_cast<std::int64_t>(b.seconds().size())); }},
    {"median_seconds", [](const Block& b) { return csv_field(median(b.seconds())); }},
    {"mean_seconds", [](const Block& b) { return csv_field(mean(b.seconds())); }},
    {"least_seconds",
     [](const Block& b) {
       return csv_field(*std::min_element(b.seconds().begin(), b.seconds().end()));
     }},
    {"largest_seconds",
     [](const Block& b) {
       return csv_field(*std::max_element(b.seconds().begin(), b.seconds().end()));
     }},
    {"throttled",
     [](const Block& b) {
       return csv_field(fmt::format("{}", fmt::join(b.block.throttled, " ")));
     }},
};

}  // namespace

std::string to_claims_csv(const Report& report) {
  const std::span<const CsvColumn<CheckedClaim>> columns = kClaims;
  std::string text = csv_header(columns);
  for (const CheckedClaim& checked : report.claims) append_csv_line(text, columns, checked);
  return text;
}

std::string to_csv(const Report& report) {
  const std::span<const CsvColumn<Row>> columns = kCells;
  const Design* design = report.ablation ? &report.ablation->design : nullptr;
  std::string text = csv_header(columns);
  add_cells(text, factor_names(design));
  for (const Table& table : report.tables) {
    for (const Row& row : table.rows) {
      append_csv_line(text, columns, row);
      add_cells(text, levels_of(design, row.record.arm));
    }
  }
  return text;
}

std::string to_samples_csv(const Report& report) {
  const std::span<const CsvColumn<Block>> columns = kBlocks;
  std::string text = csv_header(columns);
  for (const Table& table : report.tables) {
    for (const Row& row : table.rows) {
      if (!row.timed()) continue;
      for (const SampleBlock& block : row.record.samples) {
        if (!block.seconds.empty()) append_csv_line(text, columns, Block{row.record, block});
      }
    }
  }
  return text;
}

}  // namespace msda
