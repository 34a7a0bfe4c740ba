#include "runner/run.hpp"

#include <algorithm>
#include <ctime>
#include <set>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "results/record.hpp"
#include "runner/manifest.hpp"
#include "runner/progress.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

bool counts_as_failure(const Record& record) {
  return record.status != CellStatus::kOk && record.status != CellStatus::kSkipped;
}

/// The records of earlier attempts at this run; empty for a new one.
std::vector<Record> earlier_records(const RunOptions& options) {
  const fs::path file = options.directory / kRecordsFile;
  if (!options.resume || !fs::exists(file)) return {};
  return read_records(file);
}

/// Those of one group.
std::vector<Record> records_of(const std::vector<Record>& records, const std::string& problem,
                               TimingMode mode) {
  std::vector<Record> selected;
  std::copy_if(records.begin(), records.end(), std::back_inserter(selected),
               [&](const Record& r) { return r.problem == problem && r.mode == mode; });
  return selected;
}

/// The number of the next worker process of a group, after all that left samples.
int next_process(const std::vector<Record>& records) {
  int next = 0;
  for (const Record& record : records) {
    for (const SampleBlock& block : record.samples) next = std::max(next, block.process + 1);
  }
  return next;
}

GroupRequest request_for(const Experiment& experiment, const Plan& plan, const Group& group,
                         const std::vector<Record>& finished) {
  GroupRequest request;
  request.experiment = experiment.name;
  request.problem = plan.problem_of(group);
  request.mode = group.mode;
  request.baseline = plan.baseline;
  request.measure = plan.measure;
  request.process = next_process(finished);
  request.arms = plan.arms;
  request.timed = plan.measures();
  return request;
}

/// Names of the arms that have no record yet.
std::vector<std::string> unfinished(const Plan& plan, const std::vector<Record>& finished) {
  std::set<std::string> done;
  for (const Record& record : finished) done.insert(record.arm);
  std::vector<std::string> names;
  for (const Arm& arm : plan.arms) {
    if (!done.contains(arm.name)) names.push_back(arm.name);
  }
  return names;
}

json begin(const Experiment& experiment, const Plan& plan, const Registry& registry,
           const RunOptions& options, Supervisor& supervisor) {
  const fs::path& directory = options.directory;
  if (options.resume) {
    json manifest = read_manifest(directory);
    check_resumable(manifest, experiment, plan);
    manifest["status"] = run_status::kRunning;
    manifest["resumed"].push_back({{"time", utc_time()}, {"command_line", options.command_line}});
    write_manifest(directory, manifest);
    return manifest;
  }
  json manifest =
      make_manifest(experiment, plan, registry, supervisor.ready(), options.command_line);
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) {
    throw EnvironmentError(fmt::format("cannot create the results directory {}: {}",
                                       directory.string(), error.message()));
  }
  write_manifest(directory, manifest);
  return manifest;
}

void end(json& manifest, const RunOptions& options, const char* status) {
  manifest["status"] = status;
  manifest["ended"] = utc_time();
  write_manifest(options.directory, manifest);
}

}  // namespace

int run_experiment(const Experiment& experiment, const Plan& plan, const Registry& registry,
                   const RunOptions& options) {
  if (!options.resume && fs::exists(options.directory / kManifestFile)) {
    throw UsageError(
        fmt::format("{} already holds a run; go on with it by --resume, or give another --output",
                    options.directory.string()));
  }
  Progress progress(options.progress, options.progress_live, plan.groups.size(), plan.measure);
  Supervisor supervisor(
      {options.program, plan.device.id, options.plugin_directories, plan.measures()},
      [&](const json& event) { progress.on_event(event); });
  json manifest = begin(experiment, plan, registry, options, supervisor);
  const std::vector<Record> earlier = earlier_records(options);
  RecordWriter writer(options.directory / kRecordsFile);
  try {
    for (const Group& group : plan.groups) {
      const ProblemSpec& spec = plan.problem_of(group);
      const std::vector<Record> finished = records_of(earlier, spec.name(), group.mode);
      progress.begin_group(fmt::format("{} {}", spec.name(), name_of(group.mode)));
      supervisor.run(
          request_for(experiment, plan, group, finished), unfinished(plan, finished),
          [&](const Record& record) {
            writer.write(record);
            progress.on_record(record);
          },
          finished);
      progress.end_group();
    }
  } catch (const Interrupted&) {
    end(manifest, options, run_status::kInterrupted);
    throw;
  }
  end(manifest, options, run_status::kComplete);
  const std::vector<Record> records = read_records(options.directory / kRecordsFile);
  return static_cast<int>(std::count_if(records.begin(), records.end(), counts_as_failure));
}

fs::path default_results_directory(const std::string& name) {
  const std::string time = fmt::format("{:%Y%m%d-%H%M%S}", fmt::localtime(std::time(nullptr)));
  const fs::path base = fs::path("results") / name / time;
  fs::path directory = base;
  for (int n = 2; fs::exists(directory); ++n)
    directory = fs::path(fmt::format("{}-{}", base.string(), n));
  return directory;
}

}  // namespace msda
