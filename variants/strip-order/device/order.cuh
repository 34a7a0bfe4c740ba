// Queries that form a grid are worked on strip by strip: some rows of the grid, column after
// column. Queries that follow each other then lie within a square, and their points meet in pixels
// that L1 still holds, where whole rows of the grid leave them behind.
#pragma once

#include <msda/launch.cuh>

namespace msda::strip_order {

template <class K, class Parameters>
struct Order {
  static constexpr unsigned kRows = Parameters::rows;
  static constexpr unsigned kColumns = Parameters::columns;

  /// Query at `position` in the order of every image. What is left behind the last whole
  /// strip stays as it is.
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
