// Slot "unroll": how many loads a lane has in flight, and the order in which it visits points.
#pragma once

#include <msda/contract.cuh>

namespace msda {

/// - `kPoints`: points of a batch, all of one level, whose loads are in flight together;
/// - `kLoadsAhead`: a batch is loaded while the batch before is blended;
/// - `kAlternates`: batches of large and of small levels alternate;
/// - `kNearFirst`: of two such batches that are loaded together, the small level's is blended
///   first.
template <class Policy, class K>
concept UnrollPolicy = requires {
  requires kConstant<int, Policy::kPoints>;
  requires kConstant<bool, Policy::kLoadsAhead>;
  requires kConstant<bool, Policy::kAlternates>;
  requires kConstant<bool, Policy::kNearFirst>;
};

/// Default: one point at a time, in a loop.
template <class K, class Parameters>
struct OnePoint {
  static constexpr int kPoints = 1;
  static constexpr bool kLoadsAhead = false;
  static constexpr bool kAlternates = false;
  static constexpr bool kNearFirst = false;
};

}  // namespace msda
