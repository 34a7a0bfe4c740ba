// Resident blocks take items from a counter in global memory: one thread of a block makes one
// atomic for each item and passes the result through shared memory. A slow block takes fewer items.
// With equal numbers of tiles an image's last item is smaller than others; `parts` makes items
// equal.
#pragma once

#include <msda/slots/schedule.cuh>

namespace msda::work_stealing {

template <class K, class Parameters>
class Schedule {
 public:
  static constexpr unsigned kResidentBlocks = Parameters::blocks;
  static constexpr unsigned kChunks = Parameters::parts;
  static constexpr unsigned kRowsPerItem =
      kChunks != 0 ? 0 : static_cast<unsigned>(Parameters::tiles * kTileRows<K>);
  struct Storage {
    unsigned long long taken;
  };

  /// The counter, cleared before each launch.
  static constexpr Extent kWorkspace = {sizeof(unsigned long long), 0, 0};
  static constexpr Zeroed kZeroed = kZeroedEachLaunch;

  __device__ Schedule(const Arguments& arguments, Storage& storage)
      : arguments_(arguments),
        counter_(static_cast<unsigned long long*>(arguments.workspace[kSchedule])),
        storage_(storage),
        count_(item_count(kShape<K>, arguments.batch, arguments.queries)) {}

  __device__ bool next(WorkItem& item) {
    simt::syncthreads();  // all threads have read the item before
    if (simt::thread() == 0) storage_.taken = simt::atomic_add(counter_, 1ULL);
    simt::syncthreads();
    const auto index = static_cast<long long>(storage_.taken);
    if (index >= count_) return false;
    item = work_item<K>(arguments_, kShape<K>, index);
    return true;
  }

 private:
  const Arguments& arguments_;
  unsigned long long* counter_;
  Storage& storage_;
  long long count_;
};

}  // namespace msda::work_stealing
