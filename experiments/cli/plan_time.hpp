// How long a plan will take, from what an earlier run took.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runner/plan/plan.hpp"

namespace msda {

/// What a run on a device of the same name took.
struct EarlierRun {
  std::filesystem::path directory;
  std::map<std::string, double> launch_seconds;  ///< median of each cell with a time
  std::vector<ProblemEntry> problems;
  /// Time of a cell in a process besides its blocks: compiling, preparing, verifying. Absent where
  /// the manifest does not tell.
  std::optional<double> overhead_seconds;
};

struct PlanTime {
  double seconds = 0;
  std::size_t measured_cells = 0;   ///< whose launches are known from the earlier run
  std::filesystem::path directory;  ///< of the earlier run; empty: all is assumed
};

/// The device of the run in `directory`. Throws UsageError when it holds none.
DeviceInfo device_of_run(const std::filesystem::path& directory);

/// Throws UsageError when `directory` holds no run, or one on another device.
EarlierRun read_earlier_run(const std::filesystem::path& directory, const DeviceInfo& device);

/// The newest run in `directory` (results/<experiment>, one folder for each run) that is readable
/// and of the same device; nullopt without one.
std::optional<EarlierRun> newest_run(const std::filesystem::path& directory,
                                     const DeviceInfo& device);

/// A cell without a time takes as long as the mean of its group, else as estimate_seconds()
/// assumes.
PlanTime plan_time(const Plan& plan, const std::optional<EarlierRun>& earlier);

/// "time      about 4 min: 62 of 64 cells as in results/x/..., the others assumed", a line.
std::string to_text(const PlanTime& time, std::size_t cells);

}  // namespace msda
