#include "runner/plan/plan.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/architecture.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/plan_time.hpp"
#include "cli/program.hpp"
#include "jit/occupancy.hpp"
#include "json_text.hpp"
#include "runner/plan/vacuous_notes.hpp"
#include "runner/supervise/run.hpp"

namespace msda {
namespace {

/// As the manifest of a run would have it, but for the plan's own members, which stand outside.
nlohmann::json plan_json(const Plan& plan, const PlanTime& time) {
  Manifest manifest;
  manifest.device = plan.device;
  manifest.arms = entries_of(plan.arms);
  for (const ProblemSpec& spec : plan.problems) manifest.problems.push_back(entry_of(spec));
  manifest.ablation = plan.design;
  manifest.plan = entry_of(plan);
  manifest.plan.estimated_seconds = time.seconds;
  nlohmann::json object = to_json(manifest);
  object.update(nlohmann::json(object["plan"]));
  object.erase("plan");
  object.erase("schema");
  object["measured_cells"] = time.measured_cells;
  return object;
}

/// Those of this machine, and that of the run that was named: where a run is planned there need not
/// be a GPU.
std::vector<DeviceInfo> known_devices(const Arguments& arguments) {
  std::vector<DeviceInfo> devices = list_devices();
  if (const std::string id = arguments.device(); names_architecture(id)) {
    require_one_architecture(id, "plan");
    devices.push_back(compile_target(capability_of(id)));
    devices.back().id = id;
  }
  if (const auto directory = arguments.find("like")) {
    DeviceInfo other = device_of_run(*directory);
    const bool is_here = std::any_of(devices.begin(), devices.end(),
                                     [&](const DeviceInfo& one) { return one.id == other.id; });
    if (!is_here) devices.push_back(std::move(other));
  }
  return devices;
}

/// The run that was named, else the newest one of the experiment.
std::optional<EarlierRun> earlier_run(const Arguments& arguments, const Experiment& experiment,
                                      const DeviceInfo& device) {
  if (const auto directory = arguments.find("like")) return read_earlier_run(*directory, device);
  return newest_run(default_results_parent(experiment.name), device);
}

}  // namespace

int plan_command(const std::vector<std::string>& words) {
  Arguments arguments(
      {"plan EXPERIMENT [OPTION...]",
       "Shows what 'run' would do on a device: the arms with their compositions, the cells in "
       "their groups, what would be skipped, left out or without effect and why, and how long it "
       "would "
       "take, by the newest run of the experiment in results/. Runs nothing. With an architecture "
       "in place of a device (--device sm_89) it compiles "
       "every composition, without a GPU.",
       "  msda plan experiments/quickstart.yaml\n"
       "  msda plan experiments/quickstart.yaml --like results/quickstart/20240131-120000\n"
       "  msda plan experiments/quickstart.yaml --device cpu --json\n"
       "  msda plan experiments/ablation.yaml --device sm_89\n"});
  arguments.flag("json", "print JSON for scripts");
  arguments.option("like", "DIR",
                   "an earlier run, for the estimate of the time; its device need not be here");
  arguments.device_option();
  arguments.plugin_option();
  arguments.words("EXPERIMENT", 1, 1);
  if (!arguments.parse(words)) return 0;
  const Registry registry = load_registry(arguments);
  const Experiment experiment =
      load_experiment(experiment_path(arguments.words().front()), registry);
  const std::string device = arguments.has("device") ? arguments.device() : experiment.device;
  Plan plan = make_plan(experiment, registry, choose_device(device, known_devices(arguments)));
  for (std::string& note : vacuous_notes(plan)) plan.notes.push_back(std::move(note));
  const PlanTime time = plan_time(plan, earlier_run(arguments, experiment, plan.device));
  if (arguments.has("json")) {
    fmt::print("{}\n", json_text(plan_json(plan, time), 2));
  } else {
    const bool compiles = names_architecture(plan.device.id);
    fmt::print("{}{}", to_text(plan), compiles ? "" : to_text(time, plan.cell_count()));
    if (compiles) {
      fmt::print("\n");
      compile_all(experiment, registry, plan.device.id);
    }
  }
  return 0;
}

}  // namespace msda
