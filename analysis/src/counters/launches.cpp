#include "counters/launches.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace msda {
namespace {

constexpr const char* kDuration = "gpu__time_duration.sum";
constexpr const char* kIssueSlots = "issue slots";

/// Reasons for which a warp stalls, as people think of them.
struct Wait {
  const char* name;
  std::vector<const char*> reasons;  ///< names in the counters
};

const std::vector<Wait>& waits() {
  static const std::vector<Wait> kWaits = {
      {"waiting for global memory", {"long_scoreboard"}},
      {"waiting to queue a load", {"lg_throttle", "tex_throttle"}},
      {"waiting for shared memory", {"short_scoreboard", "mio_throttle"}},
      {"waiting at barriers", {"barrier", "membar", "sleeping"}},
      {"waiting for the instruction before", {"wait"}},
      {"waiting for a math pipe", {"math_pipe_throttle", "dispatch_stall", "gmma"}},
      {"waiting for instructions", {"no_instruction", "branch_resolving", "imc_miss"}},
      {"waiting otherwise", {"drain", "misc"}},
  };
  return kWaits;
}

double stalled(const KernelCounters& kernel, const Wait& wait) {
  double cycles = 0;
  for (const char* reason : wait.reasons) {
    cycles += kernel
                  .find(fmt::format("smsp__average_warps_issue_stalled_{}_per_issue_active.ratio",
                                    reason))
                  .value_or(0);
  }
  return cycles;
}

void add_waits(const KernelCounters& kernel, double seconds, std::vector<Load>& loads) {
  double all = 0;
  for (const Wait& wait : waits()) all += stalled(kernel, wait);
  if (all <= 0) {
    loads.push_back({"waiting", Load::Kind::kWaiting, seconds, {}, nullptr});
    return;
  }
  for (const Wait& wait : waits()) {
    const double part = seconds * stalled(kernel, wait) / all;
    if (part > 0) loads.push_back({wait.name, Load::Kind::kWaiting, part, {}, nullptr});
  }
}

/// Of the kernel's time, 0 .. 1.
double idle_share(const KernelCounters& kernel) {
  const auto mean = kernel.find("sm__cycles_active.avg");
  const auto most = kernel.find("sm__cycles_active.max");
  return mean && most && *most > 0 ? std::max(0.0, 1 - *mean / *most) : 0;
}

void add_resources(const KernelCounters& kernel, double seconds, std::vector<Load>& loads) {
  for (const Resource& resource : resources()) {
    const auto percent = kernel.find(resource.busy_metric);
    if (!percent) continue;
    const bool issues = std::string_view(resource.name) == kIssueSlots;
    loads.push_back({resource.name, issues ? Load::Kind::kIssuing : Load::Kind::kResource,
                     *percent / 100 * seconds, kernel.find(resource.work_metric), &resource});
  }
}

const Load* longest_wait(const LaunchLoads& loads) {
  const Load* longest = nullptr;
  for (const Load& load : loads.loads) {
    if (load.kind != Load::Kind::kWaiting) continue;
    if (longest == nullptr || load.seconds > longest->seconds) longest = &load;
  }
  return longest;
}

}  // namespace

const std::vector<Resource>& resources() {
  static const std::vector<Resource> kResources = {
      {kIssueSlots, "smsp__issue_active.avg.pct_of_peak_sustained_elapsed",
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

std::vector<CountedLaunch> launches_of(const std::vector<KernelCounters>& kernels) {
  std::vector<CountedLaunch> launches;
  for (const KernelCounters& kernel : kernels) {
    if (kernel.part == kMainPart) launches.push_back({kernel, {}});
  }
  for (const KernelCounters& kernel : kernels) {
    if (kernel.part == kMainPart) continue;
    for (CountedLaunch& launch : launches) {
      const KernelCounters& main = launch.kernel;
      const bool same =
          main.problem == kernel.problem && main.arm == kernel.arm && main.mode == kernel.mode;
      if (same) launch.prepasses.push_back(kernel);
    }
  }
  return launches;
}

const Load* LaunchLoads::find(const std::string& name) const {
  const auto found =
      std::ranges::find_if(loads, [&](const Load& load) { return load.name == name; });
  return found == loads.end() ? nullptr : &*found;
}

bool LaunchLoads::splits_time() const { return find(kIssueSlots) != nullptr; }

std::optional<LaunchLoads> loads_of(const CountedLaunch& launch) {
  const KernelCounters& kernel = launch.kernel;
  const auto time = kernel.find(kDuration);
  if (!time || *time <= 0) return std::nullopt;
  LaunchLoads result;
  add_resources(kernel, *time, result.loads);
  if (const Load* issuing = result.find(kIssueSlots)) {
    const double rest = std::max(0.0, *time - issuing->seconds);
    const double idle = std::min(rest, idle_share(kernel) * *time);
    add_waits(kernel, rest - idle, result.loads);
    if (idle > 0) result.loads.push_back({"idle SMs", Load::Kind::kIdle, idle, {}, nullptr});
  }
  double before = 0;
  for (const KernelCounters& prepass : launch.prepasses) {
    before += prepass.find(kDuration).value_or(0);
  }
  if (before > 0) {
    result.loads.push_back({"pre-passes", Load::Kind::kPrepass, before, {}, nullptr});
  }
  result.seconds = *time + before;
  return result;
}

LaunchLoads mean(const std::vector<LaunchLoads>& all) {
  LaunchLoads result;
  const double part = 1 / static_cast<double>(all.size());
  for (const LaunchLoads& one : all) {
    result.seconds += part * one.seconds;
    for (const Load& load : one.loads) {
      auto found = std::ranges::find_if(result.loads,
                                        [&](const Load& other) { return other.name == load.name; });
      if (found == result.loads.end()) {
        found = result.loads.insert(found, {load.name, load.kind, 0, {}, load.resource});
      }
      found->seconds += part * load.seconds;
      if (load.work) found->work = found->work.value_or(0) + part * *load.work;
    }
  }
  return result;
}

const Load* busiest(const LaunchLoads& loads) {
  const Load* most = nullptr;
  for (const Load& load : loads.loads) {
    if (load.resource == nullptr) continue;
    if (most == nullptr || load.seconds > most->seconds) most = &load;
  }
  return most;
}

std::string bound_in_words(const LaunchLoads& loads) {
  const Load* most = busiest(loads);
  if (most == nullptr) return "not counted";
  std::string busy = fmt::format("{}, {:.0f}% busy", most->name, loads.share(*most) * 100);
  if (loads.share(*most) >= kNearLimit) return busy;
  const Load* wait = longest_wait(loads);
  return fmt::format("{} ({})", wait == nullptr ? "latency" : wait->name, busy);
}

}  // namespace msda
