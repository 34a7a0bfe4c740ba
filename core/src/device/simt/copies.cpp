// Asynchronous copies. They are made late: a thread's own when it waits for them, those of the TMA
// when nothing else can run or, with a seed, at any time. Until then their bytes are under way.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "device/simt/cluster.hpp"

namespace msda::simt {

void Cluster::begin_copy(const Copy& copy) {
  const auto to = reinterpret_cast<std::uintptr_t>(copy.to);
  const auto from = reinterpret_cast<std::uintptr_t>(copy.from);
  const std::size_t offset = shared_.offset(to);
  const auto text = [&] {
    return fmt::format("{} copies {} bytes at {}", who(*fiber_), copy.bytes, where(copy.where));
  };
  if (!shared_.contains(offset, copy.bytes)) {
    fault(Diagnosis::kOutOfBoundsShared,
          fmt::format("{} to byte {} of {} bytes of shared memory", text(),
                      offset % SharedMemory::kStride, shared_.bytes()));
  }
  if (copy.from != nullptr) {
    const Buffer* buffer = global_.find(from, copy.bytes);
    if (buffer == nullptr) {
      fault(Diagnosis::kOutOfBoundsGlobal,
            fmt::format("{} from {}", text(), global_.describe(from)));
    }
    if (!may_touch(*buffer)) fault_dependency(*buffer, where(copy.where));
  }
  shared_.mark(offset, copy.bytes, Mark::kUnderWay);
  note_progress();
}

/// What the generic proxy has accessed is ordered before a bulk copy or reduction by a fence of the
/// thread that begins it, which comes after what orders the threads.
void Cluster::check_proxy(const void* shared, std::size_t bytes, std::string_view what,
                          host::Where place) {
  const std::size_t offset = shared_.offset(reinterpret_cast<std::uintptr_t>(shared));
  if (shared_.accessed(offset, bytes) <= fiber_->fenced) return;
  fault(Diagnosis::kProxy,
        fmt::format("{} begins {} of {} bytes at {}, at byte {} of shared memory, which threads "
                    "have read or written since its last fence between the proxies "
                    "(fence.proxy.async)",
                    who(*fiber_), what, bytes, where(place), offset % SharedMemory::kStride));
}

void Cluster::init_barrier(const void* barrier) { unpublished_[barrier] = fiber_; }

void Cluster::fence_mbarrier_init() {
  std::erase_if(unpublished_, [&](const auto& barrier) { return barrier.second == fiber_; });
}

/// Orders what its thread knows of before the bulk copies that it begins later.
void Cluster::fence_proxy_async() {
  fence_mbarrier_init();
  fiber_->fenced = shared_.next_epoch();
}

void Cluster::make_copy(const Copy& copy, const Clock& clock, bool bulk) {
  const std::size_t offset = shared_.offset(reinterpret_cast<std::uintptr_t>(copy.to));
  check_race(clock, offset, copy.bytes, host::kWrite, nullptr);
  if (!bulk) shared_.note_access(offset, copy.bytes);
  if (copy.from != nullptr) {
    std::memcpy(copy.to, copy.from, copy.bytes);
  } else {
    std::memset(copy.to, 0, copy.bytes);
  }
  shared_.mark(offset, copy.bytes, Mark::kWritten);
}

void Cluster::copy(host::Where where, void* shared, const void* global, unsigned bytes) {
  Copy copy = {shared, global, bytes, where, 0};
  if (recorder_) copy.begun_at = recorder_->values_read(*fiber_);
  if (reinterpret_cast<std::uintptr_t>(shared) % bytes != 0 ||
      reinterpret_cast<std::uintptr_t>(global) % bytes != 0) {
    fault(Diagnosis::kMisaligned,
          fmt::format("{} copies {} bytes between addresses that are no multiples of it, at {}",
                      who(*fiber_), bytes, this->where(where)));
  }
  begin_copy(copy);
  record_copy(host::kCpAsync, copy);
  fiber_->open_group.push_back(copy);
}

void Cluster::record_copy(host::CopyKind kind, const Copy& copy) {
  if (!recorder_ || copy.from == nullptr) return;
  const auto from = reinterpret_cast<std::uintptr_t>(copy.from);
  if (const Buffer* buffer = global_.find(from, 1)) {
    recorder_->copy(*fiber_, kind, *buffer, copy);
  }
}

void Cluster::cp_async_commit_group() {
  fiber_->groups.push_back(std::exchange(fiber_->open_group, {}));
}

void Cluster::cp_async_wait_group(int pending) {
  finish_copies_of(*fiber_);
  while (fiber_->groups.size() > static_cast<std::size_t>(pending)) {
    for (const Copy& copy : fiber_->groups.front()) {
      make_copy(copy, clock_of(*fiber_), false);
      if (recorder_) recorder_->wait_for(*fiber_, copy);
    }
    fiber_->groups.pop_front();
  }
  if (recorder_) {
    recorder_->wait(static_cast<std::size_t>(
        std::count_if(fiber_->groups.begin(), fiber_->groups.end(),
                      [](const std::vector<Copy>& group) { return !group.empty(); })));
  }
}

Clock Cluster::clock_of_copies(const void* barrier) {
  if (!races_) return {};
  const auto agent = agents_.try_emplace(barrier, fibers_.size() + agents_.size() % kAgents).first;
  return races_->delegate(number(*fiber_), agent->second);
}

Transfer Cluster::begin_transfer(const host::Completion& completion, Clock begun) {
  Transfer transfer;
  transfer.number = begun_transfers_++;
  transfer.begun = std::move(begun);
  transfer.completion = completion;
  if (races_) races_->advance(number(*fiber_));
  return transfer;
}

void Cluster::cp_async_mbarrier_arrive(const host::Completion& completion) {
  Transfer& transfer = transfers_.emplace_back(begin_transfer(completion, clock_of(*fiber_)));
  transfer.owner = fiber_;
  for (auto& group : fiber_->groups) {
    transfer.parts.insert(transfer.parts.end(), group.begin(), group.end());
    group.clear();  // it still counts as a group
  }
  transfer.parts.insert(transfer.parts.end(), fiber_->open_group.begin(), fiber_->open_group.end());
  fiber_->open_group.clear();
  if (recorder_) recorder_->leave_copies(transfer.parts.size());
}

void Cluster::cp_async_bulk(host::Where where, host::CopyKind kind, const host::CopyPart* parts,
                            unsigned count, const host::Completion& completion) {
  if (unpublished_.contains(completion.subject)) {
    fault(Diagnosis::kProxy,
          fmt::format("{} begins a copy at {} whose mbarrier was initialised and not made known to "
                      "the TMA (fence.mbarrier_init)",
                      who(*fiber_), this->where(where)));
  }
  Transfer transfer = begin_transfer(completion, clock_of_copies(completion.subject));
  transfer.bulk = true;
  for (unsigned i = 0; i < count; ++i) {
    const Copy part = {parts[i].to, parts[i].from, parts[i].bytes, where, 0};
    begin_copy(part);
    check_proxy(part.to, part.bytes, "a bulk copy", where);
    transfer.parts.push_back(part);
  }
  Copy whole = {nullptr, nullptr, 0, where, 0};
  for (const Copy& part : transfer.parts) {
    if (whole.from == nullptr) whole.from = part.from;
    whole.bytes += part.bytes;
  }
  record_copy(kind, whole);
  if (recorder_ && kind == host::kTensorCopy) recorder_->copy_box(transfer.parts);
  transfers_.push_back(std::move(transfer));
}

/// Copies are late also for who does not wait: they come when a thread looks again, and every other
/// time half a warp of such looks later, so that the lanes of a warp do not all see them at a time.
void Cluster::look(const void* subject) {
  constexpr unsigned kHalfWarp = 16;
  const unsigned late = seen_copies_ % 2 == 0 ? 0 : kHalfWarp;
  bool came = false;
  for (std::size_t i = transfers_.size(); i-- > 0;) {
    Transfer& transfer = transfers_[i];
    const bool again = fiber_->looked_at == subject && fiber_->looked_behind > transfer.number;
    if (transfer.completion.subject != subject || !again || ++transfer.looks <= late) continue;
    finish(i);
    came = true;
  }
  if (came) ++seen_copies_;
  fiber_->looked_at = subject;
  fiber_->looked_behind = begun_transfers_;
}

void Cluster::finish(std::size_t number) {
  const Transfer transfer = std::move(transfers_[number]);
  transfers_.erase(transfers_.begin() + static_cast<std::ptrdiff_t>(number));
  for (const Copy& copy : transfer.parts) make_copy(copy, transfer.begun, transfer.bulk);
  if (transfer.completion.act != nullptr) {
    finishing_ = &transfer;
    transfer.completion.act(transfer.completion.subject, transfer.completion.argument);
    finishing_ = nullptr;
  }
  note_progress();
}

/// The copies that an arrival of the thread waits for.
void Cluster::finish_copies_of(const Fiber& fiber) {
  for (std::size_t i = 0; i < transfers_.size();) {
    if (transfers_[i].owner == &fiber) {
      finish(i);
    } else {
      ++i;
    }
  }
}

}  // namespace msda::simt
