// cpu-threads: the vector code of cpu-simd on all cores, in blocks of queries.
#include <algorithm>
#include <thread>

#include <msda/plugin.hpp>

#include "rows.hpp"
#include "thread_pool.hpp"

namespace msda::cpu_threads {
namespace {

class CpuThreadsExecutable final : public Executable {
 public:
  CpuThreadsExecutable(const Problem& problem, const Parameters& parameters, unsigned threads)
      : rows_(problem, parameters),
        block_(parameters.get<std::int64_t>("block")),
        blocks_((problem.queries + block_ - 1) / block_),
        tasks_(problem.batch * problem.heads * blocks_),
        copy_([this](std::int64_t row, unsigned /*thread*/) { rows_.copy_row(tensors_, row); }),
        compute_([this](std::int64_t task, unsigned thread) { run_block(task, thread); }),
        pool_(static_cast<unsigned>(std::min<std::int64_t>(threads, tasks_))) {
    workspaces_.reserve(pool_.threads());
    for (unsigned t = 0; t < pool_.threads(); ++t) workspaces_.emplace_back(rows_.plan());
  }

  void launch(const Tensors& tensors, Stream /*stream*/) override {
    tensors_ = tensors;
    if (rows_.copy_rows() > 0) pool_.run(rows_.copy_rows(), copy_);
    pool_.run(tasks_, compute_);
  }

 private:
  /// Tasks go through the blocks of one head of one image before the next, so that all threads read
  /// the same pixels at a time: the shared cache then holds one head instead of all.
  void run_block(std::int64_t task, unsigned thread) const {
    const std::int64_t plane = task / blocks_;
    const std::int64_t begin = task % blocks_ * block_;
    rows_.run(tensors_,
              {.batch = plane / rows_.plan().heads,
               .head = plane % rows_.plan().heads,
               .begin = begin,
               .end = std::min(begin + block_, rows_.plan().queries)},
              workspaces_[thread]);
  }

  cpu_rows::Rows rows_;
  std::int64_t block_;   ///< queries in a task
  std::int64_t blocks_;  ///< of one head of one image
  std::int64_t tasks_;
  std::vector<cpu_rows::Workspace> workspaces_;
  Tensors tensors_;  ///< of the launch at work
  ThreadPool::Task copy_;
  ThreadPool::Task compute_;
  ThreadPool pool_;
};

std::vector<ParameterSpec> parameters() {
  std::vector<ParameterSpec> all = cpu_rows::row_parameters();
  all.push_back(ParameterSpec::integer("threads", "threads to use; 0 takes all the hardware has", 0,
                                       0, 1024));
  all.push_back(ParameterSpec::integer("block", "queries of one head that a thread takes at a time",
                                       64, 1, 1 << 20));
  return all;
}

class CpuThreads final : public Kernel {
 public:
  CpuThreads()
      : Kernel(
            {.name = MSDA_VARIANT_NAME,
             .summary = "all CPU cores, vector instructions over the channels, blocks of queries",
             .parameters = parameters()},
            DeviceKind::kCpu) {}

  std::optional<std::string> unsupported(const Problem& problem, const DeviceInfo& /*device*/,
                                         const Parameters& parameters) const override {
    return cpu_rows::rows_unsupported(problem, parameters);
  }

  std::unique_ptr<Executable> prepare(const Problem& problem, const DeviceInfo& device,
                                      const Parameters& parameters) const override {
    auto threads = static_cast<unsigned>(parameters.get<std::int64_t>("threads"));
    if (threads == 0) threads = static_cast<unsigned>(std::max(0, device.multiprocessors));
    if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
    return std::make_unique<CpuThreadsExecutable>(problem, parameters, threads);
  }
};

}  // namespace
}  // namespace msda::cpu_threads

MSDA_PLUGIN(msda::cpu_threads::CpuThreads)
