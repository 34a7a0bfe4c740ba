// The end of a block.
#include <fmt/format.h>

#include "device/simt/cluster.hpp"

namespace msda::simt {

void Cluster::leave_block(unsigned rank) {
  check_barriers_of(rank);
  check_copies_to(rank);
  check_reductions_of(rank);
  check_reads_of(rank);
}

void Cluster::check_barriers_of(unsigned rank) {
  for (int id = 0; id < host::kClusterBarrier; ++id) {
    const BarrierState& state = barriers_[rank][static_cast<std::size_t>(id)];
    if (state.arrived.empty()) continue;
    fault(Diagnosis::kLeftBehind,
          fmt::format("block {} ends while barrier {} has {} of {} arrivals; one is {}'s at {}",
                      fiber_of(rank, 0).state.block, id, state.arrived.size(), state.expected,
                      who(*state.arrived.front()), where(state.arrived.front()->barrier.where)));
  }
}

/// A bulk copy writes, and its mbarrier counts, whether the block is still there or not.
void Cluster::check_copies_to(unsigned rank) {
  for (const Transfer& transfer : transfers_) {
    for (const Copy& copy : transfer.parts) {
      const std::size_t to = shared_.offset(reinterpret_cast<std::uintptr_t>(copy.to));
      if (!transfer.bulk || to / SharedMemory::kStride != rank) continue;
      fault(Diagnosis::kLeftBehind,
            fmt::format("block {} ends while a bulk copy to its shared memory is under way, begun "
                        "at {}",
                        fiber_of(rank, 0).state.block, where(copy.where)));
    }
  }
}

/// Nobody but its thread can have waited for a bulk reduction.
void Cluster::check_reductions_of(unsigned rank) {
  for (unsigned t = 0; t < grid_.threads; ++t) {
    const Fiber& fiber = fiber_of(rank, t);
    const Reduction* left = fiber.open_reductions.empty() ? nullptr : &fiber.open_reductions[0];
    for (const std::vector<Reduction>& group : fiber.reduction_groups) {
      if (!group.empty()) left = &group.front();
    }
    if (left == nullptr) continue;
    fault(Diagnosis::kLeftBehind,
          fmt::format("block {} ends while a bulk reduction from its shared memory is under way, "
                      "begun by {} at {}",
                      fiber.state.block, who(fiber), where(left->call.where)));
  }
}

/// Shared memory goes with its block: what others of the cluster did with it must have come before.
void Cluster::check_reads_of(unsigned rank) {
  if (!races_ || grid_.cluster == 1) return;
  const std::size_t first = std::size_t{rank} * grid_.threads;
  std::vector<const Clock*> clocks;
  for (unsigned t = 0; t < grid_.threads; ++t) clocks.push_back(&clock_of(fiber_of(rank, t)));
  const Known known = join(clocks);
  const std::size_t begin = shared_.index(rank * SharedMemory::kStride);
  const auto conflict =
      races_->history().untold(*known, begin, grid_.shared_bytes, first, first + grid_.threads);
  if (!conflict) return;
  fault(Diagnosis::kGone,
        fmt::format("{} {} byte {} of the shared memory of block {} in {}, and nothing orders that "
                    "before the end of the block",
                    who(conflict->thread), conflict->wrote ? "writes" : "reads",
                    conflict->byte - begin, fiber_of(rank, 0).state.block, where(conflict->pc)));
}

}  // namespace msda::simt
