#include "thread_pool.hpp"

namespace msda::cpu_threads {

ThreadPool::ThreadPool(unsigned threads) {
  workers_.reserve(threads - 1);
  for (unsigned t = 1; t < threads; ++t) workers_.emplace_back([this, t] { serve(t); });
}

ThreadPool::~ThreadPool() {
  stopping_ = true;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run(std::int64_t count, const Task& task) {
  task_ = &task;
  count_ = count;
  next_.store(0, std::memory_order_relaxed);
  working_.store(static_cast<std::uint32_t>(workers_.size()), std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  take_tasks(0);
  for (std::uint32_t left = working_.load(std::memory_order_acquire); left != 0;
       left = working_.load(std::memory_order_acquire)) {
    working_.wait(left, std::memory_order_acquire);
  }
}

void ThreadPool::serve(unsigned thread) {
  for (std::uint32_t seen = 0;;) {
    round_.wait(seen, std::memory_order_acquire);
    ++seen;  // run() does not start another round before this one has ended for every worker
    if (stopping_) return;
    take_tasks(thread);
    if (working_.fetch_sub(1, std::memory_order_acq_rel) == 1) working_.notify_one();
  }
}

void ThreadPool::take_tasks(unsigned thread) {
  for (std::int64_t index = next_++; index < count_; index = next_++) (*task_)(index, thread);
}

}  // namespace msda::cpu_threads
