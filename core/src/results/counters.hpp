// What a profiler counted in the kernels of a cell. Counters lie in a file of their own beside a
// run's records: a profiled launch is replayed many times and slowed down, so its time is no
// sample.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace msda {

inline constexpr const char* kCountersFile = "counters.jsonl";
/// The part of a launch that is no pre-pass.
inline constexpr const char* kMainPart = "kernel";

/// One launch of one kernel, counted.
struct KernelCounters {
  std::string problem;  ///< label in the experiment
  std::string arm;
  std::string
      mode;  ///< "cold": caches flushed before each replay; else as the last launch left them
  std::string part;    ///< kMainPart, else the name of the pre-pass
  std::string kernel;  ///< as the profiler prints it
  std::string device;  ///< model
  std::string tool;    ///< "ncu 2025.3.1"
  /// By the tool's metric names, in base units (bytes, seconds, percent, counts).
  std::map<std::string, double> values;
  std::vector<std::string> missing;  ///< asked for, and not known to the tool for this chip

  std::optional<double> find(const std::string& metric) const;
};

nlohmann::json to_json(const KernelCounters& counters);
/// Throws UsageError naming the missing or ill-typed field.
KernelCounters counters_from_json(const nlohmann::json& json);

/// The counters of a run, in the order of the file; empty when it was never profiled. Throws
/// UsageError with file and line for a line that is broken.
std::vector<KernelCounters> read_counters(const std::filesystem::path& run_directory);

/// Adds `fresh` to a run's counters; those of the same problem, arm, mode and part are replaced.
/// Written all at once. Throws EnvironmentError.
void add_counters(const std::filesystem::path& run_directory, std::vector<KernelCounters> fresh);

}  // namespace msda
