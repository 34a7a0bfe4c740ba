#include "runner/tune/tune_run.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "reference/bounds.hpp"
#include "runner/supervise/device_queue.hpp"
#include "runner/supervise/run_session.hpp"
#include "runner/supervise/shell_words.hpp"
#include "runner/tune/group_bench.hpp"
#include "runner/tune/search.hpp"
#include "runner/tune/searched.hpp"
#include "runner/tune/set_bench.hpp"
#include "runner/tune/sets.hpp"
#include "runner/tune/tune_progress.hpp"
#include "version.hpp"

namespace msda {
namespace {

class TuneRun {
 public:
  TuneRun(const Experiment& experiment, const Plan& plan, const Registry& registry,
          const TuneOptions& options)
      : experiment_(experiment),
        plan_(plan),
        registry_(registry),
        options_(options),
        session_(
            experiment, plan, options.directory, options,
            [this](std::size_t device, const auto& event) { progress_[device]->on_event(event); }) {
    const bool alone = plan.devices.size() == 1;
    for (std::size_t i = 0; i < plan.devices.size(); ++i) {
      progress_.push_back(
          std::make_unique<TuneProgress>(options.progress, options.progress_live && alone));
    }
  }

  TuneOutcome run();

 private:
  SearchSettings settings_for(const Group& group) const;
  void prepare(Manifest& manifest) const;
  void give_up(std::size_t device, const Set& set, const std::string& reason);
  void tune_set(std::size_t device, const Set& set);
  SearchEnd search(std::size_t device, const Set& set, const Arm& baseline,
                   const Candidates& candidates);
  void confirm_finalists(std::size_t device, const Set& set, const Arm& baseline,
                         const SearchEnd& end, const Candidates& candidates);
  void note(const Set& set, SearchEntry searched);
  void note_winner(const SearchEntry& searched, const Winner& winner);
  TuneOutcome outcome();
  /// Largest relative L2 error of a candidate that is wanted.
  double error_bound(const ProblemSpec& problem) const {
    return experiment_.space->error.value_or(acceptable_error(problem.problem));
  }

  const Experiment& experiment_;
  const Plan& plan_;
  const Registry& registry_;
  const TuneOptions& options_;
  std::vector<std::unique_ptr<TuneProgress>> progress_;  ///< one for each device
  RunSession session_;                                   ///< after them: they get its events
  std::optional<SearchLog> log_;
};

/// A candidate that hangs must not take the time of all others.
void limit_silences(double budget_seconds, Timeouts& timeouts) {
  constexpr double kShare = 0.1;
  const Timeouts::Seconds most(std::max(10.0, kShare * budget_seconds));
  for (Timeouts::Seconds* one :
       {&timeouts.compile, &timeouts.prepare, &timeouts.verify, &timeouts.measure}) {
    *one = std::min(*one, most);
  }
}

/// What a search has in its manifest besides. An earlier one goes on only as it was.
void TuneRun::prepare(Manifest& manifest) const {
  const SearchBudget budget{options_.seed,
                            options_.budget_seconds.value_or(experiment_.space->budget.count())};
  if (!options_.resume) {
    manifest.plan.cells.clear();  // known when a search has ended
    manifest.space = experiment_.space->space;
    manifest.search = budget;
  } else if (manifest.search != budget) {
    throw UsageError("cannot resume: the search had another seed or budget; give it the same");
  }
}

TuneOutcome TuneRun::run() {
  session_.begin(registry_, [this](Manifest& manifest) { prepare(manifest); });
  log_.emplace(options_.directory / kSearchFile);
  session_.run([this](std::size_t device, const std::vector<Group>& groups) {
    for (const Set& set : sets_of(plan_, groups, experiment_.space->together)) {
      tune_set(device, set);
    }
  });
  return outcome();
}

/// Groups differ in their seeds, and each has the same whatever other groups there are.
SearchSettings TuneRun::settings_for(const Group& group) const {
  const SpaceSpec& spec = *experiment_.space;
  SearchSettings settings;
  settings.seed =
      options_.seed * 1'000'003 + group.problem * 7 + static_cast<std::uint64_t>(group.mode);
  settings.budget_seconds = options_.budget_seconds.value_or(spec.budget.count());
  settings.confirming_processes = plan_.measure.processes;
  settings.enumerate = spec.enumerate;
  settings.finalists = static_cast<std::size_t>(spec.finalists);
  return settings;
}

/// What there is to say of a set that is not searched at all.
void TuneRun::give_up(std::size_t device, const Set& set, const std::string& reason) {
  progress_[device]->say(reason);
  SearchEntry entry;
  entry.failure = reason;
  note(set, std::move(entry));
}

void TuneRun::tune_set(std::size_t device, const Set& set) {
  const std::vector<ProblemSpec> problems = problems_of(plan_, set);
  const TimingMode mode = set.front().mode;
  const std::string title = title_of(problems);
  if (const std::string reason = mode_refusal(plan_, mode); !reason.empty()) {
    return give_up(device, set,
                   fmt::format("{} cannot be searched in mode {} on {}: {}", title, name_of(mode),
                               plan_.device.id, reason));
  }
  const std::vector<Arm> arms = arms_of_all(plan_, set);
  const Arm* baseline = baseline_for(plan_, arms, problems);
  if (baseline == nullptr) {
    return give_up(
        device, set,
        fmt::format("no arm can run {} on {}; a search needs one to beat", title, plan_.device.id));
  }
  const std::vector<Arm> known = known_arms(arms, *baseline);
  const Candidates candidates(registry_, *experiment_.space, *baseline, known, problems,
                              plan_.device);
  progress_[device]->begin(fmt::format("{} {}", title, name_of(mode)), candidates,
                           settings_for(set.front()).budget_seconds);
  SearchEnd end;
  SearchEntry searched = search_entry(baseline->name, candidates, end);
  try {
    end = search(device, set, *baseline, candidates);
    searched = search_entry(baseline->name, candidates, end);
  } catch (const BaselineFailed& error) {  // on this problem; others may be searched all the same
    searched.failure = error.what();
    progress_[device]->say(error.what());
  }
  note(set, std::move(searched));
  session_.records().add(session_.supervisor(device).take_ranges());
  confirm_finalists(device, set, *baseline, end, candidates);
  progress_[device]->end();
}

SearchEnd TuneRun::search(std::size_t device, const Set& set, const Arm& baseline,
                          const Candidates& candidates) {
  GroupRequest request;
  request.experiment = experiment_.name;
  request.mode = set.front().mode;
  request.baseline = baseline.name;
  request.arms = {baseline};
  request.measure = plan_.measure;
  limit_silences(settings_for(set.front()).budget_seconds, request.measure.timeouts);
  std::vector<std::unique_ptr<Bench>> benches;
  for (const ProblemSpec& problem : problems_of(plan_, set)) {
    request.problem = problem;
    benches.push_back(std::make_unique<GroupBench>(request, error_bound(problem), candidates,
                                                   session_.supervisor(device), *log_));
  }
  SetBench bench(std::move(benches));
  const Pool pool{experiment_.space->space,
                  [&](std::uint64_t number) { return candidates.refusal(number).empty(); },
                  candidates.all(), candidates.known()};
  Search search(pool, bench, settings_for(set.front()),
                [&](const Trial& trial, const Scoreboard& board, bool done) {
                  progress_[device]->on_trial(trial, board, done, bench.seconds());
                });
  return search.run();
}

/// The finalists against the baseline as an experiment of their own, in worker processes that the
/// search has not used.
void TuneRun::confirm_finalists(std::size_t device, const Set& set, const Arm& baseline,
                                const SearchEnd& end, const Candidates& candidates) {
  if (end.finalists.empty()) return;
  Plan plan = plan_;
  plan.arms = {baseline};
  plan.baseline = baseline.name;
  plan.groups = set;
  plan.measure.processes = end.confirming_processes;
  plan.measure.budget =
      std::min(plan.measure.budget, std::chrono::duration<double>(end.sampling_seconds) /
                                        static_cast<double>(set.size()));
  for (const std::uint64_t finalist : end.finalists) {
    plan.arms.push_back(candidates.arm(finalist));
  }
  if (plan.measure.noise_pair) add_noise_pair(plan);
  Progress& progress = progress_[device]->begin_confirmation(
      static_cast<std::size_t>(plan.measure.processes), plan.measure);
  session_.supervisor(device).end_worker();
  DeviceQueue(plan, experiment_.name, set, session_.supervisor(device), session_.records(),
              progress)
      .run();
}

/// Takes the place of what an interrupted search has left there.
void TuneRun::note(const Set& set, SearchEntry searched) {
  searched.mode = set.front().mode;
  const std::vector<ProblemSpec> problems = problems_of(plan_, set);
  if (problems.size() > 1) {
    for (const ProblemSpec& problem : problems) searched.together.push_back(problem.name());
  }
  session_.change([&](Manifest& manifest) {
    for (const ProblemSpec& problem : problems) {
      searched.problem = problem.name();
      std::erase_if(manifest.searches, [&](const SearchEntry& one) {
        return one.problem == searched.problem && one.mode == searched.mode;
      });
      manifest.searches.push_back(searched);
    }
  });
}

/// Reports are made of the manifest, and cannot tell the winner of all from records of single ones.
void TuneRun::note_winner(const SearchEntry& searched, const Winner& winner) {
  const auto found = std::ranges::find_if(
      searched.finalists, [&](const FinalistEntry& one) { return one.uses == winner.uses; });
  if (found == searched.finalists.end()) return;
  const std::string name = found->name;
  const std::vector<std::string> together = searched.together;
  const TimingMode mode = searched.mode;
  session_.change([&](Manifest& manifest) {
    for (SearchEntry& one : manifest.searches) {
      if (one.together == together && one.mode == mode) one.winner = name;
    }
  });
}

TuneOutcome TuneRun::outcome() {
  TuneOutcome outcome;
  FoundBy found_by;
  found_by.device = plan_.device;
  found_by.date = utc_time().substr(0, 10);
  found_by.command = shell_command(options_.command_line);
  found_by.program = fmt::format("{} ({})", kVersion, git_state());
  found_by.worst = experiment_.space->worst;
  const std::vector<SearchEntry> searches = session_.manifest().searches;
  for (const SearchEntry& searched : searches) {
    // Of those that were searched together the first speaks for all.
    if (!searched.together.empty() && searched.problem != searched.together.front()) continue;
    const std::vector<std::string> names =
        searched.together.empty() ? std::vector{searched.problem} : searched.together;
    Set set;
    std::vector<std::vector<Record>> records;
    for (std::size_t place = 0; place < plan_.problems.size(); ++place) {
      const std::string& name = plan_.problems[place].name();
      if (std::find(names.begin(), names.end(), name) == names.end()) continue;
      set.push_back({place, searched.mode});
      records.push_back(session_.records().of(name, searched.mode));
    }
    const std::vector<ProblemSpec> problems = problems_of(plan_, set);
    found_by.error = error_bound(problems.front());
    auto winner = winner_of(searched, problems, arms_of_all(plan_, set), records, found_by);
    if (winner) {
      if (problems.size() > 1) note_winner(searched, *winner);
      outcome.winners.push_back(*std::move(winner));
    } else {
      ++outcome.failures;
    }
  }
  return outcome;
}

}  // namespace

TuneOutcome tune(const Experiment& experiment, const Plan& plan, const Registry& registry,
                 const TuneOptions& options) {
  if (!experiment.space) {
    throw UsageError(
        fmt::format("{} has no 'space' to search; see docs/tuning.md", experiment.file.string()));
  }
  if (!plan.measures()) {
    throw UsageError(
        fmt::format("{} measures nothing, so that there is nothing to search by; "
                    "choose another device with --device",
                    plan.device.id));
  }
  if (experiment.space->together) check_together(plan);
  return TuneRun(experiment, plan, registry, options).run();
}

}  // namespace msda
