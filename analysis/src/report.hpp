// Records in, ablation table out. Reads results only: nothing here runs a kernel.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "results/record.hpp"

namespace msda {

struct Interval {
  double low = 0;
  double high = 0;
};

/// One line of the ablation table.
struct Row {
  Record record;
  double median_seconds = 0;            ///< over all samples; 0 without a time
  std::optional<double> speedup;        ///< baseline time / this time
  std::optional<Interval> speedup_95;   ///< 95% interval, see statistics.hpp
  double dram_bytes_per_second = 0;     ///< minimum_dram_bytes / median
  double flops_per_second = 0;
  std::optional<double> speed_of_light; ///< fraction, 0..1, where the device's ceilings are known
  std::string verdict;                  ///< "baseline", "faster", "slower", "equal", "wrong", "skipped", ...
};

/// Rows of one problem in one timing mode, baseline first, in the arms' order.
struct Table {
  std::string problem;
  TimingMode mode = TimingMode::kWarm;
  std::vector<Row> rows;
};

struct Report {
  nlohmann::json manifest;
  std::vector<Table> tables;
};

/// `directory` holds manifest.json and records.jsonl. Throws UsageError when it does not.
Report make_report(const std::filesystem::path& directory);

std::string to_terminal(const Report& report, bool colour);
std::string to_markdown(const Report& report);
std::string to_csv(const Report& report);
nlohmann::json to_json(const Report& report);

/// report.md, report.csv and report.json in `directory`.
void write_report(const Report& report, const std::filesystem::path& directory);

}  // namespace msda
