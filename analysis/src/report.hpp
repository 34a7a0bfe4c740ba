// Records in, ablation table out. Reads results only: nothing here runs a kernel.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ablation/ablation.hpp"
#include "ablation/regimes.hpp"
#include "claims/claims.hpp"
#include "results/record.hpp"
#include "statistics/prepasses.hpp"
#include "statistics/statistics.hpp"

namespace msda {

inline constexpr int kReportSchema = 1;

/// One line of the ablation table.
struct Row {
  Record record;
  double median_seconds = 0;           ///< over all samples; 0 without a time
  std::optional<double> speedup;       ///< baseline time / this time, estimated inside blocks
  std::optional<Interval> speedup_95;  ///< 95% interval, see statistics.hpp
  Replication replication = Replication::kNone;  ///< what the interval is over
  int replicates = 0;                            ///< how many of them
  double dram_bytes_per_second = 0;              ///< minimum_dram_bytes / median
  double flops_per_second = 0;
  /// The least time the device's ceilings allow / median: the larger of minimum_dram_bytes over the
  /// DRAM ceiling and gathered_bytes over the gather ceiling. 0..1 where the data come from DRAM; a
  /// warm cache can exceed 1. Absent where the manifest has no ceilings.
  std::optional<double> speed_of_light;
  std::optional<PrepassSplit> prepasses;  ///< absent where the kernel is all that a launch enqueues
  /// The same composition as the baseline's under another name: with it, the A/A pair.
  bool repeats_baseline = false;
  /// "baseline", "faster", "slower", "equal", "undecided" for an arm with a time; "right" for one
  /// that a device verified without timing it; else the status' name ("wrong", "skipped",
  /// "failed", "crashed", "hung").
  std::string verdict;

  bool timed() const { return median_seconds > 0; }
  /// Whether its output was held against the reference.
  bool compared() const {
    return record.status == CellStatus::kOk || record.status == CellStatus::kWrong;
  }
};

/// Rows of one problem in one timing mode, baseline first, in the arms' order.
struct Table {
  std::string problem;
  TimingMode mode = TimingMode::kWarm;
  std::vector<Row> rows;
  Ceilings ceilings;  ///< of the device; zero where the manifest has none
};

struct Report {
  nlohmann::json manifest;
  std::vector<Table> tables;
  std::vector<CheckedClaim> claims;  ///< none where no cell has finished
  std::optional<Ablation> ablation;  ///< of an experiment with factors
  std::vector<RegimeTable> regimes;  ///< of problems measured in more than one mode
};

/// `directory` holds manifest.json and records.jsonl. Throws UsageError when it does not.
Report make_report(const std::filesystem::path& directory);

/// The same from memory: one record for each cell. Tables come in the order in which their problem
/// and mode first appear. Every field of the manifest is optional; its
/// "arms" give the order of the rows.
Report make_report(nlohmann::json manifest, std::vector<Record> records);

std::string to_terminal(const Report& report, bool colour);
std::string to_markdown(const Report& report);
/// One line for each cell (RFC 4180, header line, CRLF); seconds, bytes and operations without
/// prefixes; an absent number is an empty field.
std::string to_csv(const Report& report);
/// The claims in the same form, one line for each check; speedups as ratios, times in seconds, the
/// speed of light as a share.
std::string to_claims_csv(const Report& report);
/// One line for each block of samples, in the same form: count, median, mean, least and largest.
std::string to_samples_csv(const Report& report);
/// One page that needs no other file and no network: the answer in words, sortable tables, figures.
std::string to_html(const Report& report);
/// One booktabs table for each table of the report, to be included in a document.
std::string to_latex(const Report& report);
/// {"schema": kReportSchema, "manifest": ..., "tables": [{problem, mode, headline, noise_floor,
/// rows}], "claims": [{claim, problem, mode, measured, measured_95, verdict, reason}], "ablation":
/// ..., "regimes": ...}; rows and claims on lines of their own; samples stay in records.jsonl.
std::string to_json(const Report& report);

/// One line for each effect of each problem and mode, in the same form.
std::string effects_to_csv(const Ablation& ablation);

/// report.html, report.md, report.csv, report.json, tables.tex and records.csv in `directory`, with
/// claims.csv and effects.csv where there are claims and an ablation, each written atomically.
void write_report(const Report& report, const std::filesystem::path& directory);

}  // namespace msda
