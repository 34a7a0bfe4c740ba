// manifest.json: what a run was, so that its numbers can be judged and the run resumed.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "runner/experiment/experiment.hpp"
#include "runner/plan/plan.hpp"

namespace msda {

inline constexpr int kManifestSchema = 1;
inline constexpr const char* kManifestFile = "manifest.json";
inline constexpr const char* kRecordsFile = "records.jsonl";

/// How a run stands.
namespace run_status {
inline constexpr const char* kRunning = "running";
inline constexpr const char* kComplete = "complete";
inline constexpr const char* kInterrupted = "interrupted";
inline constexpr const char* kStopped = "stopped";  ///< "stopped_because" says why
}  // namespace run_status

/// `ready` is what the worker said of its device; `command_line` the program's arguments.
nlohmann::json make_manifest(const Experiment& experiment, const Plan& plan,
                             const Registry& registry, const nlohmann::json& ready,
                             const std::vector<std::string>& command_line);

/// Throws UsageError when the file is missing or not a manifest of this schema.
nlohmann::json read_manifest(const std::filesystem::path& directory);
void write_manifest(const std::filesystem::path& directory, const nlohmann::json& manifest);

/// Throws UsageError unless the manifest's run is of this experiment, plan and device, and of this
/// program with the same plugins for its arms.
void check_resumable(const nlohmann::json& manifest, const Experiment& experiment, const Plan& plan,
                     const Registry& registry);

/// Which part of its experiment the manifest's run is; the whole where it was not cut.
Shard shard_of(const nlohmann::json& manifest);

/// Cells of the plan whose `use: best` was another composition in the manifest's run.
std::vector<std::string> changed_best(const nlohmann::json& manifest, const Plan& plan);

/// What two manifests do not have in common of the code that ran: "program version", "program's
/// sources" or "plugin 'x'" when one of the first one's arms uses it; "" when it is the same.
std::string code_difference(const nlohmann::json& a, const nlohmann::json& b);

/// The wall-clock time of a run's workers as the manifest's "time" has it: in each phase, in all,
/// in compilation, and with the device busy.
nlohmann::json time_to_json(const std::map<std::string, double>& phase_seconds);
/// The sums of two of them; either may be empty.
nlohmann::json added_times(const nlohmann::json& a, const nlohmann::json& b);

/// "v0.1.0-3-gabc1234-dirty" as of the build's configuration; "unknown" outside a git checkout.
std::string git_state();
/// Seconds since the epoch as "2024-01-31T12:00:00Z".
std::string utc_time();

}  // namespace msda
