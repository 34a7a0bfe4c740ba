#include "runner/supervise/run_session.hpp"

#include <exception>
#include <filesystem>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "files/write.hpp"
#include "plugin/library.hpp"
#include "runner/supervise/say.hpp"

namespace msda {
namespace {

/// Records of another run would become this one's, and its reports would take the place of others.
void require_no_results(const std::filesystem::path& directory) {
  if (!std::filesystem::exists(directory)) return;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const std::string stem = entry.path().stem().string();
    if (stem != "records" && stem != "report" && stem != "search") continue;
    throw UsageError(fmt::format("{} holds {} already; give another --output", directory.string(),
                                 entry.path().filename().string()));
  }
}

}  // namespace

RunSession::RunSession(const Experiment& experiment, const Plan& plan,
                       const std::filesystem::path& directory, const SessionOptions& options,
                       const OnEvent& on_event)
    : experiment_(experiment), plan_(plan), directory_(directory), options_(options) {
  for (std::size_t i = 0; i < plan.devices.size(); ++i) {
    SupervisorOptions supervisor{options.program, plan.devices[i], options.plugin_directories,
                                 i == 0 && plan.measures()};
    supervisors_.push_back(std::make_unique<Supervisor>(
        std::move(supervisor), [on_event, i](const auto& event) { on_event(i, event); }));
  }
}

void RunSession::begin(const Registry& registry, const Change& add) {
  watched_.emplace(options_.program, plan_, registry);
  for (const auto& supervisor : supervisors_) {
    supervisor->check_each_start([this] { watched_->check(); });
  }
  const std::string program_hash = hash_file(options_.program);
  if (options_.resume) {
    manifest_ = read_manifest(directory_);
    check_resumable(manifest_, experiment_, plan_, registry);
    if (!manifest_.program_hash.empty() && manifest_.program_hash != program_hash) {
      throw UsageError(
          fmt::format("cannot resume: {} is another program than the one that began the run, "
                      "though of the same sources; start a new run instead",
                      options_.program.string()));
    }
  } else if (std::filesystem::exists(directory_ / kManifestFile)) {
    throw UsageError(
        fmt::format("{} already holds a run; go on with it by --resume, or give another --output",
                    directory_.string()));
  } else {
    require_no_results(directory_);
    manifest_ = make_manifest(experiment_, plan_, registry, supervisors_.front()->ready(),
                              options_.command_line);
    manifest_.program_hash = program_hash;
  }
  if (add) add(manifest_);
  if (options_.resume) {
    manifest_.status = run_status::kRunning;
    manifest_.resumed.push_back({utc_time(), options_.command_line});
  }
  ensure_directory(directory_);
  write_manifest(directory_, manifest_);
  records_.emplace(directory_ / kRecordsFile);
}

void RunSession::run(const Work& work, const Change& conclude) {
  try {
    work_on_all(work);
  } catch (const Interrupted&) {
    end_after_failure(run_status::kInterrupted, conclude);
    throw;
  } catch (const std::exception& error) {
    end_after_failure(run_status::kStopped, conclude, error.what());
    throw;
  }
  end(run_status::kComplete, conclude);
}

void RunSession::work_on_all(const Work& work) {
  const auto count = static_cast<int>(supervisors_.size());
  std::vector<std::exception_ptr> failures(supervisors_.size());
  std::vector<std::thread> threads;
  threads.reserve(failures.size());
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([this, i, count, &work, &failures] {
      const auto device = static_cast<std::size_t>(i);
      try {
        work(device, part_of(plan_.groups, {i + 1, count}));
      } catch (...) {
        failures[device] = std::current_exception();
      }
      keep_ranges(*supervisors_[device]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

/// Maybe behind an exception, whose place nothing may take.
void RunSession::keep_ranges(Supervisor& supervisor) noexcept {
  try {
    records_->add(supervisor.take_ranges());
  } catch (const std::exception& error) {
    say(options_.progress, "The time line of the run has a gap: {}\n", error.what());
  }
}

void RunSession::change(const Change& change) {
  const std::lock_guard lock(mutex_);
  change(manifest_);
  write_manifest(directory_, manifest_);
}

void RunSession::end(const char* status, const Change& conclude, const std::string& because) {
  std::map<std::string, double> phases;
  for (const auto& supervisor : supervisors_) {
    for (const auto& [phase, seconds] : supervisor->phase_seconds()) phases[phase] += seconds;
  }
  change([&](Manifest& manifest) {
    manifest.status = status;
    manifest.stopped_because = because;
    manifest.ended = utc_time();
    if (!manifest.time) manifest.time.emplace();
    *manifest.time += run_time(phases);  // to that of earlier attempts
    if (conclude) conclude(manifest);
  });
}

/// The same for a run that an exception ends: nothing may take that one's place.
void RunSession::end_after_failure(const char* status, const Change& conclude,
                                   const std::string& because) {
  try {
    end(status, conclude, because);
  } catch (const std::exception& error) {
    say(options_.progress, "The manifest still says that the run goes on: {}\n", error.what());
  }
}

}  // namespace msda
