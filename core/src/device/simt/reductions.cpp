// Bulk reductions from shared to global memory. They are made when their thread waits for them, as
// late as they may be: a write to what they still read comes before them then, with nothing between
// that orders the two, and the sums are wrong also where no races are looked for.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "device/simt/cluster.hpp"

namespace msda::simt {

void Cluster::cp_reduce_async_bulk(const host::Reduction& call) {
  const std::size_t offset = shared_.offset(reinterpret_cast<std::uintptr_t>(call.shared));
  const auto text = [&] {
    return fmt::format("{} begins a bulk reduction of {} bytes at {}, from byte {}", who(*fiber_),
                       call.bytes, where(call.where), offset % SharedMemory::kStride);
  };
  if (!shared_.contains(offset, call.bytes)) {
    fault(Diagnosis::kOutOfBoundsShared,
          fmt::format("{} of {} bytes of shared memory", text(), shared_.bytes()));
  }
  if (shared_.mark_of(offset, call.bytes) != Mark::kWritten) {
    fault(Diagnosis::kUninitialisedShared,
          fmt::format("{} of shared memory, where not all was written", text()));
  }
  check_proxy(call.shared, call.bytes, "a bulk reduction", call.where);
  const Buffer* buffer = global_.find(reinterpret_cast<std::uintptr_t>(call.global), call.bytes);
  if (recorder_ && buffer != nullptr) {
    recorder_->copy(*fiber_, host::kBulkReduction, *buffer,
                    {nullptr, call.global, call.bytes, call.where});
  }
  fiber_->open_reductions.push_back({call, clock_of(*fiber_)});
  if (races_) races_->advance(number(*fiber_));
  note_progress();
}

void Cluster::cp_async_bulk_commit_group() {
  fiber_->reduction_groups.push_back(std::exchange(fiber_->open_reductions, {}));
}

void Cluster::cp_async_bulk_wait_group_read(int pending) {
  auto& groups = fiber_->reduction_groups;
  while (groups.size() > static_cast<std::size_t>(pending)) {
    for (const Reduction& reduction : groups.front()) reduce(reduction);
    groups.pop_front();
  }
  if (!recorder_) return;
  recorder_->wait(static_cast<std::size_t>(std::count_if(
      groups.begin(), groups.end(), [](const auto& group) { return !group.empty(); })));
}

void Cluster::reduce(const Reduction& reduction) {
  const host::Reduction& call = reduction.call;
  const std::size_t offset = shared_.offset(reinterpret_cast<std::uintptr_t>(call.shared));
  // It has read from its beginning on, and until now.
  check_race(reduction.begun, offset, call.bytes, host::kRead, nullptr);
  check_race(clock_of(*fiber_), offset, call.bytes, host::kRead, nullptr);
  Fiber* const waiting = std::exchange(fiber_, nullptr);
  call.add(call.global, call.shared, call.bytes);
  fiber_ = waiting;
}

}  // namespace msda::simt
