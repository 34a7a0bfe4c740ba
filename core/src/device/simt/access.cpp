// What is checked of each access of memory.
#include <fmt/format.h>

#include "device/simt/cluster.hpp"

namespace msda::simt {
namespace {

const char* verb(unsigned kind) { return (kind & host::kWrite) != 0 ? "writes" : "reads"; }

bool is_aligned(std::uintptr_t address, std::size_t bytes) {
  constexpr std::size_t kWidest = 16;
  return bytes > kWidest || (bytes & (bytes - 1)) != 0 || address % bytes == 0;
}

}  // namespace

void Cluster::access(std::uintptr_t address, std::size_t bytes, unsigned kind, const void* pc) {
  // Functions of the unit that the scheduler calls are instrumented too.
  if (fiber_ == nullptr) return;
  if (address - fiber_->state.stack < fiber_->state.stack_bytes) return;
  const std::size_t offset = shared_.offset(address);
  const bool in_shared = offset < shared_.size();
  const bool constant = address >= image_.begin && address < image_.end;
  if (constant && (kind & host::kWrite) == 0) return;
  if (!is_aligned(address, bytes) && (kind & host::kUnaligned) == 0) {
    fault(Diagnosis::kMisaligned,
          fmt::format("{} {} {} bytes at {:#x} ({} memory) in {}", who(*fiber_), verb(kind), bytes,
                      address, in_shared ? "shared" : "global", where(pc)));
  }
  if (in_shared) {
    access_shared(offset, bytes, kind, pc);
  } else {
    access_global(address, bytes, kind, pc);
  }
  if ((kind & host::kWrite) != 0) note_progress();
}

void Cluster::access_shared(std::size_t offset, std::size_t bytes, unsigned kind, const void* pc) {
  const std::size_t in_block = offset % SharedMemory::kStride;
  if (!shared_.contains(offset, bytes)) {
    fault(Diagnosis::kOutOfBoundsShared,
          fmt::format("{} {} {} bytes at byte {} of {} bytes of shared memory, in {}", who(*fiber_),
                      verb(kind), bytes, in_block, shared_.bytes(), where(pc)));
  }
  if (const auto rank = static_cast<unsigned>(offset / SharedMemory::kStride);
      alive_in_[rank] == 0) {
    fault(
        Diagnosis::kGone,
        fmt::format("{} {} byte {} of the shared memory of block {}, all of whose threads have "
                    "left, in {}",
                    who(*fiber_), verb(kind), in_block, fiber_of(rank, 0).state.block, where(pc)));
  }
  if (recorder_) {
    const auto rank = static_cast<unsigned>(offset / SharedMemory::kStride);
    recorder_->access_shared(*fiber_, rank, in_block, bytes, kind);
  }
  check_race(clock_of(*fiber_), offset, bytes, kind, pc);
  shared_.note_access(offset, bytes);
  if ((kind & host::kWrite) != 0) {
    shared_.mark(offset, bytes, Mark::kWritten);
    return;
  }
  const Mark mark = shared_.mark_of(offset, bytes);
  if (mark == Mark::kWritten) return;
  fault(Diagnosis::kUninitialisedShared,
        fmt::format("{} reads {} bytes at byte {} of shared memory, {}, in {}", who(*fiber_), bytes,
                    in_block,
                    mark == Mark::kNothing ? "where nothing was written"
                                           : "while an asynchronous copy to it is under way",
                    where(pc)));
}

void Cluster::check_race(const Clock& clock, std::size_t offset, std::size_t bytes, unsigned kind,
                         const void* pc) {
  if (!races_) return;
  const auto place = [&](const void* code) {
    return code == nullptr ? std::string("an asynchronous copy") : where(code);
  };
  const std::size_t first = shared_.index(offset);
  const auto conflict = races_->history().access(clock, first, bytes, (kind & host::kWrite) != 0,
                                                 (kind & host::kAtomic) != 0, pc);
  if (!conflict) return;
  fault(
      Diagnosis::kRace,
      fmt::format("{} {} byte {} of shared memory in {}; {} {} it in {}, and nothing orders the "
                  "two",
                  who(std::size_t{clock.thread}), verb(kind),
                  (offset + conflict->byte - first) % SharedMemory::kStride, place(pc),
                  who(conflict->thread), conflict->wrote ? "wrote" : "read", place(conflict->pc)));
}

/// The arguments come with the launch; all else may be what the launch before still writes or
/// reads, unless that is known.
bool Cluster::may_touch(const Buffer& buffer) const {
  return !grid_.dependent || fiber_->waited || buffer.is_free || buffer.data == arguments_;
}

void Cluster::fault_dependency(const Buffer& buffer, const std::string& where) {
  fault(Diagnosis::kDependency,
        fmt::format("{} touches {} before it has waited for the launch before this one "
                    "(griddepcontrol.wait), in {}",
                    who(*fiber_), buffer.name, where));
}

/// Blocks of a grid run in any order, and nothing but atomic operations may pass between them.
void Cluster::check_global_race(const Buffer& buffer, std::uintptr_t address, std::size_t bytes,
                                unsigned kind, const void* pc) {
  const unsigned cluster = fiber_->state.block / grid_.cluster;
  const auto other = global_.other_writer(buffer, address, bytes, kind, cluster);
  if (!other) return;
  fault(Diagnosis::kGlobalRace,
        fmt::format("{} {} {} bytes {}, in {}; {} {} wrote there, and nothing orders the two",
                    who(*fiber_), verb(kind), bytes, global_.describe(address), where(pc),
                    grid_.cluster > 1 ? "cluster" : "block", *other));
}

void Cluster::threadfence() { global_.fence(fiber_->state.block / grid_.cluster); }

void Cluster::access_global(std::uintptr_t address, std::size_t bytes, unsigned kind,
                            const void* pc) {
  const Buffer* buffer = global_.find(address, bytes);
  const bool writes = (kind & host::kWrite) != 0;
  if (buffer != nullptr && (buffer->writable || !writes)) {
    if (!may_touch(*buffer)) fault_dependency(*buffer, where(pc));
    if (recorder_) recorder_->access(*fiber_, *buffer, address, bytes, kind, hint_, pc);
    if (races_ && buffer->writable) check_global_race(*buffer, address, bytes, kind, pc);
    return;
  }
  fault(Diagnosis::kOutOfBoundsGlobal,
        fmt::format("{} {} {} bytes {}{}, in {}", who(*fiber_), verb(kind), bytes,
                    global_.describe(address), buffer != nullptr ? ", which is only read" : "",
                    where(pc)));
}

}  // namespace msda::simt
