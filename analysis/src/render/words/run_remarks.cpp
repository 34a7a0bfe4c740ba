#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "render/text/text.hpp"
#include "render/words/words.hpp"

namespace msda {
namespace {

std::string device_word(const Manifest& manifest) {
  if (!manifest.device) return "device";
  return manifest.device->kind == DeviceKind::kCuda ? "GPU" : "CPU";
}

/// Which optimizations show in no arm, though all have them; "" when there is none.
std::string idle_sentence(const Table& table) {
  if (table.idle.empty()) return "";
  return fmt::format(
      "No arm shows evidence of what all arms have in common, so that it cannot explain a "
      "difference: {}.",
      printable(fmt::format("{}", fmt::join(table.idle, "; "))));
}

}  // namespace

std::optional<TimeAccount> time_account(const Manifest& manifest) {
  if (!manifest.time) return std::nullopt;
  TimeAccount account;
  account.after_compilation = manifest.time->total_seconds - manifest.time->compile_seconds;
  account.busy = manifest.time->busy_seconds;
  if (account.after_compilation <= 0) return std::nullopt;
  return account;
}

std::string time_sentence(const Manifest& manifest) {
  const auto account = time_account(manifest);
  if (!account) return "";
  return fmt::format(
      "Of {:.3g} s after compilation {:.0f}% went into verifying and measuring arms on the {}, "
      "with the warm-ups, flushes and checks of that.",
      account->after_compilation, 100 * account->share(), device_word(manifest));
}

std::string stop_sentence(const Manifest& manifest, const Table& table) {
  const bool any_timed =
      std::ranges::any_of(table.rows, [](const Row& row) { return row.timed(); });
  if (!any_timed) return "";
  const auto group = std::ranges::find_if(manifest.groups, [&](const GroupEntry& one) {
    return one.problem == table.problem && one.mode == table.mode;
  });
  if (group == manifest.groups.end() || group->processes < 1) return "";
  const int processes = group->processes;
  const std::string count =
      fmt::format("{} {}", processes, processes == 1 ? "process" : "processes");
  const std::string& why = group->stopped_by;
  if (why == "precision") {
    return fmt::format("Ended after {}: no 95% interval of a ratio is wider than +-{}.", count,
                       percent_text(group->precision));
  }
  const std::string known = std::isfinite(group->precision)
                                ? fmt::format("; the widest 95% interval of a ratio is +-{}",
                                              percent_text(group->precision))
                                : "";
  if (why == "budget") return fmt::format("Ended after {} with the time budget{}.", count, known);
  if (why == "processes")
    return fmt::format("Ended after {}, as many as it may have{}.", count, known);
  return why.empty() ? fmt::format("Not at its end: {} so far.", count) : "";
}

std::string throttle_sentence(const Table& table) {
  std::size_t blocks = 0;
  std::size_t throttled = 0;
  std::set<std::string> reasons;
  for (const Row& row : table.rows) {
    if (!row.timed()) continue;
    for (const SampleBlock& block : row.record.samples) {
      ++blocks;
      if (!block.throttled.empty()) ++throttled;
      reasons.insert(block.throttled.begin(), block.throttled.end());
    }
  }
  if (throttled == 0) return "";
  return fmt::format(
      "GPU clocks were throttled ({}) in {} of {} blocks of samples; these are included.",
      printable_line(fmt::format("{}", fmt::join(reasons, ", "))), throttled, blocks);
}

std::string threads_sentence(const Table& table) {
  std::map<std::string, double> busiest;
  std::map<std::string, std::set<std::string>> beside;
  for (const Row& row : table.rows) {
    for (const ProcessRun& process : row.record.processes) {
      for (const auto& [arm, processors] : process.foreign_processors) {
        busiest[arm] = std::max(busiest[arm], processors);
        beside[arm].insert(row.record.arm);
      }
    }
  }
  std::vector<std::string> texts;
  for (const auto& [arm, processors] : busiest) {
    texts.push_back(fmt::format(
        "Threads that {} left running kept {:.2g} processors busy while {} was timed: times beside "
        "it may be too long.",
        arm, processors, fmt::join(beside[arm], ", ")));
  }
  return printable_line(fmt::format("{}", fmt::join(texts, " ")));
}

std::string noise_sentence(const NoiseFloor& floor) {
  const std::string smallest = fmt::format(
      "{} is the smallest effect that {} finds in 4 of 5 runs", percent_text(floor.smallest_effect),
      floor.arm.empty() ? "the arms' median interval" : "such an interval");
  if (floor.arm.empty()) return fmt::format("No A/A pair ran; {}.", smallest);
  const Difference difference = classify(floor.ratio);
  std::string pair = fmt::format(
      "A/A pair: {} is an identical copy of the baseline, {}, {}; {}.", printable_line(floor.arm),
      ratio_text(floor.ratio.ratio, floor.ratio.interval_95), name_of(difference), smallest);
  const bool differs = difference == Difference::kFaster || difference == Difference::kSlower;
  if (!differs) return pair;
  return pair +
         " The baseline differs from itself: this run was noisier than its intervals say, and "
         "differences of that size mean nothing.";
}

std::string knots_sentence(const Table& table) {
  std::map<std::string, std::int64_t> most;
  for (const Row& row : table.rows) {
    for (const OutputError& output : row.record.outputs) {
      std::int64_t& count = most[output.name];
      count = std::max(count, output.on_knots);
    }
  }
  std::vector<std::string> texts;
  for (const auto& [name, count] : most) {
    if (count > 0) texts.push_back(fmt::format("{} elements of {}", count, name));
  }
  if (texts.empty()) return "";
  return printable_line(
      fmt::format("At most {} lie so close to a pixel's centre that rounding may carry them across "
                  "it: they have two right results, of which the nearer one counts.",
                  fmt::join(texts, " and ")));
}

std::vector<std::string> run_remarks(const Manifest& manifest, const Table& table) {
  std::vector<std::string> remarks{stop_sentence(manifest, table), throttle_sentence(table),
                                   threads_sentence(table), idle_sentence(table),
                                   knots_sentence(table)};
  std::erase(remarks, "");
  return remarks;
}

}  // namespace msda
