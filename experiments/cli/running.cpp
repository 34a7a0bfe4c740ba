#include "cli/running.hpp"

#include <vector>

#include "cli/terminal.hpp"
#include "render/formats.hpp"
#include "render/text/summary.hpp"
#include "runner/supervise/manifest.hpp"
#include "runner/supervise/say.hpp"
#include "runner/supervise/shell_words.hpp"

namespace msda {

Plan plan_for(const Arguments& arguments, const Experiment& experiment, const Registry& registry) {
  const std::vector<DeviceInfo> there = list_devices();
  std::vector<DeviceInfo> devices;
  if (arguments.has("device") || arguments.has("devices")) {
    for (const std::string& id : arguments.devices()) devices.push_back(choose_device(id, there));
  } else {
    devices.push_back(choose_device(experiment.device, there));
  }
  Plan plan = make_plan(experiment, registry, devices.front());
  use_devices(plan, devices);
  if (const auto shard = arguments.find("shard")) take_shard(plan, parse_shard(*shard));
  return plan;
}

ResultsDirectory results_directory(const Arguments& arguments, const std::string& command,
                                   const std::string& experiment) {
  if (arguments.has("output") && arguments.has("resume")) {
    throw UsageError(command + ": give either --output or --resume, not both");
  }
  if (const auto resumed = arguments.find("resume")) {
    static_cast<void>(read_manifest(*resumed));  // creates no directory that is not there
    return ResultsDirectory(*resumed);
  }
  const std::optional<std::string> output = arguments.find("output");
  return output ? ResultsDirectory(*output) : ResultsDirectory::create(experiment);
}

void report_on(const std::filesystem::path& directory) {
  const Report report = make_report(directory);
  write_report(report, directory);
  say(stdout, "{}Report: {}; all tables: {}\n", to_summary(report, wants_colour(stdout)),
      (directory / "report.html").string(), shell_command({"msda", "report", directory.string()}));
}

}  // namespace msda
