// Bandwidth of reads that hit the first-level cache: every warp reads the same few KiB of its block
// again and again with 16-byte loads, neighbouring lanes side by side.
#pragma once

#include <msda/ptx/memory.cuh>
#include <msda/simt/thread.cuh>

namespace msda::microbench {

inline constexpr int kL1Threads = 256;  ///< per block
inline constexpr int kL1Words = 512;    ///< 16-byte words per block: 8 KiB

/// Each thread reads 2 * `rounds` words and writes a word that depends on all of them. `step` words
/// (256) lie between a thread's reads; that the compiler does not know it keeps every read.
__global__ void l1_read(const uint4* data, unsigned* sink, int rounds, unsigned step) {
  const uint4* block = data + simt::block() * kL1Words;
  unsigned at = simt::thread();
  unsigned sum[4] = {};
#pragma unroll 8
  for (int r = 0; r < 2 * rounds; ++r) {
    const uint4 word = ptx::load_cached_in_l1(block + at);
    at = (at + step) % kL1Words;
    sum[0] += word.x;
    sum[1] += word.y;
    sum[2] += word.z;
    sum[3] += word.w;
  }
  sink[simt::block() * kL1Threads + simt::thread()] = sum[0] ^ sum[1] ^ sum[2] ^ sum[3];
}

}  // namespace msda::microbench
