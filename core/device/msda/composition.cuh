// A composition, and what follows from its policies together.
//
// A policy is a class template over the composition, which all policies call K, and over its own
// parameters. K::Problem has the problem's constants, K::Mapping is the policy of slot mapping, and
// so on. Policies may use each other's members as long as this forms no cycle. The concept of a
// slot lists what its policies must provide. Each thread has objects of its own of the policies;
// `Policy::Storage` is a policy's part of the block's shared memory.
#pragma once

#include <msda/contract.cuh>
#include <msda/simt/thread.cuh>

namespace msda {

/// Taps that a lane reads for a point: one for each corner, one for two corners where a stored
/// element has a pixel and the pixel below, or one in all where the source blends the corners.
template <class K>
inline constexpr int kTaps =
    K::Source::kBlends ? 1 : K::Mapping::kTaps / K::Arithmetic::kElementPixels;

/// Rows (output vectors) that a block computes at a time.
template <class K>
inline constexpr int kTileRows = (K::Mapping::kRows * K::Mapping::kRowsPerLane);

/// Most points of a batch: the points whose loads a lane issues together.
template <class K>
inline constexpr int kBatch =
    K::Unroll::kPoints < K::Problem::kPoints ? K::Unroll::kPoints : K::Problem::kPoints;

/// True in the specialised skeleton, whose blocks have producer warps.
template <class K>
inline constexpr bool kIsSpecialised = requires {
  typename K::Roles;
};

/// Threads of the producer warps, which follow the mapping's threads; 0 in the direct skeleton.
template <class K>
inline constexpr int kProducerThreads = [] {
  if constexpr (kIsSpecialised<K>) return K::Roles::kProducerThreads;
  return 0;
}();

}  // namespace msda
