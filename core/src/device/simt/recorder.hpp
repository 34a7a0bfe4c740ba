// Counts what the threads of a launch do, as evidence of how a kernel works: which memory they read
// and how, what they copy ahead, where they wait. docs/evidence.md says what each number is.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <msda/launch.cuh>
#include <msda/simt/host/executor.cuh>

#include "device/simt/fiber.hpp"
#include "device/simt/memory.hpp"
#include "device/simt/requests.hpp"
#include "device/simt/rows.hpp"
#include "facts/evidence.hpp"

namespace msda::simt {

/// What there is to know of a launch whose threads are counted. Bytes that are 0 are not known.
struct Subject {
  /// What reading a slot's part of shared memory means.
  enum class Holds {
    kOther,
    kValues,   ///< for as long as a block works on an item
    kFetched,  ///< values of some points
    kPoints    ///< locations, weights, taps
  };
  struct SharedPart {
    std::size_t first;  ///< byte of a block's shared memory
    int slot;
    Holds holds;
  };
  std::vector<SharedPart> shared;       ///< ascending
  std::vector<std::string> slot_names;  ///< by number
  std::size_t location_row_bytes = 0;
  std::size_t output_row_bytes = 0;
  std::size_t point_bytes = 0;  ///< of values that a lane reads for a point
  std::int64_t heads = 1;
};

class Recorder {
 public:
  /// `threads` of a cluster.
  Recorder(Subject subject, std::size_t threads);

  void access(const Fiber& fiber, const Buffer& buffer, std::uintptr_t address, std::size_t bytes,
              unsigned kind, unsigned hint, const void* pc);
  void access_shared(const Fiber& fiber, unsigned rank, std::size_t byte, std::size_t bytes,
                     unsigned kind);
  /// A copy to shared memory, or a bulk reduction: `from` is the buffer in global memory, in which
  /// `copy.from` lies.
  void copy(const Fiber& fiber, host::CopyKind kind, const Buffer& from, const Copy& copy);
  /// Its rows, each a run of memory.
  void copy_box(const std::vector<Copy>& rows);
  /// How many times the thread has read values.
  std::uint64_t values_read(const Fiber& fiber) const { return values_read_[fiber.number]; }
  /// A thread has waited for a copy of its own.
  void wait_for(const Fiber& fiber, const Copy& copy);
  /// A thread has left copies of its own to a barrier.
  void leave_copies(std::size_t copies) { overlapped_ += copies; }
  /// Query number `query` of all images is the one at `position` of the order of its image; both
  /// are counted over all images.
  void order(std::uint64_t query, std::uint64_t position) { rows_.order(query, position); }
  void barrier(const host::BarrierCall& call);
  /// `byte` of shared memory is the barrier or flag that it happens to; beyond it, nothing is.
  void event(const Fiber* fiber, host::Event event, std::size_t byte, std::uint64_t times);
  /// A thread waits for copies, and so many others are under way.
  void wait(std::size_t under_way) { waits_with_copies_ += under_way > 0 ? 1 : 0; }
  void end_cluster(const std::vector<Fiber>& fibers);

  Numbers numbers() const;
  /// All that numbers() may hold, with these names of tensors and slots.
  static std::vector<std::string> names(const std::vector<std::string>& tensors,
                                        const std::vector<std::string>& slots);

 private:
  /// Of global memory.
  struct Traffic {
    std::uint64_t loads = 0;
    std::uint64_t load_bytes = 0;
    std::uint64_t stores = 0;
    std::uint64_t store_bytes = 0;
    std::uint64_t atomics = 0;
    std::uint64_t atomic_bytes = 0;
    std::array<std::uint64_t, host::kHintCount> hinted{};
    std::array<std::uint64_t, host::kCopyKinds> copies{};
    std::array<std::uint64_t, host::kCopyKinds> copy_bytes{};
  };
  /// Of a slot's part of shared memory, or of what is no slot's.
  struct SharedTraffic {
    std::uint64_t loads = 0;
    std::uint64_t load_bytes = 0;
    std::uint64_t stores = 0;
    std::uint64_t store_bytes = 0;
    std::uint64_t remote_loads = 0;
    std::uint64_t atomics = 0;
    std::uint64_t atomic_bytes = 0;
    std::uint64_t remote_atomics = 0;
    std::array<std::uint64_t, host::kEventCount> events{};
  };
  enum Barriers { kBlock, kNamedWaits, kNamedArrivals, kCluster, kBarrierKinds };
  static const std::array<const char*, kBarrierKinds> kBarrierNames;

  std::size_t part_of(std::size_t byte) const;
  void read_values(const Fiber& fiber, std::size_t bytes);
  void note_read(const Fiber& fiber, std::size_t bytes);
  void read_samples(const Fiber& fiber) { value_run_[fiber.number] = 0; }

  Subject subject_;
  std::map<const Buffer*, Traffic> traffic_;
  std::vector<SharedTraffic> shared_;  ///< of the subject's parts, and then of the rest
  std::array<std::uint64_t, kBarrierKinds> barriers_{};
  std::array<std::uint64_t, host::kEventCount> events_{};
  std::uint64_t waits_with_copies_ = 0;
  std::uint64_t overlapped_ = 0;
  std::vector<std::uint64_t> values_read_;  ///< times, by thread of the cluster
  std::vector<std::size_t> value_run_;  ///< bytes since samples were read, by thread of the cluster
  std::size_t longest_run_ = 0;
  std::size_t widest_read_ = 0;  ///< of values, bytes
  unsigned most_tiles_ = 0;      ///< of a thread
  unsigned most_items_ = 0;      ///< of a thread
  Rows rows_;
  Requests requests_{"value"};
  Requests reds_{"reds"};  ///< of global memory
};

}  // namespace msda::simt
