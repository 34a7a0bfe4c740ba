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
  void give_up(std::size_t device, const Group& group, const std::string& reason);
  void tune_group(std::size_t device, const Group& group);
  SearchEnd search(std::size_t device, const Group& group, const Arm& baseline,
                   const Candidates& candidates);
  void confirm_finalists(std::size_t device, const Group& group, const Arm& baseline,
                         const SearchEnd& end, const Candidates& candidates);
  void note(SearchEntry searched);
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
    for (const Group& group : groups) tune_group(device, group);
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

/// What there is to say of a group that is not searched at all.
void TuneRun::give_up(std::size_t device, const Group& group, const std::string& reason) {
  progress_[device]->say(reason);
  SearchEntry entry;
  entry.problem = plan_.problem_of(group).name();
  entry.mode = group.mode;
  entry.failure = reason;
  note(std::move(entry));
}

void TuneRun::tune_group(std::size_t device, const Group& group) {
  const ProblemSpec& problem = plan_.problem_of(group);
  if (const std::string reason = mode_refusal(plan_, group.mode); !reason.empty()) {
    return give_up(device, group,
                   fmt::format("{} cannot be searched in mode {} on {}: {}", problem.name(),
                               name_of(group.mode), plan_.device.id, reason));
  }
  const std::vector<Arm> arms = arms_of(plan_, group);
  const Arm* baseline = baseline_for(plan_, arms, problem);
  if (baseline == nullptr) {
    return give_up(device, group,
                   fmt::format("no arm can run {} on {}; a search needs one to beat",
                               problem.name(), plan_.device.id));
  }
  const std::vector<Arm> known = known_arms(arms, *baseline);
  const Candidates candidates(registry_, *experiment_.space, *baseline, known, problem,
                              plan_.device);
  progress_[device]->begin(fmt::format("{} {}", problem.name(), name_of(group.mode)), candidates,
                           settings_for(group).budget_seconds);
  SearchEnd end;
  SearchEntry searched = search_entry(problem.name(), group.mode, baseline->name, candidates, end);
  try {
    end = search(device, group, *baseline, candidates);
    searched = search_entry(problem.name(), group.mode, baseline->name, candidates, end);
  } catch (const BaselineFailed& error) {  // on this problem; others may be searched all the same
    searched.failure = error.what();
    progress_[device]->say(error.what());
  }
  note(std::move(searched));
  session_.records().add(session_.supervisor(device).take_ranges());
  confirm_finalists(device, group, *baseline, end, candidates);
  progress_[device]->end();
}

SearchEnd TuneRun::search(std::size_t device, const Group& group, const Arm& baseline,
                          const Candidates& candidates) {
  GroupRequest request;
  request.experiment = experiment_.name;
  request.problem = plan_.problem_of(group);
  request.mode = group.mode;
  request.baseline = baseline.name;
  request.arms = {baseline};
  request.measure = plan_.measure;
  limit_silences(settings_for(group).budget_seconds, request.measure.timeouts);
  const double error = error_bound(request.problem);
  GroupBench bench(std::move(request), error, candidates, session_.supervisor(device), *log_);
  const Pool pool{experiment_.space->space,
                  [&](std::uint64_t number) { return candidates.refusal(number).empty(); },
                  candidates.all(), candidates.known()};
  Search search(pool, bench, settings_for(group),
                [&](const Trial& trial, const Scoreboard& board, bool done) {
                  progress_[device]->on_trial(trial, board, done, bench.seconds());
                });
  return search.run();
}

/// The finalists against the baseline as an experiment of their own, in worker processes that the
/// search has not used.
void TuneRun::confirm_finalists(std::size_t device, const Group& group, const Arm& baseline,
                                const SearchEnd& end, const Candidates& candidates) {
  if (end.finalists.empty()) return;
  Plan plan = plan_;
  plan.arms = {baseline};
  plan.baseline = baseline.name;
  plan.groups = {group};
  plan.measure.processes = end.confirming_processes;
  plan.measure.budget =
      std::min(plan.measure.budget, std::chrono::duration<double>(end.sampling_seconds));
  for (const std::uint64_t finalist : end.finalists) {
    plan.arms.push_back(candidates.arm(finalist));
  }
  if (plan.measure.noise_pair) add_noise_pair(plan);
  Progress& progress = progress_[device]->begin_confirmation(
      static_cast<std::size_t>(plan.measure.processes), plan.measure);
  session_.supervisor(device).end_worker();
  DeviceQueue(plan, experiment_.name, {group}, session_.supervisor(device), session_.records(),
              progress)
      .run();
}

/// Takes the place of what an interrupted search has left there.
void TuneRun::note(SearchEntry searched) {
  session_.change([&](Manifest& manifest) {
    std::erase_if(manifest.searches, [&](const SearchEntry& one) {
      return one.problem == searched.problem && one.mode == searched.mode;
    });
    manifest.searches.push_back(std::move(searched));
  });
}

TuneOutcome TuneRun::outcome() {
  TuneOutcome outcome;
  FoundBy found_by{plan_.device, 0, utc_time().substr(0, 10), shell_command(options_.command_line),
                   fmt::format("{} ({})", kVersion, git_state())};
  for (const SearchEntry& searched : session_.manifest().searches) {
    const auto problem =
        std::find_if(plan_.problems.begin(), plan_.problems.end(),
                     [&](const ProblemSpec& spec) { return spec.name() == searched.problem; });
    const auto place = static_cast<std::size_t>(problem - plan_.problems.begin());
    found_by.error = error_bound(*problem);
    auto winner = winner_of(searched, *problem, arms_of(plan_, {place, searched.mode}),
                            session_.records().of(problem->name(), searched.mode), found_by);
    if (winner) {
      outcome.winners.push_back(*std::move(winner));
    } else {
      ++outcome.failures;
    }
  }
  return outcome;
}

}  // namespace

const Arm* baseline_for(const Plan& plan, const std::vector<Arm>& arms,
                        const ProblemSpec& problem) {
  const auto can_run = [&](const Arm& arm) {
    return unsupported_reason(arm, problem, plan.device).empty();
  };
  const auto first = std::find_if(arms.begin(), arms.end(), [&](const Arm& arm) {
    return arm.name == plan.baseline && can_run(arm);
  });
  if (first != arms.end()) return &*first;
  const auto other = std::find_if(arms.begin(), arms.end(), can_run);
  return other == arms.end() ? nullptr : &*other;
}

std::string mode_refusal(const Plan& plan, TimingMode mode) {
  // A GPU has every mode, and opening it here would take memory that the workers measure with.
  if (plan.device.kind != DeviceKind::kCpu) return "";
  return open_device(plan.device.id)->mode_unsupported(mode);
}

std::vector<Arm> known_arms(const std::vector<Arm>& arms, const Arm& baseline) {
  std::vector<Arm> known;
  for (const Arm& arm : arms) {
    if (arm.composition != baseline.composition && arm.refused.empty()) known.push_back(arm);
  }
  return known;
}

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
  return TuneRun(experiment, plan, registry, options).run();
}

}  // namespace msda
