// Two counters for each stage: producer warps that have filled it, and consumer warps that have
// read it, in all rounds so far. One lane of a warp adds with release semantics after a barrier of
// the warp; one lane polls with acquire semantics before the warp goes on. All warps are resident
// and no warp ends before its last step, so every awaited count is reached.
#pragma once

#include <msda/ptx/flag.cuh>
#include <msda/slots/pipeline.cuh>

namespace msda::handover {

template <class K>
class FlagPipeline {
  static constexpr unsigned kProducers = kProducerThreads<K> / simt::kWarpLanes;
  static constexpr unsigned kConsumers = K::Mapping::kThreads / simt::kWarpLanes;
  using State = PipelineState<kPipelineStages<K>>;

 public:
  struct Storage {
    unsigned full[kPipelineStages<K>];
    unsigned empty[kPipelineStages<K>];
  };

  __device__ explicit FlagPipeline(Storage& storage) : storage_(storage) {
    if (simt::thread() >= kPipelineStages<K>) return;
    storage.full[simt::thread()] = 0;
    storage.empty[simt::thread()] = 0;
  }
  __device__ void producer_acquire(const State& state) {
    if (state.is_first_round()) return;
    wait(storage_.empty + state.stage, kConsumers * (state.step / kPipelineStages<K>));
  }
  __device__ void producer_commit(const State& state) { raise(storage_.full + state.stage); }
  __device__ void producer_tail(const State&) {}
  __device__ void consumer_wait(const State& state) {
    wait(storage_.full + state.stage, kProducers * (state.step / kPipelineStages<K> + 1));
  }
  __device__ void consumer_release(const State& state) { raise(storage_.empty + state.stage); }

 private:
  __device__ static void raise(unsigned* flag) {
    simt::syncwarp();
    if (simt::lane() == 0) ptx::red_release_add(flag);
  }
  __device__ static void wait(unsigned* flag, unsigned count) {
    if (simt::lane() == 0) ptx::wait_for_flag(flag, count);
    simt::syncwarp();
  }

  Storage& storage_;
};

}  // namespace msda::handover
