// Two named barriers for each stage, full and empty. Who fills waits at "empty" and only arrives at
// "full", who reads the other way round. At the end the producers wait for the last arrivals, so
// that no barrier is left half full.
#pragma once

#include <msda/slots/handover.cuh>

namespace msda::handover {

struct NamedHandover {
  static constexpr Slot kSlot = kHandover;
  template <class K>
  static constexpr unsigned kSharedBytes = 0;

  template <class K>
  class Handover {
    static_assert(2 * K::kStages < simt::kProducerBarrier,
                  "a block has 16 named barriers: 6 stages at most");
    static constexpr int kThreads = K::Mapping::kThreads + K::kProducerThreads;
    using State = PipelineState<K::kStages>;

   public:
    __device__ explicit Handover(unsigned char* shared) { static_cast<void>(shared); }
    __device__ void producer_acquire(const State& state) {
      if (!state.is_first_round()) ptx::sync_named(empty(state.stage), kThreads);
    }
    __device__ void producer_commit(const State& state) {
      ptx::arrive_named(full(state.stage), kThreads);
    }
    __device__ void producer_tail(const State& state) {
      const unsigned rounds = min(state.step, static_cast<unsigned>(K::kStages));
      State last = state;
      if (state.is_first_round()) last = State{};
      for (unsigned left = rounds; left > 0; --left) {
        ptx::sync_named(empty(last.stage), kThreads);
        last.advance();
      }
    }
    __device__ void consumer_wait(const State& state) {
      ptx::sync_named(full(state.stage), kThreads);
    }
    __device__ void consumer_release(const State& state) {
      ptx::arrive_named(empty(state.stage), kThreads);
    }

   private:
    __device__ static int full(int stage) { return 1 + stage; }
    __device__ static int empty(int stage) { return 1 + K::kStages + stage; }
  };
};

}  // namespace msda::handover
