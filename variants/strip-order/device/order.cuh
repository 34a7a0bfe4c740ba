// Queries that form a grid are ordered by strips: some rows of the grid, column after column.
// Neighbours in this order lie within a square and read pixels that L1 still holds; with whole rows
// of the grid L1 would have evicted these.
#pragma once

#include <msda/launch.cuh>

namespace msda::strip_order {

template <class K, class Parameters>
struct Order {
  static constexpr unsigned kRows = Parameters::rows;
  static constexpr unsigned kColumns = Parameters::columns;

  /// Query at `position` in the order of every image. Queries after the last whole strip keep their
  /// order.
  __device__ static long long query(const Arguments& arguments, long long /*image*/,
                                    long long position) {
    constexpr unsigned kStrip = kRows * kColumns;
    const auto index = static_cast<unsigned>(position);
    const unsigned first = index / kStrip * kStrip;
    if (first + kStrip > static_cast<unsigned>(arguments.queries)) return index;
    const unsigned in_strip = index - first;
    return first + in_strip % kRows * kColumns + in_strip / kRows;
  }
};

}  // namespace msda::strip_order
