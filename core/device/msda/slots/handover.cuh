// Slot "handover" of the specialised skeleton: how producers tell consumers that a stage is full,
// and consumers tell producers that it is empty again (a pipeline, in the words of CUTLASS). Steps
// 0, 1, 2, ... of both roles are the same, step n lies in stage n % stages, and every warp of the
// block takes part in every step: no warp leaves before the last, so nobody waits for one that is
// gone.
//
//   producers: for each step n  producer_acquire, fill, producer_commit   at the end producer_tail
//   consumers: for each step n  consumer_wait, read, consumer_release
#pragma once

#include <msda/launch.cuh>
#include <msda/ptx/barrier.cuh>
#include <msda/simt/thread.cuh>

namespace msda {

/// Step n of a role: the stage it lies in, and the phase of that stage's barriers.
template <int stages>
struct PipelineState {
  unsigned step = 0;
  int stage = 0;
  unsigned phase = 0;  ///< parity of the round, step / stages
  __device__ void advance() {
    ++step;
    if (++stage == stages) {
      stage = 0;
      phase ^= 1U;
    }
  }
  /// True in the first round, whose stages nobody has to empty.
  __device__ bool is_first_round() const { return step < static_cast<unsigned>(stages); }
};

/// A role's view of the stages.
template <class K>
struct Stages {
  typename K::Handover::template Handover<K> handover;
  PipelineState<K::kStages> state;
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

    __device__ void producer_acquire(const PipelineState<K::kStages>& state) {
      if (!state.is_first_round()) ptx::wait(empty_ + state.stage, state.phase ^ 1U);
    }
    __device__ void producer_commit(const PipelineState<K::kStages>& state) {
      ptx::arrive(full_ + state.stage);
    }
    /// After the last step.
    __device__ void producer_tail(const PipelineState<K::kStages>& state) {
      static_cast<void>(state);
    }

    __device__ void consumer_wait(const PipelineState<K::kStages>& state) {
      ptx::wait(full_ + state.stage, state.phase);
    }
    __device__ void consumer_release(const PipelineState<K::kStages>& state) {
      ptx::arrive(empty_ + state.stage);
    }

   private:
    ptx::Barrier* full_;
    ptx::Barrier* empty_;
  };
};

}  // namespace msda
