// One barrier of the whole block for each step, at which all threads arrive and wait (an mbarrier,
// as in document 004: the two roles come to it at different places of the program): the n-th that a
// team's warp passes comes before its step n, the n-th of a producer after its step n + stages - 2.
// So the producers are up to stages - 1 steps ahead, and stages of the steps that the team has
// passed are empty. All warps pass as many barriers as there are steps.
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
    using At = Ring<K::kStages>;

   public:
    __device__ explicit Handover(unsigned char* shared)
        : barrier_(reinterpret_cast<ptx::Barrier*>(shared)) {
      if (simt::thread() != 0) return;
      ptx::init(barrier_, K::Mapping::kThreads + K::kProducerThreads);
      ptx::publish_barriers();
    }
    __device__ void producer_acquire(const At& at) { static_cast<void>(at); }
    __device__ void producer_release(const At& at) {
      if (at.step >= kLead) sync();
    }
    __device__ void producer_finish(const At& at) {
      for (unsigned left = min(at.step, kLead); left > 0; --left) sync();
    }
    __device__ void team_acquire(const At& at) {
      static_cast<void>(at);
      sync();
    }
    __device__ void team_release(const At& at) { static_cast<void>(at); }

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
