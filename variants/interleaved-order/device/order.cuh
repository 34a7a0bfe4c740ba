// Blocks work on queries that are far apart: the queries of an image are written row by row into a
// table with `stride` columns and read column by column.
#pragma once

#include <msda/launch.cuh>

namespace msda::interleaved_order {

template <class K, class Parameters>
struct Order {
  static constexpr unsigned kStride = Parameters::stride;

  /// Query at `position` in the order of image `image`. The last row of the table may be short: its
  /// `full` queries are in the first columns.
  __device__ static long long query(const Arguments& arguments, long long /*image*/,
                                    long long position) {
    const auto index = static_cast<unsigned>(position);
    const auto queries = static_cast<unsigned>(arguments.queries);
    const unsigned rows = (queries + kStride - 1) / kStride;
    const unsigned full = queries - (rows - 1) * kStride;
    const unsigned in_full = full * rows;
    if (index < in_full) return index % rows * kStride + index / rows;
    const unsigned rest = index - in_full;
    return rest % (rows - 1) * kStride + full + rest / (rows - 1);
  }
};

}  // namespace msda::interleaved_order
