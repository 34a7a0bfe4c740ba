// Slot "order": the order in which the queries of an image are worked on.
#pragma once

#include <msda/contract.cuh>

namespace msda {

/// query(arguments, image, position) returns the query at `position` in the order of image `image`;
/// each query has one position. Called by any thread, which need not be converged with others.
template <class Policy, class K>
concept OrderPolicy = requires(const Arguments& arguments, long long image, long long position) {
  { Policy::query(arguments, image, position) } -> Same<long long>;
};

/// Default: as stored.
template <class K, class Parameters>
struct StoredOrder {
  static constexpr bool kIsStored = true;
  __device__ static long long query(const Arguments&, long long, long long position) {
    return position;
  }
};

}  // namespace msda
