// Where threads meet: lanes of a warp, and barriers.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "device/simt/cluster.hpp"

namespace msda::simt {
namespace {

constexpr unsigned kLanes = 32;

bool same_text(const char* a, const char* b) { return a == b || std::strcmp(a, b) == 0; }

bool same_place(host::Where a, host::Where b) {
  return a.line == b.line && same_text(a.file, b.file);
}

}  // namespace

void Cluster::check_mask(const host::Meeting& meeting) {
  const Fiber& mine = *fiber_;
  if ((meeting.mask >> mine.lane() & 1U) == 0) {
    fault(Diagnosis::kMisuse,
          fmt::format("{} calls a {} whose mask {:#010x} leaves it out, at {}", who(mine),
                      meeting.what, meeting.mask, where(meeting.where)));
  }
  const unsigned rank = mine.state.cluster_rank;
  const bool all_here = alive_in_[rank] == grid_.threads && grid_.threads % kLanes == 0;
  for (unsigned l = 0; l < kLanes && !all_here; ++l) {
    if ((meeting.mask >> l & 1U) == 0) continue;
    const unsigned thread = mine.warp() * kLanes + l;
    const bool exists = thread < grid_.threads;
    if (exists && fiber_of(rank, thread).status != Status::kDone) continue;
    fault(Diagnosis::kAbsentLane,
          fmt::format("{} calls a {} with mask {:#010x} at {}, but lane {} {}", who(mine),
                      meeting.what, meeting.mask, where(meeting.where), l,
                      exists ? "has left the kernel" : "does not exist: the block is smaller"));
  }
}

void Cluster::meet(const host::Meeting& meeting) {
  check_mask(meeting);
  Fiber& mine = *fiber_;
  mine.meeting = meeting;
  mine.status = Status::kAtMeeting;
  // Those that come last have high numbers more often than not.
  for (unsigned l = kLanes; l-- > 0;) {
    if ((meeting.mask >> l & 1U) == 0) continue;
    const Fiber& other = fiber_of(mine.state.cluster_rank, mine.warp() * kLanes + l);
    if (other.status != Status::kAtMeeting || other.meeting.mask != meeting.mask) return leave();
    if (!same_text(other.meeting.what, meeting.what)) {
      fault(Diagnosis::kDivergence, fmt::format("{} calls a {} at {}, but {} a {} at {}", who(mine),
                                                meeting.what, where(meeting.where), who(other),
                                                other.meeting.what, where(other.meeting.where)));
    }
  }
  void* given[kLanes] = {};
  std::vector<std::size_t> threads;
  threads.reserve(kLanes);
  for (unsigned l = 0; l < kLanes; ++l) {
    if ((meeting.mask >> l & 1U) == 0) continue;
    Fiber& other = fiber_of(mine.state.cluster_rank, mine.warp() * kLanes + l);
    given[l] = other.meeting.mine;
    other.status = Status::kReady;
    threads.push_back(number(other));
  }
  if (meeting.join != nullptr) {
    // Nobody's code: neither interrupted nor checked.
    fiber_ = nullptr;
    meeting.join(given, meeting.mask);
    fiber_ = &mine;
  }
  // A shuffle and its like exchange values and order no memory; the barrier of a warp does.
  if (races_ && meeting.join == nullptr) races_->meet(threads);
  note_progress();
}

/// A thread that has left the kernel cannot come any more.
void Cluster::check_who_waits_for(const Fiber& gone) {
  for (unsigned l = 0; l < kLanes; ++l) {
    const unsigned thread = gone.warp() * kLanes + l;
    if (thread >= grid_.threads) break;
    const Fiber& other = fiber_of(gone.state.cluster_rank, thread);
    if (other.status != Status::kAtMeeting || (other.meeting.mask >> gone.lane() & 1U) == 0) {
      continue;
    }
    fault(Diagnosis::kAbsentLane,
          fmt::format("{} waits at a {} with mask {:#010x} at {}, but lane {} has left the kernel",
                      who(other), other.meeting.what, other.meeting.mask,
                      where(other.meeting.where), gone.lane()));
  }
}

BarrierState& Cluster::state_of(const host::BarrierCall& call, unsigned rank) {
  return barriers_[call.id == host::kClusterBarrier ? 0 : rank][static_cast<std::size_t>(call.id)];
}

void Cluster::check_call(const BarrierState& state, const host::BarrierCall& call) {
  if (call.id < 0 || call.id >= host::kBarriers) {
    fault(Diagnosis::kMisuse, fmt::format("{} calls barrier {} at {}; there are 0 .. 15",
                                          who(*fiber_), call.id, where(call.where)));
  }
  if (call.threads % kLanes != 0 || call.threads > grid_.threads) {
    fault(Diagnosis::kMisuse,
          fmt::format("{} calls barrier {} for {} threads at {}; it takes whole warps of a block "
                      "of {}",
                      who(*fiber_), call.id, call.threads, where(call.where), grid_.threads));
  }
  if (state.arrived.empty()) return;
  const Fiber& other = *state.arrived.front();
  if (call.threads != 0 && call.threads != state.expected) {
    fault(Diagnosis::kMisuse,
          fmt::format("{} calls barrier {} for {} threads at {}, but {} for {} at {}", who(*fiber_),
                      call.id, call.threads, where(call.where), who(other), state.expected,
                      where(other.barrier.where)));
  }
  if (call.threads == 0 && !same_place(call.where, other.barrier.where)) {
    fault(Diagnosis::kDivergence,
          fmt::format("{} calls a {} at {}, but {} at {}", who(*fiber_), call.what,
                      where(call.where), who(other), where(other.barrier.where)));
  }
}

void Cluster::barrier(const host::BarrierCall& call) {
  Fiber& mine = *fiber_;
  BarrierState& state = state_of(call, mine.state.cluster_rank);
  check_call(state, call);
  if (recorder_) recorder_->barrier(call);
  const bool of_cluster = call.id == host::kClusterBarrier;
  if (state.arrived.empty()) {
    state.expected =
        call.threads != 0 ? call.threads : grid_.threads * (of_cluster ? grid_.cluster : 1U);
  }
  mine.barrier = call;
  if (call.waits) mine.status = Status::kAtBarrier;
  state.arrived.push_back(&mine);
  if (races_) {
    state.clocks.push_back(clock_of(mine));
    races_->advance(number(mine));
  }
  if (state.arrived.size() < state.expected) return call.waits ? leave() : void();
  Known known;
  if (races_) {
    std::vector<const Clock*> clocks;
    for (const Clock& clock : state.clocks) clocks.push_back(&clock);
    known = join(clocks);
  }
  for (Fiber* fiber : state.arrived) {
    if (fiber->status != Status::kAtBarrier || fiber->barrier.id != call.id) continue;
    fiber->status = Status::kReady;
    if (races_) races_->teach(number(*fiber), known);
  }
  state.arrived.clear();
  state.clocks.clear();
  note_progress();
}

}  // namespace msda::simt
