// cpu-backward-threads: the gradients on all cores. No two threads write to one element, so there
// are no atomics, and sums are added up in one order.
#include <algorithm>
#include <thread>

#include <msda/plugin.hpp>

#include "gradients.hpp"
#include "thread_pool.hpp"

namespace msda::cpu_backward_threads {
namespace {

class CpuBackwardThreadsExecutable final : public Executable {
 public:
  CpuBackwardThreadsExecutable(const Problem& problem, std::int64_t block, std::int64_t bands,
                               unsigned threads)
      : gradients_(problem),
        block_(block),
        blocks_((problem.queries + block - 1) / block),
        bands_(bands),
        queries_([this](std::int64_t task, unsigned thread) { run_queries(task, thread); }),
        tiles_([this](std::int64_t task, unsigned thread) { run_tile(task, thread); }),
        pool_(threads),
        own_(threads) {}

  void launch(const Tensors& tensors, Stream /*stream*/) override {
    tensors_ = tensors;
    const backward::View view(tensors);
    const Problem& problem = gradients_.problem();
    const std::int64_t planes = problem.batch * problem.heads;
    if (gradients_.of_points(view)) pool_.run(planes * blocks_, queries_);
    if (!gradients_.of_value(view)) return;
    gradients_.clear_borders(view);
    pool_.run(planes * problem.level_count() * bands_, tiles_);
  }

 private:
  void run_queries(std::int64_t task, unsigned thread) {
    const Problem& problem = gradients_.problem();
    const std::int64_t plane = task / blocks_;
    const std::int64_t begin = task % blocks_ * block_;
    gradients_.run(backward::View(tensors_),
                   cpu::QueryRange{plane / problem.heads, plane % problem.heads, begin,
                                   std::min(begin + block_, problem.queries)},
                   own_[thread]);
  }

  void run_tile(std::int64_t task, unsigned thread) {
    const Problem& problem = gradients_.problem();
    const std::int64_t plane = task / bands_ / problem.level_count();
    const auto level = static_cast<std::size_t>(task / bands_ % problem.level_count());
    const std::int64_t height = problem.levels[level].height;
    const std::int64_t band = task % bands_;
    const cpu::Tile tile{plane / problem.heads, plane % problem.heads, level,
                         height * band / bands_, height * (band + 1) / bands_};
    if (tile.begin < tile.end) gradients_.run(backward::View(tensors_), tile, own_[thread]);
  }

  cpu::Gradients gradients_;
  std::int64_t block_;   ///< queries in a task
  std::int64_t blocks_;  ///< of one head of one image
  std::int64_t bands_;   ///< of lines, of one level and head of one image
  Tensors tensors_;      ///< of the launch at work
  cpu_threads::ThreadPool::Task queries_;
  cpu_threads::ThreadPool::Task tiles_;
  cpu_threads::ThreadPool pool_;
  std::vector<cpu::GradientWorkspace> own_;  ///< by thread
};

class CpuBackwardThreads final : public Kernel {
 public:
  CpuBackwardThreads()
      : Kernel(
            {.name = MSDA_VARIANT_NAME,
             .summary = "the gradients on all CPU cores: each pixel's sum is one thread's",
             .parameters =
                 {ParameterSpec::integer("threads", "threads to use; 0 takes all the hardware has",
                                         0, 0, 1024),
                  ParameterSpec::integer(
                      "block", "queries of one head that a thread takes at a time", 64, 1, 1 << 20),
                  ParameterSpec::integer(
                      "bands", "bands of lines that a level is cut into; 0: enough for all threads",
                      0, 0, 1 << 16)}},
            DeviceKind::kCpu) {}

  std::string computes(const Parameters& /*parameters*/) const override { return "backward"; }

  std::unique_ptr<Executable> prepare(const Problem& problem, const DeviceInfo& device,
                                      const Parameters& parameters) const override {
    auto threads = static_cast<unsigned>(parameters.get<std::int64_t>("threads"));
    if (threads == 0) threads = static_cast<unsigned>(std::max(0, device.multiprocessors));
    if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
    std::int64_t bands = parameters.get<std::int64_t>("bands");
    if (bands == 0) bands = enough_bands(problem, threads);
    return std::make_unique<CpuBackwardThreadsExecutable>(
        problem, parameters.get<std::int64_t>("block"), bands, threads);
  }

 private:
  /// Each band goes through all points of its level, so there are no more than keep threads busy.
  static std::int64_t enough_bands(const Problem& problem, unsigned threads) {
    const std::int64_t wholes =
        std::max<std::int64_t>(1, problem.batch * problem.heads * problem.level_count());
    return (2 * static_cast<std::int64_t>(threads) + wholes - 1) / wholes;
  }
};

}  // namespace
}  // namespace msda::cpu_backward_threads

MSDA_PLUGIN(msda::cpu_backward_threads::CpuBackwardThreads)
