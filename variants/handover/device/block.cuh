// One barrier of the whole block for each step, at which all threads arrive and wait (an mbarrier,
// as in document 004: the two roles come to it at different points of the program): the n-th that a
// consumer warp passes comes before its step n, the n-th of a producer after its step n + stages -
// 2. So the producers are up to stages - 1 steps ahead, and stages of the steps that consumers have
// passed are empty. All warps pass as many barriers as there are steps.
#pragma once

#include <msda/slots/pipeline.cuh>

namespace msda::handover {

template <class K>
class BlockPipeline {
  static constexpr unsigned kLead = kPipelineStages<K> - 2;
  using State = PipelineState<kPipelineStages<K>>;

 public:
  struct Storage {
    ptx::Barrier barrier;
  };

  __device__ explicit BlockPipeline(Storage& storage) : storage_(storage) {
    if (simt::thread() != 0) return;
    ptx::mbarrier_init(&storage.barrier, K::Mapping::kThreads + kProducerThreads<K>);
    ptx::fence_mbarrier_init();
  }
  __device__ void producer_acquire(const State&) {}
  __device__ void producer_commit(const State& state) {
    if (state.step >= kLead) sync();
  }
  __device__ void producer_tail(const State& state) {
    for (unsigned left = min(state.step, kLead); left > 0; --left) sync();
  }
  __device__ void consumer_wait(const State&) { sync(); }
  __device__ void consumer_release(const State&) {}

 private:
  __device__ void sync() {
    ptx::mbarrier_arrive(&storage_.barrier);
    ptx::mbarrier_wait(&storage_.barrier, phase_);
    phase_ ^= 1U;
  }

  Storage& storage_;
  unsigned phase_ = 0;
};

}  // namespace msda::handover
