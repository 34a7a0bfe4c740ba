#include "runner/supervisor.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace msda {
namespace {

using nlohmann::json;
using Outcome = WorkerProcess::Outcome;

/// A worker opens its device within this time; a cold GPU driver can take tens of seconds.
constexpr std::chrono::duration<double> kStartTimeout{120};

std::vector<std::string> worker_arguments(const SupervisorOptions& options) {
  std::vector<std::string> arguments = {"worker", "--device", options.device};
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

void put_before(std::vector<SampleBlock>& later, const std::vector<SampleBlock>& earlier) {
  later.insert(later.begin(), earlier.begin(), earlier.end());
}

/// The samples of both, those of `earlier` first. Their process numbers differ.
Record merged(const Record& earlier, Record later) {
  if (earlier.status != CellStatus::kOk || later.status != CellStatus::kOk) return later;
  put_before(later.samples, earlier.samples);
  for (PartTimes& part : later.parts) {
    for (const PartTimes& same : earlier.parts) {
      if (same.name == part.name) put_before(part.samples, same.samples);
    }
  }
  later.relative_l2 = std::max(earlier.relative_l2, later.relative_l2);
  later.maximum_absolute = std::max(earlier.maximum_absolute, later.maximum_absolute);
  return later;
}

}  // namespace

/// The state of one group across the worker processes that it takes.
struct Supervisor::Attempt {
  const GroupRequest& request;
  const OnRecord& on_record;
  std::map<std::string, Record> finished;  ///< by arm
  std::set<std::string> pending;           ///< arms without a record of this run
  int process = 0;
  int without_progress = 0;  ///< workers in a row that ended and left no record
  bool separately = false;   ///< a worker was lost while it worked for several arms at once
  std::string cell;          ///< of the last phase; "" when none was at work
  std::string phase;
  std::string range;
};

Supervisor::Supervisor(SupervisorOptions options, OnEvent on_event)
    : options_(std::move(options)), on_event_(std::move(on_event)) {}

void Supervisor::start() {
  worker_ =
      std::make_unique<WorkerProcess>(interrupts_, options_.program, worker_arguments(options_));
  // The ceilings are measured once; a worker that takes over need not wait for them.
  options_.ceilings = false;
  std::string line;
  for (;;) {
    switch (worker_->read(line, kStartTimeout)) {
      case Outcome::kInterrupted: throw Interrupted();
      case Outcome::kSilent:
        throw EnvironmentError(fmt::format("the worker for {} did not start within {} s",
                                           options_.device, kStartTimeout.count()));
      case Outcome::kEnded:
        throw EnvironmentError(fmt::format("the worker for {} ended before it was ready: {}",
                                           options_.device, worker_->end_reason()));
      case Outcome::kLine: break;
    }
    json event = json::parse(line);
    if (event.at("event") == event::kError) throw_start_error(event);
    if (event.at("event") != event::kReady) continue;
    if (ready_.is_null()) ready_ = std::move(event);
    return;
  }
}

const json& Supervisor::ready() {
  if (!worker_) start();
  return ready_;
}

void Supervisor::run(const GroupRequest& request, const std::vector<std::string>& arms,
                     const OnRecord& on_record, const std::vector<Record>& finished) {
  Attempt attempt{request, on_record, {}, {}, request.process, 0, request.separately, "", "", ""};
  for (const Record& record : finished) attempt.finished.emplace(record.arm, record);
  attempt.pending.insert(arms.begin(), arms.end());
  while (!attempt.pending.empty()) {
    if (interrupts_.seen()) throw Interrupted();
    if (!worker_) start();
    const std::size_t before = attempt.pending.size();
    follow(attempt);
    attempt.without_progress = attempt.pending.size() < before ? 0 : attempt.without_progress + 1;
    ++attempt.process;
  }
}

GroupRequest Supervisor::next_request(const Attempt& attempt) const {
  GroupRequest request = attempt.request;
  request.process = attempt.process;
  request.separately = attempt.separately;
  const auto runs = [&](const Arm& arm) {
    if (attempt.pending.contains(arm.name)) return true;
    const auto done = attempt.finished.find(arm.name);
    return arm.name == request.baseline && done != attempt.finished.end() &&
           done->second.status == CellStatus::kOk;
  };
  std::erase_if(request.arms, [&](const Arm& arm) { return !runs(arm); });
  return request;
}

/// Follows one worker until the group is done or the worker is lost.
void Supervisor::follow(Attempt& attempt) {
  attempt.cell = attempt.phase = attempt.range = "";
  worker_->send(to_json(next_request(attempt)).dump());
  std::string line;
  for (;;) {
    const Outcome outcome = worker_->read(line, attempt.request.measure.timeout);
    if (outcome == Outcome::kInterrupted) {
      worker_.reset();
      throw Interrupted();
    }
    if (outcome == Outcome::kSilent) {
      worker_.reset();
      return blame(attempt, CellStatus::kHung,
                   fmt::format("no sign of life for {:g} s; killed",
                               attempt.request.measure.timeout.count()));
    }
    if (outcome == Outcome::kEnded) {
      const std::string reason = worker_->end_reason();
      worker_.reset();
      return blame(attempt, CellStatus::kCrashed, "the worker ended with " + reason);
    }
    const json event = json::parse(line);
    const std::string kind = event.at("event");
    if (kind == event::kPhase) {
      attempt.cell = event.at("cell");
      attempt.phase = event.at("phase");
      attempt.range = event.at("range");
    }
    if (kind == event::kRecord) take_record(attempt, event);
    if (on_event_) on_event_(event);
    if (kind == event::kDone) return;
    if (kind == event::kBroken) {
      worker_.reset();
      return;
    }
  }
}

void Supervisor::take_record(Attempt& attempt, const json& event) {
  Record record = record_from_json(event.at("record"));
  const auto earlier = attempt.finished.find(record.arm);
  if (earlier != attempt.finished.end()) record = merged(earlier->second, std::move(record));
  attempt.pending.erase(record.arm);
  attempt.on_record(record);
  attempt.finished.insert_or_assign(record.arm, std::move(record));
}

/// Records the cell that was at work as the cause; when none was, after a second try with as few
/// arms at work together as possible, all that are left.
void Supervisor::blame(Attempt& attempt, CellStatus status, const std::string& reason) {
  if (attempt.cell.empty()) attempt.separately = true;
  const GroupRequest& request = attempt.request;
  const Problem& problem = request.problem.problem;
  std::vector<Arm> guilty;
  for (const Arm& arm : request.arms) {
    const std::string cell = cell_name(problem.name, arm.name, request.mode);
    const bool at_work = cell == attempt.cell;
    const bool nobody_at_work = attempt.cell.empty() && attempt.pending.contains(arm.name);
    if (at_work || (nobody_at_work && attempt.without_progress > 0)) guilty.push_back(arm);
  }
  for (const Arm& arm : guilty) {
    Record record;
    record.cell = cell_name(problem.name, arm.name, request.mode);
    record.problem = problem.name;
    record.arm = arm.name;
    record.composition = arm.composition;
    record.mode = request.mode;
    record.device = options_.device;
    record.status = status;
    record.reason = attempt.phase.empty() ? reason
                                          : fmt::format("in phase '{}': {} (last range: {})",
                                                        attempt.phase, reason, attempt.range);
    record.baseline = arm.name == request.baseline;
    record.minimum_dram_bytes = problem.minimum_dram_bytes();
    record.gathered_bytes = problem.gathered_bytes();
    record.flops = problem.flops();
    attempt.pending.erase(arm.name);
    attempt.on_record(record);
    attempt.finished.insert_or_assign(arm.name, std::move(record));
  }
}

}  // namespace msda
