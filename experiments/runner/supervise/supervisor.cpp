#include "runner/supervise/supervisor.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "characters.hpp"
#include "json_text.hpp"

namespace msda {
namespace {

using nlohmann::json;
using Answer = WorkerProcess::Outcome;

/// A worker opens its device within this time; a cold GPU driver can take tens of seconds.
constexpr std::chrono::duration<double> kStartTimeout{120};

/// Of the worker, or of the launcher around it.
std::vector<std::string> worker_arguments(const SupervisorOptions& options) {
  std::vector<std::string> arguments;
  if (!options.launcher.empty()) {
    arguments.assign(options.launcher.begin() + 1, options.launcher.end());
    arguments.push_back(options.program.string());
  }
  arguments.insert(arguments.end(), {"worker", "--device", options.device});
  if (options.ceilings) arguments.emplace_back("--ceilings");
  for (const std::filesystem::path& directory : options.plugin_directories) {
    arguments.emplace_back("--plugin-dir");
    arguments.push_back(directory.string());
  }
  return arguments;
}

[[noreturn]] void throw_start_error(const json& event) {
  const std::string reason = event.value("reason", "unknown reason");
  if (event.value("exit_code", 0) == static_cast<int>(ExitCode::kUsage)) throw UsageError(reason);
  throw EnvironmentError(reason);
}

}  // namespace

/// The state of one group across the worker processes that it takes.
struct Supervisor::Attempt {
  const GroupRequest& request;
  const OnRecord& on_record;
  int process;                               ///< number of the worker at work
  bool separately;                           ///< a worker was lost while it worked for several arms
  std::map<std::string, Record> finished{};  ///< by arm
  std::set<std::string> pending{};           ///< arms without a record of this run
  int without_progress = 0;                  ///< workers in a row that ended and left no record

  // Of the worker at work:
  std::string cell{};  ///< of the last phase; "" when none was at work
  std::string phase{};
  std::string range{};
  std::string beside{};                                       ///< who else is at work in the worker
  std::map<std::string, Record> known{};                      ///< by cell, without samples
  std::map<std::string, std::vector<SampleBlock>> samples{};  ///< by cell

  void forget_worker() {
    cell = phase = range = beside = "";
    known.clear();
    samples.clear();
  }
};

Supervisor::Supervisor(SupervisorOptions options, OnEvent on_event)
    : options_(std::move(options)), on_event_(std::move(on_event)), ranges_(options_.device) {}

void Supervisor::enter(const std::string& phase, std::map<std::string, double> steps) {
  phases_.enter(phase);
  ranges_.enter(phase, std::move(steps));
}

void Supervisor::start() {
  enter(phase::kStart);
  const std::filesystem::path program = options_.launcher.empty()
                                            ? options_.program
                                            : std::filesystem::path(options_.launcher.front());
  worker_ = std::make_unique<WorkerProcess>(interrupts_, program, worker_arguments(options_),
                                            options_.kill);
  token_ = make_token();
  worker_->send(json_text(token_message(token_)));
  // The ceilings are measured once; a worker that takes over need not wait for them.
  options_.ceilings = false;
  std::string line;
  for (;;) {
    switch (worker_->read(line, kStartTimeout)) {
      case Answer::kInterrupted: throw Interrupted();
      case Answer::kSilent:
        end_worker();
        throw EnvironmentError(fmt::format("the worker for {} did not start within {} s",
                                           options_.device, kStartTimeout.count()));
      case Answer::kEnded:
        throw EnvironmentError(fmt::format("the worker for {} ended before it was ready: {}",
                                           options_.device, worker_->end_reason()));
      case Answer::kLine: break;
    }
    std::optional<json> event = event_of(line, token_);
    if (!event) continue;  // a plugin that writes to descriptors that are not its own
    if (event->at("event") == event::kError) throw_start_error(*event);
    if (event->at("event") != event::kReady) continue;
    if (check_start_) check_start_();
    if (ready_.is_null()) ready_ = std::move(*event);
    enter(phase::kBetween);
    return;
  }
}

const json& Supervisor::ready() {
  if (!worker_) start();
  return ready_;
}

void Supervisor::finish_worker(std::chrono::duration<double> patience) {
  if (worker_) worker_->finish(patience);
  end_worker();
}

void Supervisor::end_worker() {
  if (!worker_) return;
  const bool gone = worker_->kill();
  worker_.reset();
  enter("");
  if (gone) return;
  throw DeviceUnusable(fmt::format(
      "{} is unusable: its worker still runs {:g} s after it was killed, so the device does not "
      "answer; reset it or restart the machine, then go on with --resume",
      options_.device, options_.kill.patience.count()));
}

void Supervisor::run(const GroupRequest& request, const std::vector<std::string>& arms,
                     const OnRecord& on_record, const std::vector<Record>& finished) {
  Attempt attempt{request, on_record, request.process, request.separately};
  for (const Record& record : finished) attempt.finished.emplace(record.arm, record);
  attempt.pending.insert(arms.begin(), arms.end());
  enter(phase::kBetween);
  ranges_.begin_group(request.problem.name(), request.mode);
  while (!attempt.pending.empty()) {
    if (interrupts_.seen()) throw Interrupted();
    if (!worker_) start();
    const std::size_t before = attempt.pending.size();
    follow(attempt);
    attempt.without_progress = attempt.pending.size() < before ? 0 : attempt.without_progress + 1;
    ++attempt.process;
  }
  enter(phase::kBetween);
  ranges_.end_group();
}

GroupRequest Supervisor::next_request(const Attempt& attempt) const {
  GroupRequest request = attempt.request;
  request.process = attempt.process;
  request.separately = attempt.separately;
  const auto runs = [&](const ArmEntry& arm) {
    if (attempt.pending.contains(arm.name)) return true;
    const auto done = attempt.finished.find(arm.name);
    return arm.name == request.baseline && done != attempt.finished.end() &&
           done->second.status == CellStatus::kOk;
  };
  std::erase_if(request.arms, [&](const ArmEntry& arm) { return !runs(arm); });
  return request;
}

/// Follows one worker until the group is done or the worker is lost.
void Supervisor::follow(Attempt& attempt) {
  attempt.forget_worker();
  worker_->send(json_text(to_json(next_request(attempt))));
  std::string line;
  for (;;) {
    const auto limit = time_limit(attempt.request.measure.timeouts, attempt.phase);
    const Answer outcome = worker_->read(line, limit);
    if (outcome == Answer::kInterrupted) {
      worker_.reset();
      throw Interrupted();
    }
    if (outcome == Answer::kSilent) return end_silent(attempt, limit.count());
    if (outcome == Answer::kEnded) {
      return end_lost(attempt);
    }
    const std::optional<json> event = event_of(line, token_);
    if (!event) return end_foreign(attempt, line);
    follow_event(attempt, *event);
    if (on_event_) on_event_(*event);
    const std::string kind = event->at("event");
    if (kind == event::kDone) return;
    if (kind == event::kBroken) return end_worker();
  }
}

/// The worker ended in the middle of its work.
void Supervisor::end_lost(Attempt& attempt) {
  const std::string reason = worker_->end_reason();
  const bool from_outside = worker_->ended_from_outside();
  worker_.reset();
  if (from_outside) {
    return blame(attempt, CellStatus::kInterrupted,
                 "something outside the run killed the worker (" + reason +
                     "); out of memory, perhaps: the system's log says so then");
  }
  blame(attempt, CellStatus::kCrashed, "the worker ended with " + reason);
}

/// Something in the worker wrote to its pipe, in the middle of its events perhaps.
void Supervisor::end_foreign(Attempt& attempt, const std::string& line) {
  constexpr std::size_t kMost = 100;  ///< bytes quoted
  end_worker();
  blame(attempt, CellStatus::kCrashed,
        "it wrote to the pipe of its worker: " + visible(line.substr(0, kMost)));
}

/// Records who hung before anything else: what follows may be the end of the run.
void Supervisor::end_silent(Attempt& attempt, double seconds) {
  const std::string silence = fmt::format("no sign of life for {:g} s; ", seconds);
  try {
    end_worker();
  } catch (const DeviceUnusable& error) {
    attempt.without_progress = 1;  // there will be no other worker to tell who it was
    blame(attempt, CellStatus::kHung, silence + error.what());
    throw;
  }
  blame(attempt, CellStatus::kHung, silence + "killed");
}

void Supervisor::follow_event(Attempt& attempt, const json& event) {
  const std::string kind = event.at("event");
  if (kind == event::kPhase) {
    attempt.cell = event.at("cell");
    attempt.phase = event.at("phase");
    attempt.range = event.at("range");
    attempt.beside = event.value("beside", "");
    enter(attempt.phase, event.value("steps", std::map<std::string, double>()));
  } else if (kind == event::kKnown) {
    Record record = record_from_json(event.at("record"));
    attempt.known.insert_or_assign(record.cell, std::move(record));
  } else if (kind == event::kSample) {
    std::vector<double> seconds = event.at("seconds");
    ranges_.add_samples(seconds);
    attempt.samples[event.at("cell")].push_back(
        {attempt.process, event.at("block"), std::move(seconds)});
  } else if (kind == event::kRecord) {
    take_record(attempt, event);
  }
}

void Supervisor::take_record(Attempt& attempt, const json& event) {
  Record record = record_from_json(event.at("record"));
  attempt.pending.erase(record.arm);
  attempt.on_record(record);
  attempt.finished.insert_or_assign(record.arm, std::move(record));
}

/// What is known of an arm that took the worker with it.
Record Supervisor::record_of_guilty(const Attempt& attempt, const ArmEntry& arm) const {
  const GroupRequest& request = attempt.request;
  const std::string cell = cell_name(request.problem.name(), arm.name, request.mode);
  Record record;
  if (const auto known = attempt.known.find(cell); known != attempt.known.end()) {
    record = known->second;
  }
  if (const auto samples = attempt.samples.find(cell); samples != attempt.samples.end()) {
    record.samples = samples->second;
  }
  identify(record, request, arm, options_.device, attempt.process);
  return record;
}

/// Records the cell that was at work as the cause; when none was, after a second try with as few
/// arms at work together as possible, all that are left.
void Supervisor::blame(Attempt& attempt, CellStatus status, const std::string& reason) {
  if (attempt.cell.empty()) attempt.separately = true;
  const GroupRequest& request = attempt.request;
  std::vector<ArmEntry> guilty;
  for (const ArmEntry& arm : request.arms) {
    const std::string cell = cell_name(request.problem.name(), arm.name, request.mode);
    const bool at_work = cell == attempt.cell;
    const bool nobody_at_work = attempt.cell.empty() && attempt.pending.contains(arm.name);
    if (at_work || (nobody_at_work && attempt.without_progress > 0)) guilty.push_back(arm);
  }
  for (const ArmEntry& arm : guilty) {
    Record record = record_of_guilty(attempt, arm);
    record.status = status;
    record.phase = attempt.phase;
    if (status == CellStatus::kInterrupted) {
      // It runs again, from the beginning.
      record.samples.clear();
      record.processes.clear();
    }
    record.reason = attempt.phase.empty()
                        ? reason
                        : fmt::format("in phase '{}': {} (last range: {}){}", attempt.phase, reason,
                                      attempt.range, attempt.beside);
    attempt.pending.erase(arm.name);
    attempt.on_record(record);
    attempt.finished.insert_or_assign(arm.name, std::move(record));
  }
}

}  // namespace msda
