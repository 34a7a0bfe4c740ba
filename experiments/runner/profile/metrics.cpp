#include <algorithm>

#include "runner/profile/profiler.hpp"

namespace msda::profile {

const std::vector<std::string>& default_metrics() {
  static const std::vector<std::string> kMetrics = [] {
    std::vector<std::string> metrics = {
        "gpu__time_duration.sum",
        "dram__bytes.sum",
        "dram__bytes.sum.pct_of_peak_sustained_elapsed",
        "lts__t_bytes.sum",
        "lts__t_bytes.sum.pct_of_peak_sustained_elapsed",
        "lts__t_sector_hit_rate.pct",
        "l1tex__m_xbar2l1tex_read_bytes.sum",
        "l1tex__m_xbar2l1tex_read_bytes.sum.pct_of_peak_sustained_elapsed",
        "l1tex__t_bytes.sum",
        "l1tex__t_sector_hit_rate.pct",
        "l1tex__data_pipe_lsu_wavefronts.sum",
        "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
        "l1tex__data_bank_conflicts_pipe_lsu.sum",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
        "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
        "l1tex__t_bytes_pipe_lsu_mem_local_op_ld.sum",
        "l1tex__t_bytes_pipe_lsu_mem_local_op_st.sum",
        "smsp__inst_executed.sum",
        "smsp__issue_active.avg.pct_of_peak_sustained_elapsed",
        "sm__warps_active.avg.pct_of_peak_sustained_active",
        "sm__cycles_active.min",
        "sm__cycles_active.max",
        "launch__registers_per_thread",
        "launch__shared_mem_per_block_dynamic",
    };
    for (const char* reason :
         {"barrier", "branch_resolving", "dispatch_stall", "drain", "gmma", "imc_miss",
          "lg_throttle", "long_scoreboard", "math_pipe_throttle", "membar", "mio_throttle", "misc",
          "no_instruction", "not_selected", "selected", "short_scoreboard", "sleeping",
          "tex_throttle", "wait"}) {
      metrics.push_back(std::string("smsp__average_warps_issue_stalled_") + reason +
                        "_per_issue_active.ratio");
    }
    return metrics;
  }();
  return kMetrics;
}

ProfileSettings settings_for(const Experiment& experiment, ProfileSettings asked) {
  if (asked.sections.empty()) asked.sections = experiment.profile.sections;
  if (!asked.metrics.empty()) return asked;
  asked.metrics = experiment.profile.metrics;
  if (asked.metrics.empty()) asked.metrics = default_metrics();
  for (const Claim& claim : experiment.claims) {
    const auto& known = asked.metrics;
    const bool is_there = std::find(known.begin(), known.end(), claim.metric) != known.end();
    if (!claim.metric.empty() && !is_there) asked.metrics.push_back(claim.metric);
  }
  return asked;
}

std::set<std::string> parse_known_metrics(std::string_view text) {
  std::set<std::string> known;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const std::string_view name = line.substr(0, line.find_first_of(" \t\r"));
    if (name.find("__") != std::string_view::npos) known.emplace(name);
    at = end + 1;
  }
  return known;
}

std::vector<std::string> unknown_metrics(const std::vector<std::string>& metrics,
                                         const std::set<std::string>& known) {
  std::vector<std::string> unknown;
  for (const std::string& metric : metrics) {
    const bool of_launch = metric.rfind("launch__", 0) == 0;
    if (!of_launch && known.count(metric.substr(0, metric.find('.'))) == 0) {
      unknown.push_back(metric);
    }
  }
  return unknown;
}

}  // namespace msda::profile
