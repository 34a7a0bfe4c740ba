// Records as rows: the arms of one problem in one timing mode, each with its time, its ratio to the
// baseline and how near it comes to what the device can do.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/record.hpp"
#include "statistics/leader.hpp"
#include "statistics/noise_floor.hpp"
#include "statistics/prepasses.hpp"
#include "statistics/speed_of_light.hpp"
#include "statistics/statistics.hpp"

namespace msda {

/// One line of the ablation table.
struct Row {
  Record record;
  /// Geometric mean of the blocks' medians, as estimate_time() makes it; 0 without a time.
  double median_seconds = 0;
  std::optional<double> speedup;       ///< baseline time / this time, estimated inside blocks
  std::optional<Interval> speedup_95;  ///< 95% interval, see statistics.hpp
  Replication replication = Replication::kNone;  ///< what the interval is over
  int replicates = 0;                            ///< how many of them
  double dram_bytes_per_second = 0;              ///< minimum_dram_bytes / time
  double flops_per_second = 0;
  /// The least time the device's ceilings allow / time, 0..1, and the memory that sets it. Absent
  /// where the manifest has no ceilings.
  std::optional<double> speed_of_light;
  std::optional<MemoryLevel> bound;
  std::optional<PrepassSplit> prepasses;  ///< absent where the kernel is all that a launch enqueues
  /// The same composition as the baseline's under another name: with it, the A/A pair.
  bool repeats_baseline = false;
  /// The first arm of the table whose kernels have the same machine code and launches, or that is
  /// the same composition where no code is known: the two are one arm. "" where there is none, and
  /// of the baseline's A/A pair.
  std::string same_code_as;
  /// What did not show of the arm, as in its record, but for the table's `idle`.
  std::vector<std::string> missing;
  /// "baseline", "faster", "slower", "equal", "undecided" for an arm with a time; "right" for one
  /// that a device verified without timing it; else the status' name ("wrong", "skipped",
  /// "failed", "crashed", "hung", "interrupted").
  std::string verdict;

  bool timed() const { return median_seconds > 0; }
  /// Whether something that sets the arm apart did not show: its time says nothing of that.
  bool is_vacuous() const { return !missing.empty(); }
  /// Whether its output was held against the reference, which always has a tolerance; imported
  /// measurements never were.
  bool compared() const {
    const bool ended = record.status == CellStatus::kOk || record.status == CellStatus::kWrong;
    return ended && record.worst_output().tolerance > 0;
  }
};

/// Rows of one problem in one timing mode, baseline first, in the arms' order.
struct Table {
  std::string problem;
  TimingMode mode = kUsualMode;
  std::vector<Row> rows;
  /// What shows in no arm though all of them have it, as the baseline misses it, for example
  /// "corner-pair: ...". It sets none apart.
  std::vector<std::string> idle;
  MemoryFacts memory;  ///< of the device
  PlannedProcesses planned;
  std::optional<Leader> leader;     ///< as find_leader() says
  std::optional<NoiseFloor> noise;  ///< as noise_floor() says
};

/// What tables need to know beside the records.
struct TableContext {
  std::vector<std::string> arms;  ///< in the experiment's order, as far as it is known
  MemoryFacts memory;
  PlannedProcesses planned;
};

/// One record for each cell. Tables come in the order in which their problem and mode first appear;
/// their rows in that of `context.arms`, the baseline first.
std::vector<Table> make_tables(std::vector<Record> records, const TableContext& context);

/// The row of an arm; nullptr where the table has none.
const Row* find_row(const Table& table, const std::string& arm);
/// The baseline's row, with or without a time; nullptr where the table has none.
const Row* baseline_row(const Table& table);

}  // namespace msda
