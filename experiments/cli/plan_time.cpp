#include "cli/plan_time.hpp"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iomanip>
#include <set>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <msda/error.hpp>

#include "results/record.hpp"
#include "runner/protocol/protocol.hpp"
#include "runner/supervise/manifest.hpp"
#include "statistics/statistics.hpp"

namespace msda {
namespace {

using nlohmann::json;

/// How often a cell is launched, as plans and manifests have it.
struct Sampling {
  double processes = 1;
  double launches = 0;  ///< in a process, the untimed ones included
  double budget_seconds = 0;
};

Sampling sampling_of(const json& measure) {
  const double blocks = measure.value("blocks", 0.0);
  const double per_block = measure.value("samples", 0.0) + measure.value("warmup", 0.0);
  return {measure.value("processes", 1.0), blocks * per_block,
          measure.value("budget_seconds", 0.0)};
}

/// Seconds since the epoch of "2024-01-31T12:00:00Z"; nullopt for anything else.
std::optional<double> seconds_of(const json& manifest, const char* key) {
  std::tm time{};
  std::istringstream stream(manifest.value(key, ""));
  stream >> std::get_time(&time, "%Y-%m-%dT%H:%M:%SZ");
  if (stream.fail()) return std::nullopt;
  return static_cast<double>(::timegm(&time));
}

std::optional<double> overhead_of(const json& manifest, const EarlierRun& run,
                                  std::size_t cell_count) {
  if (manifest.value("status", "") != run_status::kComplete || manifest.contains("resumed")) {
    return std::nullopt;
  }
  const auto started = seconds_of(manifest, "started");
  const auto ended = seconds_of(manifest, "ended");
  if (!started || !ended || cell_count == 0) return std::nullopt;
  const Sampling sampling = sampling_of(manifest.at("plan").at("measure"));
  double launches = 0;
  for (const auto& [cell, seconds] : run.launch_seconds) {
    launches += seconds * sampling.launches * sampling.processes;
  }
  const double rest = *ended - *started - launches;
  return std::max(0.0, rest) / (static_cast<double>(cell_count) * sampling.processes);
}

/// Seconds of one launch of each arm of a group; `measured` counts those that are known.
double launch_seconds(const Plan& plan, const Group& group, const EarlierRun& earlier,
                      std::size_t& measured) {
  const ProblemSpec& spec = plan.problem_of(group);
  double known = 0;
  std::size_t count = 0;
  for (const Arm& arm : plan.arms) {
    const auto found = earlier.launch_seconds.find(cell_name(spec.name(), arm.name, group.mode));
    if (found == earlier.launch_seconds.end()) continue;
    known += found->second;
    ++count;
  }
  measured += count;
  const auto others = static_cast<double>(plan.arms.size() - count);
  const double other = count > 0 ? known / static_cast<double>(count)
                                 : assumed_launch_seconds(spec.problem, plan.device.kind);
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
  const json manifest = read_manifest(directory);
  const auto device = manifest.find("device");
  if (device == manifest.end()) {
    throw UsageError(
        fmt::format("{}: the manifest names no device", (directory / kManifestFile).string()));
  }
  try {
    return device_info_from_json(*device);
  } catch (UsageError& error) {
    error.add_context((directory / kManifestFile).string());
    throw;
  }
}

EarlierRun read_earlier_run(const std::filesystem::path& directory, const DeviceInfo& device) {
  const json manifest = read_manifest(directory);
  const std::string name = manifest.value(json::json_pointer("/device/name"), "");
  if (name != device.name) {
    throw UsageError(fmt::format("the run in {} was on {}, not on {}", directory.string(),
                                 name.empty() ? "an unknown device" : name, device.name));
  }
  const std::vector<Record> records = read_records(directory / kRecordsFile);
  EarlierRun run;
  run.directory = directory;
  for (const Record& record : records) {
    if (record.status != CellStatus::kOk) continue;
    if (const auto seconds = median_seconds(record.samples)) {
      run.launch_seconds[record.cell] = *seconds;
    }
  }
  run.overhead_seconds = overhead_of(manifest, run, records.size());
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
  const Sampling sampling = sampling_of(to_json(plan.measure));
  PlanTime time;
  time.directory = earlier->directory;
  for (const Group& group : plan.groups) {
    const double launch = launch_seconds(plan, group, *earlier, time.measured_cells);
    time.seconds +=
        std::min(launch * sampling.launches * sampling.processes, sampling.budget_seconds);
  }
  time.seconds += earlier->overhead_seconds.value_or(kAssumedOverhead) * sampling.processes *
                  static_cast<double>(plan.cell_count());
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
