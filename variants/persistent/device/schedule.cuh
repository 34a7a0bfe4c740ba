// A grid of resident blocks walks over all work items with the stride of the grid. Blocks set up
// once for each item (levels on chip, for example); with `chunks` an item is a large part of an
// image. With `blocks: 0` the grid has a block for each item.
#pragma once

#include <msda/slots/schedule.cuh>

namespace msda::persistent {

template <class K, class Parameters>
class Schedule {
 public:
  static constexpr unsigned kResidentBlocks = Parameters::blocks;
  static constexpr unsigned kChunks = Parameters::chunks;
  static constexpr unsigned kRowsPerItem = kChunks != 0 ? 0 : kTileRows<K>;
  static constexpr bool kOneTileItems = kChunks == 0;
  struct Storage {};

  __device__ Schedule(const Arguments& arguments, Storage&)
      : arguments_(arguments),
        index_(worker<K>()),
        count_(item_count(kShape<K>, arguments.batch, arguments.queries)) {}

  __device__ bool next(WorkItem& item) {
    if (index_ >= count_) return false;
    item = work_item<K>(arguments_, kShape<K>, index_);
    index_ += workers<K>();
    return true;
  }

 private:
  const Arguments& arguments_;
  long long index_;
  long long count_;
};

}  // namespace msda::persistent
