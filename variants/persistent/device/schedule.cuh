// A grid of resident blocks walks over all work items with the stride of the grid. What a block
// sets up (levels on chip, say) is set up once for each item; with `chunks` an item is a large part
// of an image.
#pragma once

#include <msda/slots/schedule.cuh>

namespace msda::persistent {

template <class Problem, class Parameters>
struct Schedule {
  static constexpr Slot kSlot = kSchedule;
  static constexpr unsigned kResidentBlocks = Parameters::blocks;
  static constexpr unsigned kChunks = Parameters::chunks;
  static constexpr unsigned kSharedBytes = 0;
  template <class K>
  static constexpr unsigned kRowsPerItem =
      kChunks != 0 ? 0 : K::Mapping::kRows* K::Mapping::kRowsPerLane;

  template <class K>
  class Cursor {
   public:
    __device__ Cursor(const Arguments& arguments, unsigned char* shared)
        : arguments_(arguments),
          index_(worker<K>()),
          count_(item_count(K::kShape, arguments.batch, arguments.queries)) {
      static_cast<void>(shared);
    }
    __device__ bool next(WorkItem& item) {
      if (index_ >= count_) return false;
      item = work_item<K>(arguments_, K::kShape, index_);
      index_ += workers<K>();
      return true;
    }

   private:
    const Arguments& arguments_;
    long long index_;
    long long count_;
  };
};

}  // namespace msda::persistent
