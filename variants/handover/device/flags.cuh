// Two counters for each stage: how many producer warps have filled it and how many consumer warps
// have read it, in all rounds so far. One lane of a warp adds with release semantics after the
// warp's barrier, one lane polls with acquire semantics before the warp goes on. All warps are
// resident and none ends before its last step, so every count that is waited for is reached.
#pragma once

#include <msda/ptx/flag.cuh>
#include <msda/slots/handover.cuh>

namespace msda::handover {

struct FlagHandover {
  static constexpr Slot kSlot = kHandover;
  template <class K>
  static constexpr unsigned kSharedBytes = 2 * K::kStages * sizeof(unsigned);

  template <class K>
  class Handover {
    static constexpr unsigned kProducers = K::kProducerThreads / simt::kWarpLanes;
    static constexpr unsigned kConsumers = K::Mapping::kThreads / simt::kWarpLanes;
    using State = PipelineState<K::kStages>;

   public:
    __device__ explicit Handover(unsigned char* shared)
        : full_(reinterpret_cast<unsigned*>(shared)), empty_(full_ + K::kStages) {
      if (simt::thread() < 2 * K::kStages) full_[simt::thread()] = 0;
    }
    __device__ void producer_acquire(const State& state) {
      if (!state.is_first_round())
        wait(empty_ + state.stage, kConsumers * (state.step / K::kStages));
    }
    __device__ void producer_commit(const State& state) { raise(full_ + state.stage); }
    __device__ void producer_tail(const State& state) { static_cast<void>(state); }
    __device__ void consumer_wait(const State& state) {
      wait(full_ + state.stage, kProducers * (state.step / K::kStages + 1));
    }
    __device__ void consumer_release(const State& state) { raise(empty_ + state.stage); }

   private:
    __device__ static void raise(unsigned* flag) {
      simt::sync_warp();
      if (simt::lane() == 0) ptx::raise_flag(flag);
    }
    __device__ static void wait(unsigned* flag, unsigned count) {
      if (simt::lane() == 0) ptx::wait_for_flag(flag, count);
      simt::sync_warp();
    }

    unsigned* full_;
    unsigned* empty_;
  };
};

}  // namespace msda::handover
