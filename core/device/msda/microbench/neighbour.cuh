// The kernel of another layer: what a model has between two launches of an operator.
#pragma once

#include <msda/simt/thread.cuh>

namespace msda::microbench {

inline constexpr unsigned kNeighbourThreads = 256;  ///< per block

/// A thread for each of `words` words of 16 bytes. Reads `from` and writes `to`, as a layer that
/// works on each element.
__global__ void neighbour(const uint4* from, uint4* to, unsigned words) {
  const unsigned i = simt::block() * kNeighbourThreads + simt::thread();
  if (i >= words) return;
  uint4 word = from[i];
  ++word.x;
  to[i] = word;
}

}  // namespace msda::microbench
