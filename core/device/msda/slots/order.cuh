// Slot "order": the order in which the queries of an image are worked on.
#pragma once

#include <msda/launch.cuh>

namespace msda {

/// Default: as stored.
template <class Problem, class Parameters>
struct StoredOrder {
  static constexpr Slot kSlot = kOrder;
  /// Query at place `position` of the order of image `image`.
  __device__ static long long query(const Arguments& arguments, long long image,
                                    long long position) {
    static_cast<void>(arguments);
    static_cast<void>(image);
    return position;
  }
};

}  // namespace msda
