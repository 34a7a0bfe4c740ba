// A checksum of memory that stays on the device: tells whether a launch wrote to its inputs.
#pragma once

#include <msda/simt/thread.cuh>

namespace msda::microbench {

/// Words that differ, or that changed places, give other sums (splitmix64's finalizer).
__device__ __forceinline__ unsigned long long mixed(unsigned long long word,
                                                    unsigned long long index) {
  unsigned long long x = word + (index + 1) * 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31U);
}

inline constexpr unsigned kChecksumThreads = 256;  ///< per block

/// Any grid. Adds the mixed words of `data` to `*sum`: `words` of 8 bytes, and
/// `rest` bytes behind them.
__global__ void checksum(const unsigned long long* data, unsigned long long words, unsigned rest,
                         unsigned long long* sum) {
  const unsigned long long first =
      static_cast<unsigned long long>(simt::block()) * kChecksumThreads + simt::thread();
  const unsigned long long step =
      static_cast<unsigned long long>(simt::blocks()) * kChecksumThreads;
  unsigned long long own = 0;
  for (unsigned long long i = first; i < words; i += step) own += mixed(data[i], i);
  if (first < rest) {
    own += mixed(reinterpret_cast<const unsigned char*>(data + words)[first], words + first);
  }
  for (int mask = simt::kWarpLanes / 2; mask > 0; mask /= 2) own += simt::shfl_xor_sync(own, mask);
  if (simt::lane() == 0) simt::atomic_add(sum, own);
}

}  // namespace msda::microbench
