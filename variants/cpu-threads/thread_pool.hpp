// Threads that wait for work between launches, so that a launch creates none.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace msda::cpu_threads {

/// Runs tasks on a fixed number of threads, the caller's among them.
class ThreadPool {
 public:
  /// Is given the task's index and which of threads() runs it. Must not throw.
  using Task = std::function<void(std::int64_t index, unsigned thread)>;

  /// Starts `threads` - 1 threads; `threads` is at least 1.
  explicit ThreadPool(unsigned threads);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  unsigned threads() const { return static_cast<unsigned>(workers_.size()) + 1; }

  /// Calls the task for each index in [0, count), in rising order of start. Returns when all are
  /// done, without waiting for a thread that woke too late to take one. One call at a time.
  void run(std::int64_t count, const Task& task);

 private:
  void serve(unsigned thread);
  void take_tasks(unsigned thread);

  std::vector<std::thread> workers_;
  // Of the call at work. Whoever has taken a task may read them: the call cannot end before it.
  const Task* task_ = nullptr;
  std::int64_t count_ = 0;
  std::atomic<bool> stopping_ = false;
  // Written by different threads at different times: each on a cache line of its own.
  alignas(64) std::atomic<std::uint32_t> calls_ = 0;      ///< of run(); a change wakes the workers
  alignas(64) std::atomic<std::int64_t> waiting_ = 0;     ///< tasks that nobody has taken
  alignas(64) std::atomic<std::int64_t> unfinished_ = 0;  ///< tasks that are not done
};

}  // namespace msda::cpu_threads
