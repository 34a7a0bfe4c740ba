// A composition, and what follows from its policies together.
//
// A policy is a class template over the composition, which all of them call K, and over its own
// parameters. K::Problem has the problem's constants, K::Mapping is the policy of slot mapping, and
// so on. K is complete before any policy is instantiated, so policies may ask each other for
// whatever does not ask back. What a policy must have says the concept of its slot; objects of a
// policy are per thread, and `Policy::Storage` is its part of the block's shared memory.
#pragma once

#include <msda/contract.cuh>
#include <msda/simt/thread.cuh>

namespace msda {

/// Taps that a lane reads for a point: its corners, two at a time where a stored element has a
/// pixel and the one below it, or one when the source blends the corners itself.
template <class K>
inline constexpr int kTaps =
    K::Source::kBlends ? 1 : K::Mapping::kTaps / K::Arithmetic::kElementPixels;

/// Rows that a block computes at a time.
template <class K>
inline constexpr int kTileRows = K::Mapping::kRows* K::Mapping::kRowsPerLane;

/// Points of a batch, at most.
template <class K>
inline constexpr int kBatch =
    K::Unroll::kPoints < K::Problem::kPoints ? K::Unroll::kPoints : K::Problem::kPoints;

/// Threads of producer warps, which come after those of the mapping; 0 in the direct skeleton.
template <class K>
inline constexpr int kProducerThreads = [] {
  if constexpr (requires { typename K::Roles; }) return K::Roles::kProducerThreads;
  return 0;
}();

}  // namespace msda
