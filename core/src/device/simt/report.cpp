// What the executor says of threads that wait.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "device/simt/cluster.hpp"
#include "device/simt/symbols.hpp"

namespace msda::simt {
namespace {

/// "0-31, 40": of sorted numbers.
std::string ranges(const std::vector<unsigned>& numbers) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    texts.push_back(last == i ? fmt::format("{}", numbers[i])
                              : fmt::format("{}-{}", numbers[i], numbers[last]));
    i = last + 1;
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

std::string Cluster::where(host::Where where) const { return place(image_, where); }
std::string Cluster::where(const void* pc) const { return place(image_, pc); }

std::string Cluster::who(const Fiber& fiber) const {
  return fmt::format("block {} thread {}", fiber.state.block, fiber.state.thread);
}

std::string Cluster::who(std::size_t number) const {
  return number < fibers_.size() ? who(fibers_[number]) : "the TMA";
}

void Cluster::print(const char* line) const { fmt::print(stderr, "{}: {}\n", who(*fiber_), line); }

std::string Cluster::waiting_for(const Fiber& fiber) {
  switch (fiber.status) {
    case Status::kDone: return "left the kernel";
    case Status::kReady: return "run";
    case Status::kAtMeeting:
      return fmt::format("wait at a {} with mask {:#010x} at {}", fiber.meeting.what,
                         fiber.meeting.mask, where(fiber.meeting.where));
    case Status::kAtBarrier: {
      const BarrierState& state = state_of(fiber.barrier, fiber.state.cluster_rank);
      return fmt::format("wait at a {} ({}) at {}: {} of {} arrivals", fiber.barrier.what,
                         fiber.barrier.id, where(fiber.barrier.where), state.arrived.size(),
                         state.expected);
    }
    case Status::kAtCondition: {
      char text[256] = "";
      fiber.condition.describe(fiber.condition.subject, fiber.condition.argument, text,
                               sizeof text);
      return fmt::format("wait for {} at {}: {}", fiber.condition.what,
                         where(fiber.condition.where), text);
    }
  }
  return "?";
}

/// One line for all threads of a block that wait for the same.
std::string Cluster::who_waits() {
  std::vector<std::string> lines;
  for (unsigned rank = 0; rank < grid_.cluster; ++rank) {
    std::vector<std::pair<std::string, std::vector<unsigned>>> groups;
    std::map<std::string, std::size_t> group_of;
    for (unsigned t = 0; t < grid_.threads; ++t) {
      const std::string text = waiting_for(fiber_of(rank, t));
      const auto [found, fresh] = group_of.emplace(text, groups.size());
      if (fresh) groups.push_back({text, {}});
      groups[found->second].second.push_back(t);
    }
    const unsigned block = fiber_of(rank, 0).state.block;
    for (const auto& [text, threads] : groups)
      lines.push_back(fmt::format("  block {} threads {} {}", block, ranges(threads), text));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

void Cluster::report_deadlock() {
  bool somebody_left = false;
  for (const Fiber& fiber : fibers_) {
    if (fiber.status != Status::kAtBarrier || fiber.barrier.threads != 0) continue;
    for (const Fiber& other : fibers_) {
      const bool same = fiber.barrier.id == host::kClusterBarrier ||
                        other.state.cluster_rank == fiber.state.cluster_rank;
      somebody_left = somebody_left || (same && other.status == Status::kDone);
    }
    break;
  }
  const std::string waiting = who_waits();
  if (somebody_left) {
    fault(Diagnosis::kEarlyExit,
          "threads wait at a barrier of all, and others have left the kernel\n" + waiting);
  }
  fault(Diagnosis::kDeadlock, "no thread can run\n" + waiting);
}

}  // namespace msda::simt
