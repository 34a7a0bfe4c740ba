// The one way work is spread over CPU threads in the core.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace msda {

/// Calls body(begin, end) for disjoint ranges of at most `grain` that cover [0, count), on
/// `threads` threads (0: all hardware threads). Ranges do not depend on the number of threads, so a
/// body whose result depends on its range alone gives the same bits on any machine. The first
/// exception is rethrown after all threads have stopped.
template <class Body>
void parallel_for(std::int64_t count, std::int64_t grain, unsigned threads, const Body& body) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  const std::int64_t ranges = (count + grain - 1) / grain;
  const auto workers = static_cast<unsigned>(std::min<std::int64_t>(threads, ranges));
  std::atomic<std::int64_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&] {
    try {
      for (std::int64_t r = next++; r < ranges; r = next++) {
        body(r * grain, std::min(count, (r + 1) * grain));
      }
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      next = ranges;
    }
  };
  {
    std::vector<std::jthread> pool;
    for (unsigned t = 1; t < workers; ++t) pool.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

/// reserve() of memory that all threads have touched: a new page is work for the system, and a
/// tensor of a large problem has many thousands of them.
template <class T>
void reserve_by_many(std::vector<T>& numbers, std::size_t count, unsigned threads) {
  constexpr std::int64_t kGrain = 1 << 22;
  numbers.reserve(count);
  auto* const memory = reinterpret_cast<std::byte*>(numbers.data());
  parallel_for(static_cast<std::int64_t>(count * sizeof(T)), kGrain, threads,
               [&](std::int64_t begin, std::int64_t end) {
                 std::memset(memory + begin, 0, static_cast<std::size_t>(end - begin));
               });
}

/// The same with resize(), of an empty vector.
template <class T>
void resize_by_many(std::vector<T>& numbers, std::size_t count, unsigned threads) {
  reserve_by_many(numbers, count, threads);
  numbers.resize(count);
}

}  // namespace msda
