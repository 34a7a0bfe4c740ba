// Counters made for tests, and recorded ones.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "results/counters.hpp"

namespace msda::counted {

inline constexpr const char* kLsuBusy =
    "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed";
inline constexpr const char* kIssueBusy = "smsp__issue_active.avg.pct_of_peak_sustained_elapsed";
inline constexpr const char* kLongScoreboard =
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio";
inline constexpr const char* kWait =
    "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio";

/// The main kernel of a warm launch at "captured"; busy shares in percent.
inline KernelCounters kernel(const std::string& arm, double seconds, double lsu, double issue) {
  KernelCounters counters;
  counters.problem = "captured";
  counters.arm = arm;
  counters.mode = "warm";
  counters.part = kMainPart;
  counters.device = "GPU X";
  counters.tool = "ncu 2025.3.1";
  counters.values = {{"gpu__time_duration.sum", seconds},
                     {kLsuBusy, lsu},
                     {kIssueBusy, issue},
                     {kLongScoreboard, 9}};
  return counters;
}

/// A full factorial over five factors on an H200: what ncu counted of 33 arms at one problem.
inline std::vector<KernelCounters> recorded_ablation() {
  std::ifstream stream(std::string(MSDA_SOURCE_DIR) +
                       "/analysis/tests/support/profiles/ablation-h200.jsonl");
  std::vector<KernelCounters> kernels;
  for (std::string line; std::getline(stream, line);) {
    kernels.push_back(counters_from_json(nlohmann::json::parse(line)));
    // Up to version 0.1.0 arms of an ablation were called "+x".
    std::string& arm = kernels.back().arm;
    if (arm.starts_with('+')) arm = "base" + arm;
  }
  return kernels;
}

}  // namespace msda::counted
