// All tiles are dealt out beforehand: block k of n gets the k-th n-th of them, so that no block has
// more than one tile more than another, and neighbouring tiles of a block share their image.
#pragma once

#include <msda/slots/schedule.cuh>

namespace msda::work_redistribution {

template <class Problem, class Parameters>
struct Schedule {
  static constexpr Slot kSlot = kSchedule;
  static constexpr unsigned kResidentBlocks = Parameters::blocks;
  static constexpr unsigned kChunks = 0;
  static constexpr unsigned kSharedBytes = 0;
  template <class K>
  static constexpr unsigned kRowsPerItem = K::Mapping::kRows* K::Mapping::kRowsPerLane;

  template <class K>
  class Cursor {
   public:
    __device__ Cursor(const Arguments& arguments, unsigned char* shared) : arguments_(arguments) {
      static_cast<void>(shared);
      const long long items = item_count(K::kShape, arguments.batch, arguments.queries);
      index_ = items * simt::block() / simt::blocks();
      last_ = items * (simt::block() + 1) / simt::blocks();
    }
    __device__ bool next(WorkItem& item) {
      if (index_ >= last_) return false;
      item = work_item<K>(arguments_, K::kShape, index_++);
      return true;
    }

   private:
    const Arguments& arguments_;
    long long index_;
    long long last_;
  };
};

}  // namespace msda::work_redistribution
