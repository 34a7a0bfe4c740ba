// The manifest of a run as its beginning makes it, and what has to be the same to go on with it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "results/manifest.hpp"
#include "runner/experiment/experiment.hpp"
#include "runner/plan/plan.hpp"

namespace msda {

inline constexpr const char* kRecordsFile = "records.jsonl";

/// `ready` is what the worker said of its device; `command_line` the program's arguments.
Manifest make_manifest(const Experiment& experiment, const Plan& plan, const Registry& registry,
                       const nlohmann::json& ready, const std::vector<std::string>& command_line);

/// Throws UsageError unless the manifest's run is of this experiment, plan and device, and of this
/// program with the same plugins for its arms.
void check_resumable(const Manifest& manifest, const Experiment& experiment, const Plan& plan,
                     const Registry& registry);

/// Cells of the plan whose `use: best` was another composition in the manifest's run.
std::vector<std::string> changed_best(const Manifest& manifest, const Plan& plan);

/// What two manifests do not have in common of the code that ran: "program version", "program's
/// sources" or "plugin 'x'" when one of the first one's arms uses it; "" when it is the same.
std::string code_difference(const Manifest& a, const Manifest& b);

/// The wall-clock time of a run's workers, of which each phase is given.
RunTime run_time(const std::map<std::string, double>& phase_seconds);

/// "v0.1.0-3-gabc1234-dirty" as of the build; "unknown" outside a git checkout,
/// and of other programs than msda.
std::string git_state();
/// Seconds since the epoch as "2024-01-31T12:00:00Z".
std::string utc_time();

}  // namespace msda
