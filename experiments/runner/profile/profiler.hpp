// The profilers that can be put around a worker: how each is called, and what it leaves is read.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "results/counters.hpp"
#include "runner/experiment/experiment.hpp"

namespace msda::profile {

/// Duration, bytes of DRAM, L2 and L1, hit rates, LSU wavefronts in all and of shared memory, bank
/// conflicts, sectors and requests by operation, instructions, issue slots, occupancy, balance of
/// SMs, reasons of stalls, registers, spills.
const std::vector<std::string>& default_metrics();
/// What is counted of an experiment: where `asked` names metrics or sections, these alone; else
/// those of its `profile`, default_metrics() where it has none, and the metrics of its claims.
ProfileSettings settings_for(const Experiment& experiment, ProfileSettings asked);

/// The range (domain "msda") that a worker holds open around the launches to be counted, and inside
/// it one for each kernel of a launch, "part kernel".
inline constexpr const char* kProfiledRange = "profiled";

enum class Tool { kNcu, kNsys };
std::string_view name_of(Tool tool);
Tool parse_tool(std::string_view name);  ///< throws UsageError

/// A tool as found in PATH.
struct Installed {
  std::string path;
  std::string version;  ///< "ncu 2025.3.1"
};

/// Throws EnvironmentError that says where to get it, or that it is too old.
Installed find_tool(Tool tool);
/// From what `ncu --version` or `nsys --version` prints; "" when it is neither's.
std::string parse_version(Tool tool, std::string_view text);

/// The words before a worker's own command line. `report` is the file that the tool keeps, without
/// its ending; `log` gets the tool's messages. `flush`: caches are flushed before each replay, as
/// the mode cold does; else they are left alone.
std::vector<std::string> launcher(Tool tool, const Installed& installed,
                                  const ProfileSettings& settings, bool flush,
                                  const std::filesystem::path& report,
                                  const std::filesystem::path& log);
/// "kernels.ncu-rep"
std::filesystem::path report_file(Tool tool, const std::filesystem::path& report);
/// Prints what a report holds as CSV on standard output.
std::vector<std::string> import_command(Tool tool, const Installed& installed,
                                        const std::filesystem::path& report_file);

/// Names of the metrics, without suffixes, that `ncu --query-metrics` lists for the chips at hand.
std::set<std::string> parse_known_metrics(std::string_view text);
/// Those of `metrics` that the tool does not know; what it computes of the launch itself
/// ("launch__...") is not in its list and always there.
std::vector<std::string> unknown_metrics(const std::vector<std::string>& metrics,
                                         const std::set<std::string>& known);

/// What an import printed.
struct Imported {
  std::vector<KernelCounters> kernels;  ///< of several launches of one part the first
  bool truncated = false;               ///< the text ended early; what is there is whole
};

/// Of `ncu --page raw --csv`, with the layouts of 2022 to 2026: the columns are found by name.
/// Kernels outside the profiled range are passed over. Throws EnvironmentError when there is no
/// table.
Imported parse_ncu(std::string_view text);
/// Of `nsys stats --report nvtx_kern_sum --format csv`: the time of each kernel, as
/// "gpu__time_duration.sum". Throws EnvironmentError when there is no table.
Imported parse_nsys(std::string_view text);

/// What the tool's messages mean and what to do about it: no permission for counters, another
/// profiler at work, no kernel matched, ...; "" when nothing in them is known.
std::string remedy(Tool tool, std::string_view messages);

}  // namespace msda::profile
