#include "device/host/ceilings.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <vector>

#include "parallel.hpp"

namespace msda {
namespace {

constexpr int kRepetitions = 5;

/// Best of a few runs: a ceiling is what the machine can do, not what it does on average.
template <class Work>
double best_seconds(const Work& work) {
  double best = 1e30;
  for (int i = 0; i < kRepetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count());
  }
  return best;
}

// Sanitizers leave the reads alone: with a check at each the first level would seem slower than
// memory. And the loader chooses among clones by code that ThreadSanitizer instruments, before that
// has begun.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define MSDA_AS_FAST_AS_CAN_BE no_sanitize("address", "thread", "undefined")
#else
#define MSDA_AS_FAST_AS_CAN_BE target_clones("avx512f", "avx2", "default")
#endif

/// Reads the block `rounds` times. Cloned for the vector width of the machine it runs on; eight
/// independent sums keep the load ports busy.
__attribute__((MSDA_AS_FAST_AS_CAN_BE, optimize("O3"))) std::uint32_t read_block(
    const std::uint32_t* block, std::size_t words, int rounds) {
  constexpr int kLanes = 64;
  std::uint32_t sums[kLanes] = {};
  for (int r = 0; r < rounds; ++r) {
    for (std::size_t i = 0; i < words; i += kLanes) {
      for (int lane = 0; lane < kLanes; ++lane)
        sums[lane] += block[i + static_cast<std::size_t>(lane)];
    }
    std::atomic_signal_fence(std::memory_order_seq_cst);  // every round really reads
  }
  std::uint32_t sum = 0;
  for (const std::uint32_t s : sums) sum += s;
  return sum;
}

double copy_bandwidth(unsigned threads) {
  constexpr std::int64_t kBytes = 128LL << 20;
  constexpr std::int64_t kGrain = 4LL << 20;
  std::vector<unsigned char> from(kBytes, 1);
  std::vector<unsigned char> to(kBytes, 2);
  const double seconds = best_seconds([&] {
    parallel_for(kBytes, kGrain, threads, [&](std::int64_t begin, std::int64_t end) {
      std::memcpy(to.data() + begin, from.data() + begin, static_cast<std::size_t>(end - begin));
    });
  });
  return 2.0 * kBytes / seconds;
}

double first_level_bandwidth(unsigned threads) {
  constexpr std::size_t kWords = 4096;  // 16 KiB: half of a small first-level cache
  constexpr int kRounds = 20000;
  std::atomic<std::uint32_t> sink{0};
  const double seconds = best_seconds([&] {
    parallel_for(threads, 1, threads, [&](std::int64_t, std::int64_t) {
      const std::vector<std::uint32_t> block(kWords, 3);
      sink += read_block(block.data(), kWords, kRounds);
    });
  });
  return static_cast<double>(threads) * kWords * sizeof(std::uint32_t) * kRounds / seconds;
}

}  // namespace

Ceilings measure_host_ceilings() {
  const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  return {copy_bandwidth(threads), first_level_bandwidth(threads)};
}

}  // namespace msda
