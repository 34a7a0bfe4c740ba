// Slot "handover" of the specialised skeleton: how producers tell the team that a stage is full,
// and the team the producers that it is empty again. Steps 0, 1, 2, ... of both roles are the same,
// step n lies in stage n % stages, and every warp of the block takes part in every step: no warp
// leaves before the last, so nobody waits for one that is gone.
//
//   producer: for each step n  acquire(n), fill, release(n)     and at the end finish(steps)
//   team:     for each step n  acquire(n), read, release(n)
#pragma once

#include <msda/launch.cuh>
#include <msda/ptx/barrier.cuh>
#include <msda/simt/thread.cuh>

namespace msda {

/// Where step n lies, kept while n counts up.
template <int stages>
struct Ring {
  unsigned step = 0;
  int stage = 0;
  unsigned parity = 0;  ///< of the round, step / stages
  __device__ void advance() {
    ++step;
    if (++stage == stages) {
      stage = 0;
      parity ^= 1U;
    }
  }
  /// True in the first round, whose stages nobody has to empty.
  __device__ bool is_first_round() const { return step < static_cast<unsigned>(stages); }
};

/// The steps as one role sees them.
template <class K>
struct Steps {
  typename K::Handover::template Handover<K> handover;
  Ring<K::kStages> at;
};

/// Default: a pair of mbarriers for each stage, at which every thread arrives for itself: what it
/// has written or read before is then ordered by the barrier alone.
template <class Problem, class Parameters>
struct BarrierHandover {
  static constexpr Slot kSlot = kHandover;
  template <class K>
  static constexpr unsigned kSharedBytes = 2 * K::kStages * sizeof(ptx::Barrier);

  /// Both roles'. One per thread; all threads of the block make it, and meet at a barrier of the
  /// block before they use it.
  template <class K>
  class Handover {
   public:
    __device__ explicit Handover(unsigned char* shared)
        : full_(reinterpret_cast<ptx::Barrier*>(shared)), empty_(full_ + K::kStages) {
      if (simt::thread() != 0) return;
      for (int s = 0; s < K::kStages; ++s) {
        ptx::init(full_ + s, K::kProducerThreads);
        ptx::init(empty_ + s, K::Mapping::kThreads);
      }
      ptx::publish_barriers();
    }

    __device__ void producer_acquire(const Ring<K::kStages>& at) {
      if (!at.is_first_round()) ptx::wait(empty_ + at.stage, at.parity ^ 1U);
    }
    __device__ void producer_release(const Ring<K::kStages>& at) { ptx::arrive(full_ + at.stage); }
    /// After the last step.
    __device__ void producer_finish(const Ring<K::kStages>& at) { static_cast<void>(at); }

    __device__ void team_acquire(const Ring<K::kStages>& at) {
      ptx::wait(full_ + at.stage, at.parity);
    }
    __device__ void team_release(const Ring<K::kStages>& at) { ptx::arrive(empty_ + at.stage); }

   private:
    ptx::Barrier* full_;
    ptx::Barrier* empty_;
  };
};

}  // namespace msda
