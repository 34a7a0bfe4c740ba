#include "thread_pool.hpp"

namespace msda::cpu_threads {

ThreadPool::ThreadPool(unsigned threads) {
  workers_.reserve(threads - 1);
  for (unsigned t = 1; t < threads; ++t) workers_.emplace_back([this, t] { serve(t); });
}

ThreadPool::~ThreadPool() {
  stopping_ = true;
  ++calls_;
  calls_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run(std::int64_t count, const Task& task) {
  task_ = &task;
  count_ = count;
  unfinished_.store(count, std::memory_order_relaxed);
  waiting_.store(count, std::memory_order_release);
  ++calls_;
  calls_.notify_all();
  take_tasks(0);
  for (std::int64_t left = unfinished_.load(std::memory_order_acquire); left != 0;
       left = unfinished_.load(std::memory_order_acquire)) {
    unfinished_.wait(left, std::memory_order_acquire);
  }
}

void ThreadPool::serve(unsigned thread) {
  for (std::uint32_t seen = 0; !stopping_;) {
    take_tasks(thread);
    calls_.wait(seen);
    seen = calls_;
  }
}

void ThreadPool::take_tasks(unsigned thread) {
  std::int64_t waiting = waiting_.load(std::memory_order_acquire);
  while (waiting > 0) {
    // The number left, not the next index, is what is shared: a thread that comes late to a call
    // finds nothing to take, or a task of the next call, never an index that no longer means
    // anything.
    if (!waiting_.compare_exchange_weak(waiting, waiting - 1, std::memory_order_acq_rel,
                                        std::memory_order_acquire)) {
      continue;
    }
    (*task_)(count_ - waiting, thread);
    if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished_.notify_one();
    waiting = waiting_.load(std::memory_order_acquire);
  }
}

}  // namespace msda::cpu_threads
