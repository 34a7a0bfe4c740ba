// Two named barriers for each stage, full and empty. Producers wait at "empty" and arrive at
// "full", consumers wait at "full" and arrive at "empty". At the end producers wait for the last
// arrivals, so that every barrier completes.
#pragma once

#include <msda/slots/pipeline.cuh>

namespace msda::handover {

template <class K>
class NamedPipeline {
  static constexpr int kThreads = K::Mapping::kThreads + kProducerThreads<K>;
  using State = PipelineState<kPipelineStages<K>>;

 public:
  struct Storage {};

  __device__ explicit NamedPipeline(Storage&) {
    static_assert(2 * kPipelineStages<K> < simt::kProducerBarrier,
                  "a block has 16 named barriers: 6 stages at most");
  }
  __device__ void producer_acquire(const State& state) {
    if (!state.is_first_round()) ptx::bar_sync(empty(state.stage), kThreads);
  }
  __device__ void producer_commit(const State& state) {
    ptx::bar_arrive(full(state.stage), kThreads);
  }
  __device__ void producer_tail(const State& state) {
    const unsigned rounds = min(state.step, static_cast<unsigned>(kPipelineStages<K>));
    State last = state;
    if (state.is_first_round()) last = State{};
    for (unsigned left = rounds; left > 0; --left) {
      ptx::bar_sync(empty(last.stage), kThreads);
      last.advance();
    }
  }
  __device__ void consumer_wait(const State& state) { ptx::bar_sync(full(state.stage), kThreads); }
  __device__ void consumer_release(const State& state) {
    ptx::bar_arrive(empty(state.stage), kThreads);
  }

 private:
  __device__ static int full(int stage) { return 1 + stage; }
  __device__ static int empty(int stage) { return 1 + kPipelineStages<K> + stage; }
};

}  // namespace msda::handover
