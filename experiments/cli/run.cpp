#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "render/formats.hpp"
#include "runner/supervise/manifest.hpp"
#include "runner/supervise/run.hpp"

namespace msda {
namespace {

Arguments run_arguments() {
  Arguments arguments(
      {"run EXPERIMENT [OPTION...]",
       "Runs every cell of an experiment in a worker process, verifies it against the float64\n"
       "reference, measures it in interleaved blocks, and prints the ablation table. A cell that\n"
       "crashes or hangs is recorded and the run goes on. Ctrl-C keeps all that has ended.",
       "  msda run experiments/quickstart.yaml\n"
       "  msda run experiments/ledger-48.yaml --device cuda:1 --output results/second-gpu\n"
       "  msda run experiments/ledger-000.yaml --devices cuda:0,cuda:1\n"
       "  msda run experiments/ledger-000.yaml --shard 2/8 --output results/shard-2\n"
       "  msda run experiments/quickstart.yaml --resume results/quickstart/20240131-120000\n",
       "0 all cells ok or skipped; 1 some cell was wrong, failed, crashed or hung; 2 wrong usage\n"
       "or invalid YAML; 3 something is missing here; 130 interrupted, can be resumed"});
  arguments.option("output", "DIR", "where the results go (default: results/<name>/<time>)");
  arguments.option("resume", "DIR", "go on with the run in DIR: its finished cells are kept");
  arguments.option("shard", "I/N",
                   "run part I of N; 'msda merge' joins the parts (docs/cluster.md)");
  arguments.device_option();
  arguments.devices_option();
  arguments.plugin_option();
  arguments.words("EXPERIMENT", 1, 1);
  return arguments;
}

RunOptions run_options(const Arguments& arguments, const Experiment& experiment,
                       const std::vector<std::string>& command_line) {
  if (arguments.has("output") && arguments.has("resume")) {
    throw UsageError("run: give either --output or --resume, not both");
  }
  RunOptions options;
  options.program = program_path();
  options.command_line = command_line;
  options.command_line.insert(options.command_line.begin(), {"msda", "run"});
  options.plugin_directories = arguments.plugin_directories();
  options.resume = arguments.has("resume");
  const std::optional<std::string> given = arguments.find(options.resume ? "resume" : "output");
  options.directory =
      given ? std::filesystem::path(*given) : default_results_directory(experiment.name);
  options.progress_live = is_terminal(stderr);
  return options;
}

std::string resume_hint(const Arguments& arguments, const std::filesystem::path& directory) {
  std::string hint =
      fmt::format("msda run {} --resume {}", arguments.words().front(), directory.string());
  for (const char* option : {"device", "devices", "shard"}) {
    if (const auto value = arguments.find(option)) hint += fmt::format(" --{} {}", option, *value);
  }
  for (const std::string& plugins : arguments.all("plugin-dir")) hint += " --plugin-dir " + plugins;
  return hint;
}

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
  if (const auto shard = arguments.find("shard")) {
    plan.shard = parse_shard(*shard);
    plan.groups = part_of(plan.groups, plan.shard);
  }
  return plan;
}

void report_on(const std::filesystem::path& directory) {
  const Report report = make_report(directory);
  write_report(report, directory);
  fmt::print("{}Results: {}\n", to_terminal(report, wants_colour(stdout)), directory.string());
}

}  // namespace

int run_command(const std::vector<std::string>& words) {
  Arguments arguments = run_arguments();
  if (!arguments.parse(words)) return 0;
  const Registry registry = load_registry(arguments);
  const Experiment experiment = load_experiment(arguments.words().front(), registry);
  const Plan plan = plan_for(arguments, experiment, registry);
  const RunOptions options = run_options(arguments, experiment, words);
  std::vector<std::string> notes = plan.notes;
  if (plan.design) {
    for (std::string& note : dropped_notes(*plan.design)) notes.push_back(std::move(note));
  }
  for (const std::string& note : notes) fmt::print(stderr, "note: {}\n", note);
  int failures = 0;
  try {
    failures = run_experiment(experiment, plan, registry, options);
  } catch (const Interrupted&) {
    if (std::filesystem::exists(options.directory / kManifestFile)) {
      fmt::print(stderr, "\nInterrupted; what has ended is kept. To go on:\n  {}\n",
                 resume_hint(arguments, options.directory));
    } else {
      fmt::print(stderr, "\nInterrupted before the first cell.\n");
    }
    return kInterruptedExitCode;
  } catch (const EnvironmentError&) {
    // The device is gone, or the disk is full; nothing to tell when that was before the first cell.
    if (!std::filesystem::exists(options.directory / kRecordsFile)) throw;
    report_on(options.directory);
    fmt::print(stderr, "Finished cells are kept. Once the cause is removed, go on with:\n  {}\n",
               resume_hint(arguments, options.directory));
    throw;
  }
  report_on(options.directory);
  return static_cast<int>(failures == 0 ? ExitCode::kOk : ExitCode::kCellFailed);
}

}  // namespace msda
