// One barrier of the whole block for each step, at which all threads arrive and wait (an mbarrier,
// as in document 004: the two roles come to it at different places of the program): the n-th that a
// consumer warp passes comes before its step n, the n-th of a producer after its step n + stages
// - 2. So the producers are up to stages - 1 steps ahead, and stages of the steps that consumers
// have passed are empty. All warps pass as many barriers as there are steps.
#pragma once

#include <msda/slots/handover.cuh>

namespace msda::handover {

struct BlockHandover {
  static constexpr Slot kSlot = kHandover;
  template <class K>
  static constexpr unsigned kSharedBytes = sizeof(ptx::Barrier);

  template <class K>
  class Handover {
    static constexpr unsigned kLead = K::kStages - 2;
    using State = PipelineState<K::kStages>;

   public:
    __device__ explicit Handover(unsigned char* shared)
        : barrier_(reinterpret_cast<ptx::Barrier*>(shared)) {
      if (simt::thread() != 0) return;
      ptx::init(barrier_, K::Mapping::kThreads + K::kProducerThreads);
      ptx::publish_barriers();
    }
    __device__ void producer_acquire(const State& state) { static_cast<void>(state); }
    __device__ void producer_commit(const State& state) {
      if (state.step >= kLead) sync();
    }
    __device__ void producer_tail(const State& state) {
      for (unsigned left = min(state.step, kLead); left > 0; --left) sync();
    }
    __device__ void consumer_wait(const State& state) {
      static_cast<void>(state);
      sync();
    }
    __device__ void consumer_release(const State& state) { static_cast<void>(state); }

   private:
    __device__ void sync() {
      ptx::arrive(barrier_);
      ptx::wait(barrier_, parity_);
      parity_ ^= 1U;
    }

    ptx::Barrier* barrier_;
    unsigned parity_ = 0;
  };
};

}  // namespace msda::handover
