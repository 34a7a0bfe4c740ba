#include "runner/tune/tune_run.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "reference/reference.hpp"
#include "runner/supervise/device_queue.hpp"
#include "runner/supervise/manifest.hpp"
#include "runner/supervise/shell_words.hpp"
#include "runner/tune/group_bench.hpp"
#include "runner/tune/search.hpp"
#include "runner/tune/searched.hpp"
#include "runner/tune/tune_progress.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// A device with its worker and its line on the terminal.
struct DeviceShare {
  std::unique_ptr<TuneProgress> progress;  ///< before the worker, whose events it gets
  std::unique_ptr<Supervisor> supervisor;
};

class TuneRun {
 public:
  TuneRun(const Experiment& experiment, const Plan& plan, const Registry& registry,
          const TuneOptions& options)
      : experiment_(experiment), plan_(plan), registry_(registry), options_(options) {
    for (const std::string& device : plan.devices) {
      DeviceShare& share = shares_.emplace_back();
      const bool alone = plan.devices.size() == 1;
      share.progress =
          std::make_unique<TuneProgress>(options.progress, options.progress_live && alone);
      SupervisorOptions supervisor{options.program, device, options.plugin_directories,
                                   shares_.size() == 1};
      share.supervisor = std::make_unique<Supervisor>(
          std::move(supervisor),
          [progress = share.progress.get()](const json& event) { progress->on_event(event); });
    }
  }

  void begin();
  void run();
  void end(const char* status, const std::string& because = "");
  TuneOutcome outcome() const;

 private:
  json search_settings() const;
  SearchSettings settings_for(const Group& group) const;
  void give_up(DeviceShare& share, const Group& group, const std::string& reason);
  void tune_group(DeviceShare& share, const Group& group);
  void keep_ranges(DeviceShare& share) noexcept;
  SearchEnd search(DeviceShare& share, const Group& group, const Arm& baseline,
                   const Candidates& candidates);
  void confirm_finalists(DeviceShare& share, const Group& group, const Arm& baseline,
                         const SearchEnd& end, const Candidates& candidates);
  void note(json searched);
  /// Largest relative L2 error of a candidate that is wanted.
  double error_bound(const ProblemSpec& problem) const {
    return experiment_.space->error.value_or(acceptable_error(problem.problem));
  }

  const Experiment& experiment_;
  const Plan& plan_;
  const Registry& registry_;
  const TuneOptions& options_;
  std::mutex mutex_;  ///< of the manifest
  json manifest_;
  std::optional<RunRecords> records_;
  std::optional<SearchLog> log_;
  std::vector<DeviceShare> shares_;
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

json TuneRun::search_settings() const {
  const SpaceSpec& spec = *experiment_.space;
  return {{"seed", options_.seed},
          {"budget_seconds", options_.budget_seconds.value_or(spec.budget.count())}};
}

void TuneRun::begin() {
  if (options_.resume) {
    manifest_ = read_manifest(options_.directory);
    check_resumable(manifest_, experiment_, plan_, registry_);
    if (manifest_.value("search", json()) != search_settings()) {
      throw UsageError("cannot resume: the search had another seed or budget; give it the same");
    }
    manifest_["status"] = run_status::kRunning;
    manifest_["resumed"].push_back({{"time", utc_time()}, {"command_line", options_.command_line}});
  } else {
    manifest_ = make_manifest(experiment_, plan_, registry_, shares_.front().supervisor->ready(),
                              options_.command_line);
    manifest_["plan"]["cells"] = json::array();  // known when a search has ended
    manifest_["space"] = to_json(experiment_.space->space);
    manifest_["search"] = search_settings();
    manifest_["searches"] = json::array();
    std::error_code error;
    fs::create_directories(options_.directory, error);
    if (error) {
      throw EnvironmentError(fmt::format("cannot create the results directory {}: {}",
                                         options_.directory.string(), error.message()));
    }
  }
  write_manifest(options_.directory, manifest_);
  records_.emplace(options_.directory / kRecordsFile);
  log_.emplace(options_.directory / kSearchFile);
}

/// Each device searches its part of the groups. Throws what ended the first share that did not end
/// well, after all have ended.
void TuneRun::run() {
  const auto count = static_cast<int>(shares_.size());
  std::vector<std::exception_ptr> failures(shares_.size());
  std::vector<std::thread> threads;
  threads.reserve(failures.size());
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([this, i, count, &failures] {
      const auto place = static_cast<std::size_t>(i);
      try {
        for (const Group& group : part_of(plan_.groups, {i + 1, count})) {
          tune_group(shares_[place], group);
        }
      } catch (...) {
        failures[place] = std::current_exception();
      }
      keep_ranges(shares_[place]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

/// Maybe behind an exception, whose place nothing may take.
void TuneRun::keep_ranges(DeviceShare& share) noexcept {
  try {
    records_->add(share.supervisor->take_ranges());
  } catch (const std::exception& error) {
    share.progress->say(fmt::format("The time line of the search has a gap: {}", error.what()));
  }
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
void TuneRun::give_up(DeviceShare& share, const Group& group, const std::string& reason) {
  share.progress->say(reason);
  note({{"problem", plan_.problem_of(group).name()},
        {"mode", name_of(group.mode)},
        {"baseline", ""},
        {"finalists", json::array()},
        {"failure", reason}});
}

void TuneRun::tune_group(DeviceShare& share, const Group& group) {
  const ProblemSpec& problem = plan_.problem_of(group);
  if (const std::string reason = mode_refusal(plan_, group.mode); !reason.empty()) {
    return give_up(share, group,
                   fmt::format("{} cannot be searched in mode {} on {}: {}", problem.name(),
                               name_of(group.mode), plan_.device.id, reason));
  }
  const std::vector<Arm> arms = arms_of(plan_, group);
  const Arm* baseline = baseline_for(plan_, arms, registry_, problem.problem);
  if (baseline == nullptr) {
    return give_up(share, group,
                   fmt::format("no arm can run {} on {}; a search needs one to beat",
                               problem.name(), plan_.device.id));
  }
  const std::vector<Arm> known = known_arms(arms, *baseline);
  const Candidates candidates(registry_, *experiment_.space, *baseline, known, problem.problem,
                              plan_.device);
  share.progress->begin(fmt::format("{} {}", problem.name(), name_of(group.mode)), candidates,
                        settings_for(group).budget_seconds);
  SearchEnd end;
  json searched = searched_json(problem.name(), group.mode, baseline->name, candidates, end);
  try {
    end = search(share, group, *baseline, candidates);
    searched = searched_json(problem.name(), group.mode, baseline->name, candidates, end);
  } catch (const BaselineFailed& error) {  // on this problem; others may be searched all the same
    searched["failure"] = error.what();
    share.progress->say(error.what());
  }
  note(std::move(searched));
  records_->add(share.supervisor->take_ranges());
  confirm_finalists(share, group, *baseline, end, candidates);
  share.progress->end();
}

SearchEnd TuneRun::search(DeviceShare& share, const Group& group, const Arm& baseline,
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
  GroupBench bench(std::move(request), error, candidates, *share.supervisor, *log_);
  const Pool pool{experiment_.space->space,
                  [&](std::uint64_t number) { return candidates.refusal(number).empty(); },
                  candidates.all(), candidates.known()};
  Search search(pool, bench, settings_for(group),
                [&](const Trial& trial, const Scoreboard& board, bool done) {
                  share.progress->on_trial(trial, board, done, bench.seconds());
                });
  return search.run();
}

/// The finalists against the baseline as an experiment of their own, in worker processes that the
/// search has not used.
void TuneRun::confirm_finalists(DeviceShare& share, const Group& group, const Arm& baseline,
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
  Progress& progress = share.progress->begin_confirmation(
      static_cast<std::size_t>(plan.measure.processes), plan.measure);
  share.supervisor->end_worker();
  DeviceQueue(plan, experiment_.name, {group}, *share.supervisor, *records_, progress).run();
}

/// Takes the place of what an interrupted search has left there.
void TuneRun::note(json searched) {
  const std::lock_guard lock(mutex_);
  json& searches = manifest_["searches"];
  std::erase_if(searches.get_ref<json::array_t&>(), [&](const json& one) {
    return one.at("problem") == searched.at("problem") && one.at("mode") == searched.at("mode");
  });
  searches.push_back(std::move(searched));
  write_manifest(options_.directory, manifest_);
}

void TuneRun::end(const char* status, const std::string& because) {
  manifest_["status"] = status;
  manifest_.erase("stopped_because");
  if (!because.empty()) manifest_["stopped_because"] = because;
  manifest_["ended"] = utc_time();
  std::map<std::string, double> phases;
  for (const DeviceShare& share : shares_) {
    for (const auto& [phase, seconds] : share.supervisor->phase_seconds()) phases[phase] += seconds;
  }
  manifest_["time"] = added_times(manifest_.value("time", json::object()), time_to_json(phases));
  write_manifest(options_.directory, manifest_);
}

TuneOutcome TuneRun::outcome() const {
  TuneOutcome outcome;
  FoundBy found_by{plan_.device, 0, utc_time().substr(0, 10), shell_command(options_.command_line),
                   fmt::format("{} ({})", MSDA_VERSION, git_state())};
  for (const json& searched : manifest_.at("searches")) {
    const auto name = searched.at("problem").get<std::string>();
    const auto problem = std::find_if(plan_.problems.begin(), plan_.problems.end(),
                                      [&](const ProblemSpec& spec) { return spec.name() == name; });
    const TimingMode mode = parse_timing_mode(searched.at("mode").get<std::string>());
    found_by.error = error_bound(*problem);
    auto winner = winner_of(
        searched, *problem,
        arms_of(plan_, {static_cast<std::size_t>(problem - plan_.problems.begin()), mode}),
        records_->of(problem->name(), mode), found_by);
    if (winner) {
      outcome.winners.push_back(*std::move(winner));
    } else {
      ++outcome.failures;
    }
  }
  return outcome;
}

}  // namespace

const Arm* baseline_for(const Plan& plan, const std::vector<Arm>& arms, const Registry& registry,
                        const Problem& problem) {
  const auto can_run = [&](const Arm& arm) {
    return unsupported_reason(registry, arm, problem, plan.device).empty();
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
  if (!options.resume && fs::exists(options.directory / kManifestFile)) {
    throw UsageError(
        fmt::format("{} already holds a run; go on with it by --resume, or give another --output",
                    options.directory.string()));
  }
  TuneRun run(experiment, plan, registry, options);
  run.begin();
  try {
    run.run();
  } catch (const Interrupted&) {
    run.end(run_status::kInterrupted);
    throw;
  } catch (const std::exception& error) {
    run.end(run_status::kStopped, error.what());
    throw;
  }
  run.end(run_status::kComplete);
  return run.outcome();
}

}  // namespace msda
