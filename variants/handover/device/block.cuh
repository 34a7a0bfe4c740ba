// One barrier of the whole block for each step: the n-th that a team's warp passes comes before its
// step n, the n-th of a producer after its step n + stages - 2. So the producers are up to
// stages - 1 steps ahead, and stages of the steps that the team has passed are empty. All warps
// pass as many barriers as there are steps.
#pragma once

#include <msda/slots/handover.cuh>

namespace msda::handover {

struct BlockHandover {
  static constexpr Slot kSlot = kHandover;
  template <class K>
  static constexpr unsigned kSharedBytes = 0;

  template <class K>
  class Handover {
    static constexpr unsigned kLead = K::kStages - 2;
    using At = Ring<K::kStages>;

   public:
    __device__ explicit Handover(unsigned char* shared) { static_cast<void>(shared); }
    __device__ void producer_acquire(const At& at) { static_cast<void>(at); }
    __device__ void producer_release(const At& at) {
      if (at.step >= kLead) meet();
    }
    __device__ void producer_finish(const At& at) {
      for (unsigned left = min(at.step, kLead); left > 0; --left) meet();
    }
    __device__ void team_acquire(const At& at) {
      static_cast<void>(at);
      meet();
    }
    __device__ void team_release(const At& at) { static_cast<void>(at); }

   private:
    /// The one barrier of both roles, wherever they come from: two that look different would be
    /// divergence.
    __device__ static void meet() { simt::sync_block(); }
  };
};

}  // namespace msda::handover
