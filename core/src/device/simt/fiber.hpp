// One thread of a block: its fiber, what it waits for, and its asynchronous copies.
#pragma once

#include <boost/context/fiber.hpp>
#include <cstdint>
#include <deque>
#include <vector>

#include <msda/simt/host/executor.cuh>

#include "device/simt/clock.hpp"
#include "device/simt/stack_switch.hpp"

namespace msda::simt {

enum class Status { kReady, kAtMeeting, kAtBarrier, kAtCondition, kDone };

struct Copy {
  void* to;
  const void* from;
  unsigned bytes;
  host::Where where;
  /// Values that its thread had read when it began, where that is counted.
  std::uint64_t begun_at = 0;
};

/// A bulk reduction that reads shared memory until its thread has waited for it.
struct Reduction {
  host::Reduction call{};
  Clock begun;  ///< where races are looked for
};

struct Fiber {
  host::ThreadState state{};
  std::size_t number = 0;           ///< in the cluster
  unsigned tile = 0;                ///< tiles that it has begun
  unsigned item = 0;                ///< work items that it has begun
  bool waited = false;              ///< for the launch before
  boost::context::fiber context;    ///< while it does not run
  boost::context::fiber scheduler;  ///< while it runs
  StackSwitch stack_switch;
  bool abandoned = false;  ///< it is resumed once more, to unwind

  Status status = Status::kReady;
  const void* stopped_at = nullptr;  ///< code address at the end of its last slice
  host::Meeting meeting{};           ///< kAtMeeting
  host::BarrierCall barrier{};       ///< kAtBarrier
  host::Condition condition{};       ///< kAtCondition

  std::uint32_t fenced = 0;  ///< epoch of shared memory up to which its bulk copies are ordered
  std::vector<Copy> open_group;
  std::deque<std::vector<Copy>> groups;  ///< committed and not yet made, oldest first
  std::vector<Reduction> open_reductions;
  std::deque<std::vector<Reduction>> reduction_groups;  ///< not yet made, oldest first
  const void* looked_at = nullptr;                      ///< what it last looked at without waiting
  std::size_t looked_behind = 0;                        ///< transfers that had begun then

  unsigned warp() const { return state.thread / 32; }
  unsigned lane() const { return state.thread % 32; }
};

}  // namespace msda::simt
