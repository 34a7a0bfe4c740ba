// What a run did when: stretches of time in one phase, as the supervisor saw them. They lie in a
// file of their own beside the records.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace msda {

inline constexpr const char* kRangesFile = "ranges.jsonl";

/// A worker in one phase of one group.
struct RunRange {
  std::string device;   ///< id
  std::string problem;  ///< "" where no group was at work
  std::string mode;     ///< "" as well
  std::string phase;    ///< "compile", "measure"
  double begin = 0;     ///< seconds since 1970
  double end = 0;
  /// Seconds of it in each step of the phase: "warm up", "samples", "flush", "check". Samples and
  /// flushes alternate; all arms' are added up.
  std::map<std::string, double> steps;
};

nlohmann::json to_json(const RunRange& range);
/// Throws UsageError naming the missing or ill-typed field.
RunRange run_range_from_json(const nlohmann::json& json);

/// In the file's order; empty without the file. A torn last line is ignored. Throws UsageError with
/// file and line for anything else that is broken.
std::vector<RunRange> read_ranges(const std::filesystem::path& file);

/// Creates the file when it is not there, and cuts off a torn last line. Throws EnvironmentError.
void append_ranges(const std::filesystem::path& file, const std::vector<RunRange>& ranges);

}  // namespace msda
