#include "runner/profile/profile_run.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "files/read.hpp"
#include "files/write.hpp"
#include "process/command.hpp"
#include "runner/supervise/progress.hpp"
#include "runner/supervise/supervisor.hpp"

namespace msda::profile {
namespace {

namespace fs = std::filesystem;

/// A profiled worker has as long as it needs; this is longer than anybody waits.
constexpr Timeouts::Seconds kNoLimit{7 * 24 * 3600.0};
/// For the tool to write its report once the worker has ended.
constexpr std::chrono::seconds kWritesReport{600};

bool matches(const std::string& cell, const std::vector<std::string>& patterns) {
  return patterns.empty() ||
         std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
           return ::fnmatch(pattern.c_str(), cell.c_str(), 0) == 0;
         });
}

/// The plan's groups with their arms. A graph holds the kernels of warm launches, which are counted
/// in its place: those of the arms as the graph has them, since a winner may depend on the mode.
std::vector<ProfiledGroup> countable_groups(const Plan& plan) {
  std::vector<ProfiledGroup> groups;
  for (const Group& group : plan.groups) {
    const TimingMode counted = traits_of(group.mode).counted_as;
    const bool is_there =
        std::ranges::any_of(plan.groups, [&](const Group& other) { return other.mode == counted; });
    if (counted != group.mode && is_there) continue;
    groups.push_back({{group.problem, counted}, arms_of(plan, group)});
  }
  return groups;
}

/// A name as a part of a file name.
std::string file_stem(const std::string& name) {
  std::string stem = name;
  std::replace_if(
      stem.begin(), stem.end(),
      [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '_'; }, '_');
  return stem;
}

fs::path report_stem(const Plan& plan, const Group& group, const ProfileOptions& options) {
  return options.directory / "profile" /
         fmt::format("{}-{}", file_stem(plan.problem_of(group).name()), name_of(group.mode));
}

fs::path log_of(const fs::path& stem) { return stem.string() + ".log"; }

std::vector<std::string> launcher_of(const Plan& plan, const Group& group, const Installed& tool,
                                     const ProfileOptions& options) {
  const fs::path stem = report_stem(plan, group, options);
  return launcher(options.tool, tool, options.settings, traits_of(group.mode).flushes_caches, stem,
                  log_of(stem));
}

GroupRequest request_for(const Plan& plan, const std::string& experiment,
                         const ProfiledGroup& profiled) {
  GroupRequest request;
  request.experiment = experiment;
  request.problem = plan.problem_of(profiled.group);
  request.mode = profiled.group.mode;
  request.arms = entries_of(profiled.arms);
  request.baseline = profiled.arms.front().name;
  request.measure = plan.measure;
  request.measure.input_sets = 1;
  request.measure.timeouts = {kNoLimit, kNoLimit, kNoLimit, kNoLimit};
  request.timed = false;
  request.profiled = true;
  return request;
}

/// What the tool kept, as counters; the reason when there is nothing.
Imported import_report(const fs::path& stem, const Installed& tool, const ProfileOptions& options) {
  const fs::path report = report_file(options.tool, stem);
  const fs::path log = log_of(stem);
  const std::string said = fs::exists(log) ? read_text(log) : "";
  if (!fs::exists(report)) {
    const std::string advice = remedy(options.tool, said);
    throw EnvironmentError(fmt::format("{} left no report {}\n{}", tool.version, report.string(),
                                       advice.empty() ? said : advice));
  }
  const CommandResult printed = execute_command(import_command(options.tool, tool, report));
  if (printed.exit_code != 0) {
    const std::string advice = remedy(options.tool, printed.output + said);
    throw EnvironmentError(fmt::format("{} is kept; {} could not read it (exit code {})\n{}",
                                       report.string(), tool.version, printed.exit_code,
                                       advice.empty() ? printed.output : advice));
  }
  return options.tool == Tool::kNcu ? parse_ncu(printed.output) : parse_nsys(printed.output);
}

/// Of the settings' metrics those that the tool knows for the chips here; the others are missing.
std::vector<std::string> drop_unknown(const Installed& tool, ProfileOptions& options) {
  if (options.tool != Tool::kNcu) return {};
  std::vector<std::string>& metrics = options.settings.metrics;
  const CommandResult said = execute_command({tool.path, "--query-metrics"});
  const std::set<std::string> known = parse_known_metrics(said.output);
  if (said.exit_code != 0 || known.empty()) {
    const std::string advice = remedy(options.tool, said.output);
    throw EnvironmentError(fmt::format("{} lists no metrics for the GPU here\n{}", tool.version,
                                       advice.empty() ? said.output : advice));
  }
  std::vector<std::string> missing = unknown_metrics(metrics, known);
  std::erase_if(metrics, [&](const std::string& metric) {
    return std::find(missing.begin(), missing.end(), metric) != missing.end();
  });
  return missing;
}

void note_absent(const Plan& plan, const ProfiledGroup& profiled,
                 const std::vector<KernelCounters>& kernels,
                 const std::map<std::string, std::string>& reasons, ProfileResult& result) {
  for (const Arm& arm : profiled.arms) {
    const bool there = std::any_of(kernels.begin(), kernels.end(), [&](const KernelCounters& k) {
      return k.arm == arm.name && k.part == kMainPart;
    });
    if (there) continue;
    const std::string cell =
        cell_name(plan.problem_of(profiled.group).name(), arm.name, profiled.group.mode);
    const auto reason = reasons.find(arm.name);
    result.notes.push_back(fmt::format(
        "{} has no counters: {}", cell,
        reason != reasons.end() ? reason->second : "the tool saw no kernel in its range"));
  }
}

}  // namespace

std::vector<ProfiledGroup> choose_cells(const Plan& plan,
                                        const std::vector<std::string>& patterns) {
  std::vector<ProfiledGroup> chosen;
  std::string all;
  const std::vector<ProfiledGroup> countable = countable_groups(plan);
  const auto is_usual = [](const ProfiledGroup& one) { return one.group.mode == kUsualMode; };
  // Without a pattern a problem is counted in one mode.
  const bool only_usual = patterns.empty() && std::ranges::any_of(countable, is_usual);
  for (const auto& [group, arms] : countable) {
    const std::string& problem = plan.problem_of(group).name();
    ProfiledGroup profiled{group, {}};
    for (const Arm& arm : arms) {
      const std::string cell = cell_name(problem, arm.name, group.mode);
      all += "\n  " + cell;
      if (matches(cell, patterns)) profiled.arms.push_back(arm);
    }
    if (profiled.arms.empty() || (only_usual && group.mode != kUsualMode)) continue;
    chosen.push_back(std::move(profiled));
  }
  if (!chosen.empty()) return chosen;
  throw UsageError(fmt::format(
      "no cell to profile matches {} (graphs hold the kernels of warm launches); there are:{}",
      fmt::join(patterns, ", "), all));
}

std::vector<std::string> command_line(const Plan& plan, const ProfiledGroup& profiled,
                                      const Installed& tool, const ProfileOptions& options) {
  std::vector<std::string> words = launcher_of(plan, profiled.group, tool, options);
  words.insert(words.end(), {options.program.string(), "worker", "--device", plan.device.id});
  return words;
}

ProfileResult run_profile(const Plan& plan, const std::string& experiment,
                          const std::vector<ProfiledGroup>& groups, const Installed& tool,
                          const ProfileOptions& given) {
  ProfileOptions options = given;
  const std::vector<std::string> missing = drop_unknown(tool, options);
  ensure_directory(options.directory / "profile");
  Progress progress(options.progress, options.progress_live, groups.size(), plan.measure);
  ProfileResult result;
  for (const ProfiledGroup& profiled : groups) {
    SupervisorOptions around{options.program, plan.device.id, options.plugin_directories};
    around.launcher = launcher_of(plan, profiled.group, tool, options);
    Supervisor supervisor(std::move(around),
                          [&](const nlohmann::json& event) { progress.on_event(event); });
    const std::string title =
        fmt::format("{}, {}", plan.problem_of(profiled.group).name(), name_of(profiled.group.mode));
    progress.begin_group(title);
    std::vector<std::string> names;
    for (const Arm& arm : profiled.arms) names.push_back(arm.name);
    std::map<std::string, std::string> reasons;
    supervisor.run(request_for(plan, experiment, profiled), names, [&](const Record& record) {
      progress.on_record(record);
      if (record.status != CellStatus::kOk) reasons.emplace(record.arm, record.reason);
    });
    supervisor.finish_worker(kWritesReport);
    progress.end_group();
    const fs::path stem = report_stem(plan, profiled.group, options);
    Imported imported = import_report(stem, tool, options);
    if (imported.truncated) {
      result.notes.push_back(fmt::format("{}: the table ended early", stem.string()));
    }
    note_absent(plan, profiled, imported.kernels, reasons, result);
    for (KernelCounters& counters : imported.kernels) {
      counters.tool = tool.version;
      counters.missing = missing;
      if (counters.device.empty()) counters.device = plan.device.name;
    }
    // What this group left is safe before the next one begins.
    add_counters(options.directory, imported.kernels);
    std::move(imported.kernels.begin(), imported.kernels.end(), std::back_inserter(result.kernels));
  }
  return result;
}

}  // namespace msda::profile
