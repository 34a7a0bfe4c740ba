// Profiling an experiment's cells: for each problem one worker with a profiler around it, which
// launches every chosen arm once inside the profiled range.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runner/plan/plan.hpp"
#include "runner/profile/profiler.hpp"
#include "runner/supervise/run_session.hpp"

namespace msda::profile {

struct ProfileOptions : SessionOptions {
  std::filesystem::path directory;  ///< gets the tool's reports and the counters; created
  Tool tool = Tool::kNcu;
  ProfileSettings settings;
  std::vector<std::string> cells;  ///< patterns of "problem/arm/mode" with * and ?; empty: all
};

/// The groups that are profiled: of each problem one in mode warm (cold where nothing else is
/// planned), and those of mode cold when a pattern names it. Graphs hold the same kernels as warm
/// launches, which stand for them.
/// `arms` are those that a pattern takes.
struct ProfiledGroup {
  Group group;
  std::vector<Arm> arms;
};

/// Throws UsageError when the patterns match nothing, with the cells there are.
std::vector<ProfiledGroup> choose_cells(const Plan& plan, const std::vector<std::string>& patterns);

/// The whole command line of a group's worker, as it is run.
std::vector<std::string> command_line(const Plan& plan, const ProfiledGroup& profiled,
                                      const Installed& tool, const ProfileOptions& options);

/// What is left of a profile.
struct ProfileResult {
  std::vector<KernelCounters> kernels;
  /// One line for each cell that has no counters, and for each report that is not whole.
  std::vector<std::string> notes;
};

/// Runs the tool, keeps its reports as DIRECTORY/profile/PROBLEM-MODE.*, and adds what they hold to
/// the directory's counters. Time-outs are suspended: a replayed launch takes as long as it takes.
/// Throws EnvironmentError with the remedy when the tool leaves nothing, and Interrupted.
ProfileResult run_profile(const Plan& plan, const std::string& experiment,
                          const std::vector<ProfiledGroup>& groups, const Installed& tool,
                          const ProfileOptions& options);

}  // namespace msda::profile
