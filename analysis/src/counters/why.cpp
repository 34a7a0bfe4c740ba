#include "counters/why.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace msda {
namespace {

constexpr const char* kDuration = "gpu__time_duration.sum";
constexpr double kSameTime = 0.02;  ///< one launch under a profiler does not tell less apart
constexpr const char* kStallPrefix = "smsp__average_warps_issue_stalled_";
constexpr const char* kStallSuffix = "_per_issue_active.ratio";

std::vector<ResourceChange> changes_between(const KernelCounters& before,
                                            const KernelCounters& after, double time_before,
                                            double time_after) {
  std::vector<ResourceChange> changes;
  for (const Resource& resource : resources()) {
    const auto share_before = before.find(resource.busy_metric);
    const auto share_after = after.find(resource.busy_metric);
    if (!share_before || !share_after) continue;
    ResourceChange change;
    change.resource = &resource;
    change.share_before = *share_before / 100;
    change.share_after = *share_after / 100;
    change.busy_before = change.share_before * time_before;
    change.busy_after = change.share_after * time_after;
    change.work_before = before.find(resource.work_metric);
    change.work_after = after.find(resource.work_metric);
    changes.push_back(change);
  }
  return changes;
}

std::vector<StallChange> stalls_between(const KernelCounters& before, const KernelCounters& after) {
  std::vector<StallChange> stalls;
  const std::string prefix = kStallPrefix;
  const std::string suffix = kStallSuffix;
  for (const auto& [name, value] : before.values) {
    if (name.rfind(prefix, 0) != 0 || name.size() <= prefix.size() + suffix.size()) continue;
    const auto other = after.find(name);
    if (!other) continue;
    const std::string reason =
        name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
    // An instruction that was issued is none that waited.
    if (reason != "selected") stalls.push_back({reason, value, *other});
  }
  std::sort(stalls.begin(), stalls.end(), [](const StallChange& a, const StallChange& b) {
    return std::abs(a.before - a.after) > std::abs(b.before - b.after);
  });
  return stalls;
}

double highest_share(const ResourceChange& change) {
  return std::max(change.share_before, change.share_after);
}

bool near_limit(const ResourceChange& change) { return highest_share(change) >= kNearLimit; }

std::string work_in_words(const ResourceChange& change) {
  if (!change.work_before || !change.work_after) return "";
  const Resource& resource = *change.resource;
  return fmt::format(" ({:.3g} {} instead of {:.3g} {} {})", *change.work_after * resource.scale,
                     resource.unit, *change.work_before * resource.scale, resource.unit,
                     resource.work);
}

}  // namespace

const std::vector<Resource>& resources() {
  static const std::vector<Resource> kResources = {
      {"issue slots", "smsp__issue_active.avg.pct_of_peak_sustained_elapsed",
       "smsp__inst_executed.sum", "instructions", 1e-6, "M"},
      {"LSU data pipe", "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed",
       "l1tex__data_pipe_lsu_wavefronts.sum", "wavefronts", 1e-6, "M"},
      {"way from L2 to L1", "l1tex__m_xbar2l1tex_read_bytes.sum.pct_of_peak_sustained_elapsed",
       "l1tex__m_xbar2l1tex_read_bytes.sum", "read", 1e-6, "MB"},
      {"L2", "lts__t_bytes.sum.pct_of_peak_sustained_elapsed", "lts__t_bytes.sum", "moved", 1e-6,
       "MB"},
      {"DRAM", "dram__bytes.sum.pct_of_peak_sustained_elapsed", "dram__bytes.sum", "moved", 1e-6,
       "MB"},
  };
  return kResources;
}

std::optional<Why> explain(const KernelCounters& before, const KernelCounters& after) {
  const auto time_before = before.find(kDuration);
  const auto time_after = after.find(kDuration);
  if (!time_before || !time_after || *time_before <= 0 || *time_after <= 0) return std::nullopt;
  Why why{after.problem, after.arm, before.arm, after.mode, *time_before, *time_after, {}, {}};
  why.changes = changes_between(before, after, *time_before, *time_after);
  why.stalls = stalls_between(before, after);
  std::stable_sort(why.changes.begin(), why.changes.end(),
                   [](const ResourceChange& a, const ResourceChange& b) {
                     return highest_share(a) > highest_share(b);
                   });
  return why;
}

std::string in_words(const Why& why) {
  std::string text = fmt::format("{} takes {:.4g} us where {} takes {:.4g}", why.arm,
                                 why.time_after * 1e6, why.over, why.time_before * 1e6);
  const double saved = why.time_before - why.time_after;
  if (std::abs(saved) < kSameTime * why.time_before) return text + ", no difference to explain";
  if (why.changes.empty()) return text + "; no counters of what was busy";
  const ResourceChange& first = why.changes.front();
  if (!near_limit(first)) {
    text += "; nothing was near its limit in either, so the difference is latency";
    if (!why.stalls.empty()) {
      const StallChange& stall = why.stalls.front();
      text += fmt::format(": {} went from {:.2f} to {:.2f} cycles per instruction", stall.reason,
                          stall.before, stall.after);
    }
    return text;
  }
  const bool explains = first.saved() * saved > 0;
  text += fmt::format(
      ": the {}, busy {:.0f}% of the time before and {:.0f}% after, was busy "
      "{:.4g} us {}{}",
      first.resource->name, first.share_before * 100, first.share_after * 100,
      std::abs(first.saved()) * 1e6, first.saved() >= 0 ? "less" : "more", work_in_words(first));
  if (explains) {
    text += fmt::format(", {:.0f}% of the difference", std::abs(first.saved() / saved) * 100);
  } else {
    text += ", which does not explain the difference: it is in how well the rest overlaps";
  }
  return text;
}

std::string bound_in_words(const KernelCounters& counters) {
  const Resource* busiest = nullptr;
  double share = 0;
  for (const Resource& resource : resources()) {
    const auto busy = counters.find(resource.busy_metric);
    if (busy && *busy / 100 > share) {
      share = *busy / 100;
      busiest = &resource;
    }
  }
  if (busiest == nullptr) return "unknown";
  const std::string text = fmt::format("{} {:.0f}% busy", busiest->name, share * 100);
  return share >= kNearLimit ? text : "latency (" + text + ")";
}

}  // namespace msda
