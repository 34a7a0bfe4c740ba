// Resident blocks take items from a counter in global memory: one atomic for each block and item,
// made by one thread and told to the others through shared memory. A slow block takes fewer items.
#pragma once

#include <msda/slots/schedule.cuh>

namespace msda::work_stealing {

template <class Problem, class Parameters>
struct Schedule {
  static constexpr Slot kSlot = kSchedule;
  static constexpr unsigned kResidentBlocks = Parameters::blocks;
  static constexpr unsigned kChunks = 0;
  static constexpr unsigned kSharedBytes = sizeof(unsigned long long);
  template <class K>
  static constexpr unsigned kRowsPerItem =
      Parameters::tiles* K::Mapping::kRows* K::Mapping::kRowsPerLane;

  /// The counter, cleared before each launch.
  template <class K>
  static constexpr Extent kWorkspace = {sizeof(unsigned long long), 0, 0};
  static constexpr bool kZeroed = true;

  template <class K>
  class Cursor {
   public:
    __device__ Cursor(const Arguments& arguments, unsigned char* shared)
        : arguments_(arguments),
          counter_(static_cast<unsigned long long*>(arguments.workspace[kSlot])),
          taken_(reinterpret_cast<unsigned long long*>(shared)),
          count_(item_count(K::kShape, arguments.batch, arguments.queries)) {}

    __device__ bool next(WorkItem& item) {
      simt::sync_block();  // everybody has read the item before
      if (simt::thread() == 0) *taken_ = simt::atomic_add(counter_, 1ULL);
      simt::sync_block();
      const auto index = static_cast<long long>(*taken_);
      if (index >= count_) return false;
      item = work_item<K>(arguments_, K::kShape, index);
      return true;
    }

   private:
    const Arguments& arguments_;
    unsigned long long* counter_;
    unsigned long long* taken_;
    long long count_;
  };
};

}  // namespace msda::work_stealing
