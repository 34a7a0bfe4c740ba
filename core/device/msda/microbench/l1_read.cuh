// Bandwidth of reads that hit the first-level cache: every warp reads the same few KiB of its block
// again and again with 16-byte loads, neighbouring lanes side by side.
#pragma once

#include <msda/ptx/memory.cuh>
#include <msda/simt/thread.cuh>

namespace msda::microbench {

inline constexpr int kL1Words = 1024;  ///< 16-byte words per block: 16 KiB

/// Reads kL1Words words `rounds` times and writes a word that depends on all of them.
__global__ void l1_read(const uint4* data, unsigned* sink, int rounds) {
  const uint4* block = data + simt::block() * kL1Words;
  unsigned sum = 0;
  for (int r = 0; r < rounds; ++r) {
#pragma unroll 8
    for (unsigned i = simt::thread(); i < kL1Words; i += 256) {
      const uint4 word = ptx::load_cached_in_l1(block + i);
      sum += word.x ^ word.y ^ word.z ^ word.w;
    }
  }
  sink[simt::block() * 256 + simt::thread()] = sum;
}

}  // namespace msda::microbench
