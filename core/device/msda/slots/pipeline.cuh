// Slot "pipeline" of the specialised skeleton: how producers tell consumers that a stage is full,
// and consumers tell producers that it is empty again, with the verbs of CUTLASS's pipelines. Steps
// 0, 1, 2, ... of both roles are the same, step n uses stage n % stages, and every warp of the
// block takes part in every step: no warp leaves before the last step, so no warp waits for one
// that has left.
//
//   producers: for each step n  producer_acquire, fill, producer_commit   at the end producer_tail
//   consumers: for each step n  consumer_wait, read, consumer_release
#pragma once

#include <msda/contract.cuh>
#include <msda/ptx/barrier.cuh>
#include <msda/simt/thread.cuh>
#include <msda/walk.cuh>

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
  /// True in the first round, whose stages are empty from the beginning.
  __device__ bool is_first_round() const { return step < static_cast<unsigned>(stages); }
};

/// An object for each thread. All threads construct it, before a barrier of the block. All threads
/// of a role call the same functions for the same steps, warp by warp converged:
///
/// - producer_acquire(state) returns when the stage is empty; producer_commit(state): it is full;
/// - producer_tail(state): called after the last step;
/// - consumer_wait(state) returns when the stage is full; consumer_release(state): it has been
///   read.
template <class Policy, class K>
concept PipelinePolicy = requires(Policy& policy, typename Policy::Storage& storage,
                                  const PipelineState<kPipelineStages<K>>& state) {
  Policy(storage);
  policy.producer_acquire(state);
  policy.producer_commit(state);
  policy.producer_tail(state);
  policy.consumer_wait(state);
  policy.consumer_release(state);
};

/// A thread's view of the pipeline.
template <class K>
struct Stages {
  typename K::Pipeline pipeline;
  PipelineState<kPipelineStages<K>> state;
};

/// Default: two mbarriers for each stage. Every thread arrives by itself, so that the barrier alone
/// orders its earlier reads and writes.
template <class K, class Parameters>
class MbarrierPipeline {
  using State = PipelineState<kPipelineStages<K>>;

 public:
  struct Storage {
    ptx::Barrier full[kPipelineStages<K>];
    ptx::Barrier empty[kPipelineStages<K>];
  };

  __device__ explicit MbarrierPipeline(Storage& storage) : storage_(storage) {
    if (simt::thread() != 0) return;
    for (int s = 0; s < kPipelineStages<K>; ++s) {
      ptx::mbarrier_init(storage.full + s, kProducerThreads<K>);
      ptx::mbarrier_init(storage.empty + s, K::Mapping::kThreads);
    }
    ptx::fence_mbarrier_init();
  }

  __device__ void producer_acquire(const State& state) {
    if (!state.is_first_round()) ptx::mbarrier_wait(storage_.empty + state.stage, state.phase ^ 1U);
  }
  __device__ void producer_commit(const State& state) {
    ptx::mbarrier_arrive(storage_.full + state.stage);
  }
  __device__ void producer_tail(const State&) {}

  __device__ void consumer_wait(const State& state) {
    ptx::mbarrier_wait(storage_.full + state.stage, state.phase);
  }
  __device__ void consumer_release(const State& state) {
    ptx::mbarrier_arrive(storage_.empty + state.stage);
  }

 private:
  Storage& storage_;
};

}  // namespace msda
