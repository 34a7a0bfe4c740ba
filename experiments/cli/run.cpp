#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "runner/supervise/manifest.hpp"
#include "runner/supervise/run.hpp"
#include "runner/supervise/say.hpp"
#include "runner/supervise/shell_words.hpp"

namespace msda {
namespace {

Arguments run_arguments() {
  Arguments arguments(
      {"run EXPERIMENT [OPTION...]",
       "Runs every cell of an experiment in a worker process, verifies it against the float64 "
       "reference, measures it in interleaved blocks, and prints the ablation table. A cell that "
       "crashes or hangs is recorded and the run goes on. Ctrl-C keeps all that has ended.",
       "  msda run experiments/quickstart.yaml\n"
       "  msda run experiments/ledger-48.yaml --device cuda:1 --output results/second-gpu\n"
       "  msda run experiments/ledger-000.yaml --devices cuda:0,cuda:1\n"
       "  msda run experiments/ledger-000.yaml --shard 2/8 --output results/shard-2\n"
       "  msda run experiments/quickstart.yaml --resume results/quickstart/20240131-120000\n",
       "0 all cells ok or skipped; 1 some cell was wrong, failed, crashed or hung; 2 wrong usage "
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

std::string resume_hint(const Arguments& arguments, const std::filesystem::path& directory) {
  std::vector<std::string> words{"msda", "run", arguments.words().front(), "--resume",
                                 directory.string()};
  for (const std::string option : {"device", "devices", "shard"}) {
    if (const auto value = arguments.find(option))
      words.insert(words.end(), {"--" + option, *value});
  }
  for (const std::string& plugins : arguments.all("plugin-dir")) {
    words.insert(words.end(), {"--plugin-dir", plugins});
  }
  return shell_command(words);
}

/// What can be told of a run that did not come to its end. Nothing takes the place of what ended
/// it.
void report_on_rest(const std::filesystem::path& directory, const std::string& hint) {
  try {
    report_on(directory);
  } catch (const std::exception& error) {
    say(stderr, "There is no report: {}\n", error.what());
  }
  say(stderr, "Finished cells are kept. Once the cause is removed, go on with:\n  {}\n", hint);
}

}  // namespace

int run_command(const std::vector<std::string>& words) {
  Arguments arguments = run_arguments();
  if (!arguments.parse(words)) return 0;
  survive_closed_pipes();
  const Registry registry = load_registry(arguments);
  const Experiment experiment =
      load_experiment(experiment_path(arguments.words().front()), registry);
  const Plan plan = plan_for(arguments, experiment, registry);
  std::vector<std::string> notes = plan.notes;
  if (plan.design) {
    for (std::string& note : dropped_notes(*plan.design)) notes.push_back(std::move(note));
  }
  for (std::string& note : best_notes(plan)) notes.push_back(std::move(note));
  for (const std::string& note : notes) say(stderr, "note: {}\n", note);
  const SessionOptions options = session_options(arguments, "run", words);
  const ResultsDirectory directory = results_directory(arguments, "run", experiment.name);
  if (arguments.has("resume") && read_manifest(directory.path()).search) {
    throw UsageError(fmt::format("{} is a search; go on with it by msda tune --resume",
                                 directory.path().string()));
  }
  const std::string hint = resume_hint(arguments, directory.path());
  RunOutcome outcome;
  try {
    outcome = run_experiment(experiment, plan, registry, directory, options);
  } catch (const Interrupted&) {
    if (std::filesystem::exists(directory.path() / kManifestFile)) {
      say(stderr, "\nInterrupted; what has ended is kept. To go on:\n  {}\n", hint);
    } else {
      say(stderr, "\nInterrupted before the first cell.\n");
    }
    return kInterruptedExitCode;
  } catch (const UsageError&) {
    throw;
  } catch (const std::exception&) {
    // The device is gone, or the disk is full; nothing to tell when that was before the first cell.
    if (std::filesystem::exists(directory.path() / kRecordsFile)) {
      report_on_rest(directory.path(), hint);
    }
    throw;
  }
  report_on(directory.path());
  if (outcome.interrupted > 0) {
    say(stderr, "Something outside the run ended {} of its cells. To try them again:\n  {}\n",
        outcome.interrupted, hint);
  }
  return static_cast<int>(outcome.failures == 0 ? ExitCode::kOk : ExitCode::kCellFailed);
}

}  // namespace msda
