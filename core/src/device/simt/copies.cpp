// Asynchronous copies. They are made late: a thread's own when it waits for them, the copy engine's
// when nothing else can run or, with a seed, at any time. Until then their bytes are under way.
#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "device/simt/cluster.hpp"

namespace msda::simt {

void Cluster::begin_copy(const Copy& copy) {
  const auto to = reinterpret_cast<std::uintptr_t>(copy.to);
  const auto from = reinterpret_cast<std::uintptr_t>(copy.from);
  const std::size_t offset = shared_.offset(to);
  const std::string text =
      fmt::format("{} copies {} bytes at {}", who(*fiber_), copy.bytes, where(copy.where));
  if (!shared_.contains(offset, copy.bytes)) {
    fault(Diagnosis::kOutOfBoundsShared,
          fmt::format("{} to byte {} of {} bytes of shared memory", text,
                      offset % SharedMemory::kStride, shared_.bytes()));
  }
  if (copy.from != nullptr && global_.find(from, copy.bytes) == nullptr) {
    fault(Diagnosis::kOutOfBoundsGlobal, fmt::format("{} from {}", text, global_.describe(from)));
  }
  shared_.mark(offset, copy.bytes, Mark::kUnderWay);
  note_progress();
}

void Cluster::make_copy(const Copy& copy, std::size_t thread, const Clock& clock) {
  const std::size_t offset = shared_.offset(reinterpret_cast<std::uintptr_t>(copy.to));
  check_race(thread, clock, offset, copy.bytes, host::kWrite, nullptr);
  if (copy.from != nullptr) {
    std::memcpy(copy.to, copy.from, copy.bytes);
  } else {
    std::memset(copy.to, 0, copy.bytes);
  }
  shared_.mark(offset, copy.bytes, Mark::kWritten);
}

void Cluster::copy(host::Where where, void* shared, const void* global, unsigned bytes) {
  const Copy copy = {shared, global, bytes, where};
  if (reinterpret_cast<std::uintptr_t>(shared) % bytes != 0 ||
      reinterpret_cast<std::uintptr_t>(global) % bytes != 0) {
    fault(Diagnosis::kMisaligned,
          fmt::format("{} copies {} bytes between addresses that are no multiples of it, at {}",
                      who(*fiber_), bytes, this->where(where)));
  }
  begin_copy(copy);
  fiber_->open_group.push_back(copy);
}

void Cluster::commit_copies() { fiber_->groups.push_back(std::exchange(fiber_->open_group, {})); }

void Cluster::wait_for_copies(int pending) {
  finish_copies_of(*fiber_);
  while (fiber_->groups.size() > static_cast<std::size_t>(pending)) {
    for (const Copy& copy : fiber_->groups.front())
      make_copy(copy, number(*fiber_), clock_of(*fiber_));
    fiber_->groups.pop_front();
  }
}

EngineCopy Cluster::begin_engine_copy(const host::Completion& completion) {
  EngineCopy engine;
  engine.thread = number(*fiber_);
  engine.begun = clock_of(*fiber_);
  engine.completion = completion;
  if (races_) races_->advance(engine.thread);
  return engine;
}

void Cluster::after_copies(const host::Completion& completion) {
  EngineCopy& engine = engine_.emplace_back(begin_engine_copy(completion));
  engine.owner = fiber_;
  for (auto& group : fiber_->groups) {
    engine.parts.insert(engine.parts.end(), group.begin(), group.end());
    group.clear();  // it still counts as a group
  }
  engine.parts.insert(engine.parts.end(), fiber_->open_group.begin(), fiber_->open_group.end());
  fiber_->open_group.clear();
}

void Cluster::copy_bulk(host::Where where, const host::CopyPart* parts, unsigned count,
                        const host::Completion& completion) {
  EngineCopy engine = begin_engine_copy(completion);
  for (unsigned i = 0; i < count; ++i) {
    const Copy part = {parts[i].to, parts[i].from, parts[i].bytes, where};
    begin_copy(part);
    engine.parts.push_back(part);
  }
  engine_.push_back(std::move(engine));
}

void Cluster::finish(std::size_t engine_copy) {
  const EngineCopy engine = std::move(engine_[engine_copy]);
  engine_.erase(engine_.begin() + static_cast<std::ptrdiff_t>(engine_copy));
  for (const Copy& copy : engine.parts) make_copy(copy, engine.thread, engine.begun);
  if (engine.completion.act != nullptr) {
    finishing_ = &engine;
    engine.completion.act(engine.completion.subject, engine.completion.argument);
    finishing_ = nullptr;
  }
  note_progress();
}

/// The copies that an arrival of the thread waits for.
void Cluster::finish_copies_of(const Fiber& fiber) {
  for (std::size_t i = 0; i < engine_.size();) {
    if (engine_[i].owner == &fiber) {
      finish(i);
    } else {
      ++i;
    }
  }
}

}  // namespace msda::simt
