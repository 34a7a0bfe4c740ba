#include <algorithm>
#include <exception>
#include <filesystem>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/arguments.hpp"
#include "cli/bench_words.hpp"
#include "cli/commands.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "files/write.hpp"
#include "runner/experiment/winners.hpp"
#include "runner/supervise/manifest.hpp"
#include "runner/supervise/run.hpp"
#include "runner/supervise/shell_words.hpp"
#include "runner/tune/candidates.hpp"
#include "runner/tune/screen.hpp"
#include "runner/tune/sets.hpp"
#include "runner/tune/tune_run.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;

Arguments tune_arguments() {
  std::string text =
      "Searches the space of an experiment for the fastest composition, for each of its problems "
      "and modes, and confirms the best in fresh processes on inputs that the search has not seen. "
      "Without EXPERIMENT the space that came with the program for the device is searched. A "
      "problem of your own, in words, takes the place of the experiment's:\n\n";
  text += problem_words_help();
  text += fmt::format("  mode=           {}, in place of the experiment's modes\n\n",
                      choices(all_names<TimingMode>()));
  text +=
      "Ctrl-C keeps all trials that have ended. The winners go to results/winners.yaml, where "
      "'use: best' finds them.";
  Arguments arguments(
      {"tune [EXPERIMENT] [KEY=VALUE...] [OPTION...]", text,
       "  msda tune experiments/tune.yaml --dry-run\n"
       "  msda tune experiments/tune.yaml --problem ddetr-encoder --budget '2 min'\n"
       "  msda tune preset=dino-encoder batch=8 dtype=bf16 mode=graph\n"
       "  msda tune batch=2 num_query=900 num_heads=8 channels=32 num_points=4 \\\n"
       "      levels=100x134,50x67,25x34,13x17 dtype=fp16 distribution=local sigma=2\n"
       "  msda tune experiments/tune.yaml --resume results/tune/20240131-120000\n",
       "0 every search has a winner, if only the baseline; 1 some problem has none: its baseline "
       "or all of its candidates failed, or no point was left to try; 2 wrong usage or invalid "
       "YAML; 3 something is missing here; 130 interrupted, can be resumed"});
  arguments.list("problem", "NAME", "search only this problem of the experiment");
  arguments.option("budget", "TIME", "for one problem in one mode, '2 min' (default: the space's)");
  arguments.option("seed", "N", "of all that the search draws at random (default 1)");
  arguments.flag("dry-run",
                 "count the points, and those that rules and variants remove; run nothing");
  arguments.option("winners", "FILE", "where the winners go (default: results/winners.yaml)");
  arguments.option("output", "DIR", "where the results go (default: results/<name>/<time>)");
  arguments.option("resume", "DIR", "go on with the search in DIR: its finished trials are kept");
  arguments.option("shard", "I/N", "search part I of N of the problems; 'msda merge' joins them");
  arguments.device_option();
  arguments.devices_option();
  arguments.plugin_option();
  arguments.words("EXPERIMENT or KEY=VALUE", 0, -1);
  return arguments;
}

bool is_word(const std::string& text) { return text.find('=') != std::string::npos; }

/// The experiment that was named, else the one that came with the program for the device.
fs::path experiment_file(const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.words();
  if (!words.empty() && !is_word(words.front())) return words.front();
  const std::string id = arguments.devices().front();
  const bool cpu = choose_device(id, list_devices()).kind == DeviceKind::kCpu;
  if (const auto file = shipped_experiment(cpu ? "tune-cpu.yaml" : "tune.yaml")) return *file;
  throw EnvironmentError("tune: the program came without its experiments; give an EXPERIMENT");
}

/// The problem of the words, if there are any, in place of the experiment's; its mode too.
void take_words(const Arguments& arguments, Experiment& experiment) {
  std::vector<std::string> given;
  for (const std::string& word : arguments.words()) {
    if (is_word(word)) given.push_back(word);
    if (!is_word(word) && word != arguments.words().front()) {
      throw UsageError(fmt::format("tune: '{}' is not key=value", word));
    }
  }
  Words words(given);
  if (const auto mode = words.take("mode")) experiment.measure.modes = {parse_timing_mode(*mode)};
  if (words.rest().empty()) return;
  words.refuse_rest("tune", {"mode"});
  ProblemSpec problem = problem_from_words(words, "mine");
  experiment.problems = {std::move(problem)};
  experiment.claims.clear();  // which may name other problems
}

void choose_problems(const Arguments& arguments, Experiment& experiment) {
  const std::vector<std::string> wanted = arguments.all("problem");
  if (wanted.empty()) return;
  std::vector<std::string> names;
  for (const ProblemSpec& problem : experiment.problems) names.push_back(problem.name());
  for (const std::string& name : wanted) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    throw UsageError(fmt::format("tune: no problem '{}'{}; there are: {}", name,
                                 suggestion(name, names), fmt::join(names, ", ")));
  }
  std::erase_if(experiment.problems, [&](const ProblemSpec& problem) {
    return std::find(wanted.begin(), wanted.end(), problem.name()) == wanted.end();
  });
  experiment.claims.clear();
}

TuneOptions tune_options(const Arguments& arguments, const fs::path& directory,
                         const std::vector<std::string>& command_line) {
  TuneOptions options{session_options(arguments, "tune", command_line), directory};
  if (const auto seed = arguments.integer("seed", 0)) {
    options.seed = static_cast<std::uint64_t>(*seed);
  }
  if (const auto budget = arguments.duration("budget")) options.budget_seconds = budget->count();
  return options;
}

/// The command that goes on: the same words, but for where the results go.
std::string resume_hint(const std::vector<std::string>& words, const fs::path& directory) {
  std::vector<std::string> hint{"msda", "tune"};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--output" || words[i] == "--resume") {
      ++i;
    } else if (!words[i].starts_with("--output=") && !words[i].starts_with("--resume=")) {
      hint.push_back(words[i]);
    }
  }
  hint.insert(hint.end(), {"--resume", directory.string()});
  return shell_command(hint);
}

/// Where the winners go besides the results, asked before the search. Nobody asked for the default
/// place, so that the search goes on without it; nullopt then.
std::optional<fs::path> winners_place(const Arguments& arguments) {
  const bool is_given = arguments.has("winners");
  const fs::path file = arguments.get("winners", default_winners_file().string());
  try {
    check_winners_file(file);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format(
        "tune: {}; the winners would go there: mend or move it, or give another --winners FILE",
        error.what()));
  } catch (const EnvironmentError& error) {
    if (is_given) {
      throw EnvironmentError(fmt::format("tune: {}; give another --winners FILE", error.what()));
    }
    fmt::print(stderr, "note: {}; they go to the results alone\n", error.what());
    return std::nullopt;
  }
  return file;
}

/// The results have them whatever becomes of the other place, so that the search is not lost.
void keep_winners(const std::vector<Winner>& winners, const std::optional<fs::path>& place,
                  const fs::path& directory, const std::string& hint, const Registry& registry) {
  if (winners.empty()) return;
  const fs::path own = directory / "winners.yaml";
  write_atomically(own, to_yaml(winners));
  try {
    if (place) {
      for (const Winner& winner : save_winners(*place, winners, registry)) {
        fmt::print("{}: nothing was confirmed, so that the winner of {} stays\n",
                   winner.problem.name(), winner.date);
      }
    }
  } catch (const std::exception&) {
    fmt::print(stderr,
               "The winners are in {}, and {} is as it was. To add them, once the cause is removed "
               "(nothing is searched again):\n  {}\n",
               own.string(), place->string(), hint);
    throw;
  }
  fmt::print("Winners: {}\n", place.value_or(own).string());
}

/// How a search goes about a space of this size, as far as its budget reaches.
std::string way_of(const SpaceSpec& spec, const SpaceCount& count) {
  if (count.left == 0) return "search    nothing but the known arms: no point is left";
  if (count.is_whole() && count.left <= spec.enumerate) return "search    every point";
  return fmt::format("search    a screen of {} points, then what a model of their effects proposes",
                     screening_size(spec.space));
}

void print_counts(const Experiment& experiment, const Plan& plan, const Registry& registry) {
  if (experiment.space->together) check_together(plan);
  std::set<std::size_t> counted;
  for (const Set& set : sets_of(plan, plan.groups, experiment.space->together)) {
    const std::vector<ProblemSpec> problems = problems_of(plan, set);
    const std::string title = title_of(problems);
    if (const std::string reason = mode_refusal(plan, set.front().mode); !reason.empty()) {
      fmt::print("{} cannot be searched in mode {} on {}: {}\n", title, name_of(set.front().mode),
                 plan.device.id, reason);
      continue;
    }
    if (!counted.insert(set.front().problem).second) continue;  // the same in every mode
    const std::vector<Arm> arms = arms_of_all(plan, set);
    const Arm* baseline = baseline_for(plan, arms, problems);
    if (baseline == nullptr) {
      fmt::print("{}: no arm can run\n", title);
      continue;
    }
    const std::vector<Arm> known = known_arms(arms, *baseline);
    const Candidates candidates(registry, *experiment.space, *baseline, known, problems,
                                plan.device);
    fmt::print("{} on {}, to beat: {}\n{}{}\n", title, plan.device.id, baseline->name,
               to_text(candidates.count()), way_of(*experiment.space, candidates.count()));
  }
}

}  // namespace

int tune_command(const std::vector<std::string>& words) {
  Arguments arguments = tune_arguments();
  if (!arguments.parse(words)) return 0;
  const Registry registry = load_registry(arguments);
  Experiment experiment = load_experiment(experiment_file(arguments), registry);
  if (!experiment.space) {
    throw UsageError(fmt::format("tune: {} has no 'space' to search (docs/tuning.md)",
                                 experiment.file.string()));
  }
  take_words(arguments, experiment);
  choose_problems(arguments, experiment);
  const Plan plan = plan_for(arguments, experiment, registry);
  for (const std::string& note : plan.notes) fmt::print(stderr, "note: {}\n", note);
  if (arguments.has("dry-run")) {
    print_counts(experiment, plan, registry);
    return 0;
  }
  const std::optional<fs::path> winners_file = winners_place(arguments);
  const ResultsDirectory directory = results_directory(arguments, "tune", experiment.name);
  const TuneOptions options = tune_options(arguments, directory.path(), words);
  const std::string hint = resume_hint(words, options.directory);
  TuneOutcome outcome;
  try {
    outcome = tune(experiment, plan, registry, options);
  } catch (const Interrupted&) {
    if (fs::exists(options.directory / kRecordsFile)) report_on(options.directory);
    fmt::print(stderr, "\nInterrupted; all trials that have ended are kept. To go on:\n  {}\n",
               hint);
    return kInterruptedExitCode;
  } catch (const EnvironmentError&) {
    if (!fs::exists(options.directory / kRecordsFile)) throw;
    fmt::print(stderr, "What has ended is kept. To go on, once the cause is removed:\n  {}\n",
               hint);
    throw;
  }
  report_on(options.directory);
  keep_winners(outcome.winners, winners_file, options.directory, hint, registry);
  return static_cast<int>(outcome.failures == 0 ? ExitCode::kOk : ExitCode::kCellFailed);
}

}  // namespace msda
