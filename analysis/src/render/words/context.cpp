// The line under a report's title: by what, where, when and on which hardware it was measured.
#include <algorithm>
#include <limits>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "render/text/text.hpp"
#include "render/words/words.hpp"

namespace msda {
namespace {

using Facts = std::map<std::string, std::string>;

std::string fact(const Facts& facts, const char* name) {
  const auto found = facts.find(name);
  return found == facts.end() ? "" : found->second;
}

/// " NUMBER" or " LEAST to MOST" and the unit; "" where nothing is known.
template <class Number>
struct Span {
  Number least = std::numeric_limits<Number>::max();
  Number most = std::numeric_limits<Number>::lowest();

  void take(Number value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  bool empty() const { return most < least; }
  std::string text() const {
    return least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
  }
};

/// "NVIDIA H200 (cuda:0, GPU 3f2a91c0)": the same GPU has the same number in every report.
std::string gpu_text(const AttemptEntry& attempt) {
  if (!attempt.device) return "";
  const std::string& id = attempt.device->id;
  const std::string& name = attempt.device->name;
  const std::string number = fact(attempt.provenance, "gpu_number");
  if (name.empty() || id.empty()) return name + id;
  return fmt::format("{} ({}{}{})", name, id, number.empty() ? "" : ", GPU ", number);
}

/// Those of all shards, each once.
std::string gpus_text(const Manifest& manifest) {
  std::vector<std::string> gpus;
  for (const AttemptEntry& shard : manifest.shards) {
    const std::string gpu = gpu_text(shard);
    if (!gpu.empty() && std::ranges::find(gpus, gpu) == gpus.end()) gpus.push_back(gpu);
  }
  if (gpus.empty()) return gpu_text(manifest);
  return fmt::format("{}", fmt::join(gpus, " and "));
}

/// What the multiprocessors' clock was before and after the blocks, of at most what it can be.
std::string clock_text(const Report& report) {
  Span<int> mhz;
  for (const Row& row : rows_of(report)) {
    for (const ProcessRun& run : row.record.processes) {
      for (const std::optional<Conditions>& there : {run.before, run.after}) {
        if (there && there->sm_clock_mhz) mhz.take(static_cast<int>(*there->sm_clock_mhz));
      }
    }
  }
  const std::string highest = fact(report.manifest.provenance, "highest_sm_clock_mhz");
  if (mhz.empty()) return highest.empty() ? "" : fmt::format("SM clock up to {} MHz", highest);
  return fmt::format("SM clock {}{} MHz", mhz.text(), highest.empty() ? "" : " of " + highest);
}

std::string process_text(const Manifest& manifest) {
  Span<int> processes;
  for (const GroupEntry& group : manifest.groups) {
    if (group.processes > 0) processes.take(group.processes);
  }
  if (processes.empty()) return "";
  return fmt::format("{} process{}", processes.text(), processes.most == 1 ? "" : "es");
}

std::string program_text(const Manifest& manifest) {
  if (manifest.program_version.empty()) return "";
  const std::string& state = manifest.git_state;
  return fmt::format("msda {}{}", manifest.program_version,
                     state.empty() ? "" : fmt::format(" (commit {})", state));
}

std::string with_unit(const char* before, const std::string& value, const char* after) {
  return value.empty() ? "" : before + value + after;
}

}  // namespace

std::string context_of(const Report& report) {
  const Manifest& manifest = report.manifest;
  const Facts& facts = manifest.provenance;
  std::vector<std::string> parts{
      gpus_text(manifest),    with_unit("driver ", fact(facts, "driver"), ""),
      clock_text(report),     with_unit("power limit ", fact(facts, "power_limit_watts"), " W"),
      program_text(manifest), manifest.started,
      process_text(manifest), with_unit("run ", manifest.status, "")};
  for (std::string& part : parts) part = printable_line(part);
  std::erase(parts, "");
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace msda
