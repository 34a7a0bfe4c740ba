#include "runner/plan.hpp"

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "runner/protocol.hpp"

namespace msda {
namespace {

nlohmann::json plan_json(const Plan& plan) {
  nlohmann::json object = to_json(plan);
  object["device"] = to_json(plan.device);
  object["arms"] = nlohmann::json::array();
  for (const Arm& arm : plan.arms) object["arms"].push_back(to_json(arm));
  object["problems"] = nlohmann::json::array();
  for (const ProblemSpec& spec : plan.problems) object["problems"].push_back(to_json(spec));
  if (plan.design) object["ablation"] = to_json(*plan.design);
  return object;
}

}  // namespace

int plan_command(const std::vector<std::string>& words) {
  Arguments arguments(
      {"plan EXPERIMENT [OPTION...]",
       "Shows what 'run' would do on a device: the arms with their compositions, the\n"
       "cells in their groups, what would be skipped or left out and why. Runs nothing.",
       "  msda plan experiments/quickstart.yaml\n"
       "  msda plan experiments/quickstart.yaml --device cpu --json\n"});
  arguments.flag("json", "print JSON for scripts");
  arguments.device_option();
  arguments.plugin_option();
  arguments.words("EXPERIMENT", 1, 1);
  if (!arguments.parse(words)) return 0;
  const Registry registry = load_registry(arguments);
  const Experiment experiment = load_experiment(arguments.words().front(), registry);
  const std::string device = arguments.has("device") ? arguments.device() : experiment.device;
  const Plan plan = make_plan(experiment, registry, choose_device(device, list_devices()));
  if (arguments.has("json")) {
    fmt::print("{}\n", plan_json(plan).dump(2));
  } else {
    fmt::print("{}", to_text(plan, registry));
  }
  return 0;
}

}  // namespace msda
