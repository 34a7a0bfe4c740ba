// Two counters for each stage: how many producer warps have filled it and how many of the team's
// warps have read it, in all rounds so far. One lane of a warp adds with release semantics after
// the warp has met, one lane polls with acquire semantics before the warp goes on. All warps are
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
    static constexpr unsigned kTeam = K::Mapping::kThreads / simt::kWarpLanes;
    using At = Ring<K::kStages>;

   public:
    __device__ explicit Handover(unsigned char* shared)
        : full_(reinterpret_cast<unsigned*>(shared)), empty_(full_ + K::kStages) {
      if (simt::thread() < 2 * K::kStages) full_[simt::thread()] = 0;
    }
    __device__ void producer_acquire(const At& at) {
      if (!at.is_first_round()) wait(empty_ + at.stage, kTeam * (at.step / K::kStages));
    }
    __device__ void producer_release(const At& at) { raise(full_ + at.stage); }
    __device__ void producer_finish(const At& at) { static_cast<void>(at); }
    __device__ void team_acquire(const At& at) {
      wait(full_ + at.stage, kProducers * (at.step / K::kStages + 1));
    }
    __device__ void team_release(const At& at) { raise(empty_ + at.stage); }

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
