#include "cli/plan_time.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <msda/error.hpp>

#include "results/record.hpp"
#include "runner/protocol/phase.hpp"
#include "runner/protocol/protocol.hpp"
#include "runner/supervise/manifest.hpp"
#include "statistics/statistics.hpp"

namespace msda {
namespace {

/// Of the run of another program a manifest has the name and no more.
bool is_whole(const DeviceInfo& device) {
  return device.kind != DeviceKind::kCuda ||
         (device.multiprocessors > 0 && device.memory_bytes > 0 && device.l2_bytes > 0);
}

/// The wall-clock time of the blocks that the records are from, each worker's once.
double block_seconds(const std::vector<Record>& records) {
  std::map<std::tuple<std::string, TimingMode, int>, double> workers;
  for (const Record& record : records) {
    for (const ProcessRun& run : record.processes) {
      double& seconds = workers[{record.problem, record.mode, run.process}];
      seconds = std::max(seconds, run.measured_seconds);
    }
  }
  return std::accumulate(workers.begin(), workers.end(), 0.0,
                         [](double sum, const auto& worker) { return sum + worker.second; });
}

/// What the workers of the run spent on a cell besides its blocks. The manifest adds up their time
/// over all attempts, but for those that ended with the program itself: the share of the records'
/// blocks that it knows of is the share of the cells that its time is for.
std::optional<double> overhead_of(const Manifest& manifest, const std::vector<Record>& records) {
  const RunTime time = manifest.time.value_or(RunTime());
  const auto measured = time.phase_seconds.find(phase::kMeasure);
  const double measuring = measured == time.phase_seconds.end() ? 0 : measured->second;
  const double blocks = block_seconds(records);
  std::size_t cells = 0;
  for (const Record& record : records) cells += record.processes.size();
  if (measuring <= 0 || blocks <= 0) return std::nullopt;
  const double known = std::min(1.0, measuring / blocks) * static_cast<double>(cells);
  return std::max(0.0, time.total_seconds - measuring) / known;
}

/// Seconds of one launch of each arm that the earlier run timed on the group's problem; none where
/// another problem had the name.
std::vector<double> known_seconds(const Plan& plan, const Group& group, const EarlierRun& earlier) {
  const ProblemSpec& spec = plan.problem_of(group);
  const auto then = std::ranges::find(earlier.problems, spec.name(), &ProblemEntry::name);
  std::vector<double> known;
  if (then != earlier.problems.end() && !is_like(*then, spec)) return known;
  for (const Arm& arm : plan.arms) {
    const auto found = earlier.launch_seconds.find(cell_name(spec.name(), arm.name, group.mode));
    if (found != earlier.launch_seconds.end()) known.push_back(found->second);
  }
  return known;
}

/// Seconds of one launch of each arm of a group; `measured` counts those that are known.
double launch_seconds(const Plan& plan, const Group& group, const EarlierRun& earlier,
                      std::size_t& measured) {
  const std::vector<double> each = known_seconds(plan, group, earlier);
  const double known = std::accumulate(each.begin(), each.end(), 0.0);
  const std::size_t count = each.size();
  measured += count;
  const std::size_t running = std::max(running_arms(plan, group), count);
  const auto others = static_cast<double>(running - count);
  const double other = count > 0 ? known / static_cast<double>(count)
                                 : assumed_launch_seconds(plan.problem_of(group), plan.device.kind);
  return known + others * other;
}

/// "40 s", "12 min", "3.5 h"
std::string duration_text(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

DeviceInfo device_of_run(const std::filesystem::path& directory) {
  const Manifest manifest = read_manifest(directory);
  if (manifest.device && is_whole(*manifest.device)) return *manifest.device;
  throw UsageError(fmt::format("{}: the manifest does not describe its device",
                               (directory / kManifestFile).string()));
}

EarlierRun read_earlier_run(const std::filesystem::path& directory, const DeviceInfo& device) {
  const Manifest manifest = read_manifest(directory);
  const std::string name = manifest.device ? manifest.device->name : "";
  if (name != device.name) {
    throw UsageError(fmt::format("the run in {} was on {}, not on {}", directory.string(),
                                 name.empty() ? "an unknown device" : name, device.name));
  }
  const std::vector<Record> records = read_records(directory / kRecordsFile);
  EarlierRun run;
  run.directory = directory;
  run.problems = manifest.problems;
  for (const Record& record : records) {
    if (record.status != CellStatus::kOk) continue;
    if (const auto seconds = median_seconds(record.samples)) {
      run.launch_seconds[record.cell] = *seconds;
    }
  }
  run.overhead_seconds = overhead_of(manifest, records);
  return run;
}

std::optional<EarlierRun> newest_run(const std::filesystem::path& directory,
                                     const DeviceInfo& device) {
  std::error_code ignored;
  std::vector<std::filesystem::path> runs;
  for (const auto& entry : std::filesystem::directory_iterator(directory, ignored)) {
    if (std::filesystem::exists(entry.path() / kManifestFile)) runs.push_back(entry.path());
  }
  std::sort(runs.rbegin(), runs.rend());  // named by their time
  for (const auto& run : runs) {
    try {
      EarlierRun earlier = read_earlier_run(run, device);
      if (!earlier.launch_seconds.empty()) return earlier;
    } catch (const std::exception&) {
      continue;  // broken, of another version or device: nobody asked for this one
    }
  }
  return std::nullopt;
}

PlanTime plan_time(const Plan& plan, const std::optional<EarlierRun>& earlier) {
  if (!earlier) return {estimate_seconds(plan), 0, {}};
  constexpr double kAssumedOverhead = 2;
  const MeasureSettings& measure = plan.measure;
  const double launches = measure.blocks * (measure.samples + measure.warmup);
  PlanTime time;
  time.directory = earlier->directory;
  for (const Group& group : plan.groups) {
    const double launch = launch_seconds(plan, group, *earlier, time.measured_cells);
    time.seconds += std::min(launch * launches * measure.processes, measure.budget.count());
    time.seconds += earlier->overhead_seconds.value_or(kAssumedOverhead) * measure.processes *
                    static_cast<double>(running_arms(plan, group));
  }
  if (time.measured_cells == 0) return {estimate_seconds(plan), 0, {}};
  return time;
}

std::string to_text(const PlanTime& time, std::size_t cells) {
  const std::string about = fmt::format("time      about {}", duration_text(time.seconds));
  if (time.directory.empty()) {
    return about +
           ", assumed: no earlier run of these cells on this device (--like DIR names one)\n";
  }
  return fmt::format("{}: {} of {} cells as measured in {}{}\n", about, time.measured_cells, cells,
                     time.directory.string(),
                     time.measured_cells < cells ? ", the others assumed" : "");
}

}  // namespace msda
