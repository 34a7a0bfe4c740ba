// How many blocks a launch has.
#pragma once

#include <algorithm>

#include <msda/launch.cuh>

namespace msda::runtime {

inline constexpr long long kMostBlocks = 0x7FFFFFFF;  ///< blocks that one launch can have

/// Workers (blocks, or clusters where the kernel has them) of a persistent grid that a device with
/// so many multiprocessors holds at a time. A device may hold fewer clusters (find_workers()).
inline long long resident_workers(const LaunchShape& shape, long long multiprocessors) {
  return std::max(shape.resident_blocks * multiprocessors / std::max(shape.cluster, 1U), 1LL);
}

/// Blocks for a batch of so many images with so many queries each. More than kMostBlocks cannot be
/// launched.
inline long long block_count(const LaunchShape& shape, long long batch, long long queries,
                             long long resident) {
  const long long items = item_count(shape, batch, queries);
  const bool divides_itself = shape.rows_per_item == 0 && shape.chunks == 0;
  long long workers = shape.resident_blocks == 0 ? items
                      : divides_itself           ? resident
                                                 : std::min(items, resident);
  if (shape.most_workers != 0) workers = std::min<long long>(workers, shape.most_workers);
  return workers * std::max(shape.cluster, 1U);
}

}  // namespace msda::runtime
