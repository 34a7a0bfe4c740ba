// Bandwidth of reads that hit one kind of memory: every thread reads 16-byte words again and again,
// neighbouring lanes side by side, and writes a word that depends on all of them, so that no read
// can be left out.
#pragma once

#include <msda/ptx/cluster.cuh>
#include <msda/ptx/memory.cuh>
#include <msda/simt/thread.cuh>

namespace msda::microbench {

inline constexpr int kThreads = 256;     ///< per block
inline constexpr int kBlockWords = 512;  ///< 16-byte words that a block reads again: 8 KiB

struct Sum {
  unsigned part[4] = {};
  __device__ void add(const uint4& word) {
    part[0] += word.x;
    part[1] += word.y;
    part[2] += word.z;
    part[3] += word.w;
  }
  __device__ void write(unsigned* sink) const {
    sink[simt::block() * kThreads + simt::thread()] = part[0] ^ part[1] ^ part[2] ^ part[3];
  }
};

/// The words of the block, read `rounds` times by `read(word)`. `step` words (kThreads) lie between
/// a thread's reads; that the compiler does not know it keeps every read.
template <class Read>
__device__ __forceinline__ void read_rounds(unsigned* sink, int rounds, unsigned step,
                                            const Read& read) {
  unsigned at = simt::thread();
  Sum sum;
#pragma unroll 8
  for (int r = 0; r < 2 * rounds; ++r) {
    sum.add(read(at));
    at = (at + step) % kBlockWords;
  }
  sum.write(sink);
}

/// The first-level cache: each block its own words of `data`.
__global__ void l1_read(const uint4* data, unsigned* sink, int rounds, unsigned step) {
  const uint4* block = data + simt::block() * kBlockWords;
  read_rounds(sink, rounds, step, [=](unsigned at) { return ptx::ld_ca(block + at); });
}

/// The second-level cache: the blocks walk over all words of the grid, and past the first level.
__global__ void l2_read(const uint4* data, unsigned* sink, int rounds, unsigned step) {
  const unsigned words = simt::blocks() * kBlockWords;
  unsigned at = simt::block() * kBlockWords + simt::thread();
  Sum sum;
#pragma unroll 8
  for (int r = 0; r < 2 * rounds; ++r) {
    sum.add(ptx::ld_cg(data + at));
    at += step;
    if (at >= words) at -= words;
  }
  sum.write(sink);
}

/// Rows as a sampler gathers them: four neighbouring lanes read 64 bytes of the first `rows` rows
/// of `data`, anywhere.
__global__ void l2_gather(const uint4* data, unsigned* sink, int rounds, unsigned rows) {
  constexpr unsigned kLanesPerRow = 4;
  const unsigned lane = simt::thread() % kLanesPerRow;
  unsigned random = (simt::block() * kThreads + simt::thread()) / kLanesPerRow * 2654435761U;
  Sum sum;
#pragma unroll 8
  for (int r = 0; r < 2 * rounds; ++r) {
    random = random * 1664525U + 1013904223U;
    const auto row = static_cast<unsigned>((static_cast<unsigned long long>(random) * rows) >> 32);
    sum.add(ptx::ld_cg(data + row * kLanesPerRow + lane));
  }
  sum.write(sink);
}

/// Puts the block's words in shared memory.
__device__ __forceinline__ uint4* stage(const uint4* data) {
  auto* words = reinterpret_cast<uint4*>(simt::shared_memory());
  for (unsigned i = simt::thread(); i < kBlockWords; i += kThreads) {
    words[i] = data[simt::block() * kBlockWords + i];
  }
  simt::syncthreads();
  return words;
}

__global__ void shared_read(const uint4* data, unsigned* sink, int rounds, unsigned step) {
  const uint4* words = stage(data);
  read_rounds(sink, rounds, step, [=](unsigned at) { return ptx::ld_generic(words + at); });
}

/// The shared memory of the other block, in clusters of 2.
__global__ void cluster_read(const uint4* data, unsigned* sink, int rounds, unsigned step) {
  const uint4* words = stage(data);
  ptx::cluster_sync();
  const uint4* remote = ptx::mapa(words, (simt::block() + 1) % 2);
  read_rounds(sink, rounds, step, [=](unsigned at) { return ptx::ld_generic(remote + at); });
  ptx::cluster_sync();  // neither ends while the other reads
}

}  // namespace msda::microbench
