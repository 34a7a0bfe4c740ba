// cpu-fused-backward: the gradients of fused_backward.hpp in three passes over the rows.
//
//   for each image b, query q, head h: weights and locations of its points
//   grad_value, and the gradients of weights and locations, as cpu-backward-scalar computes them
//   for each image b, query q, head h:
//     grad_logits[b,q,h,:]  = weights * (grad_weights - sum of weights * grad_weights)
//     grad_offsets[b,q,h,:] = grad_locations / size of the level, or times a part of the box
//     grad_reference_points[b,q,:] += grad_locations, and these times a part of the offset
#include <algorithm>
#include <thread>

#include <msda/plugin.hpp>

#include "chain.hpp"
#include "gradients.hpp"
#include "thread_pool.hpp"

namespace msda::cpu_fused_backward {
namespace {

constexpr std::int64_t kBlock = 64;  // queries of one head

/// The problem of `backward` with points in float32.
Problem of_points(Problem problem) {
  problem.padding = false;
  problem.types.location = problem.types.weight = DType::kFloat32;
  return problem;
}

class CpuFusedBackwardExecutable final : public Executable {
 public:
  CpuFusedBackwardExecutable(const Problem& problem, unsigned threads)
      : chain_(problem),
        gradients_(of_points(problem)),
        points_(backward::elements(problem, backward::kWeights)),
        bands_(
            (2 * static_cast<std::int64_t>(threads) - 1) /
                std::max<std::int64_t>(1, problem.batch * problem.heads * problem.level_count()) +
            1),
        make_([this](std::int64_t task, unsigned) { make_block(task); }),
        queries_([this](std::int64_t task, unsigned thread) { run_queries(task, thread); }),
        tiles_([this](std::int64_t task, unsigned thread) { run_tile(task, thread); }),
        finish_([this](std::int64_t task, unsigned) { finish_block(task); }),
        pool_(threads),
        own_(threads) {}

  void launch(const Tensors& tensors, Stream /*stream*/) override {
    tensors_ = tensors;
    const fused_backward::View view(tensors);
    gradients_.set_padding(view.padding_mask);
    of_points_ = tensors;
    of_points_.data[backward::kLocations] = points_.locations.data();
    of_points_.data[backward::kWeights] = points_.weights.data();
    const bool of_locations = view.grad_offsets != nullptr || view.grad_references != nullptr;
    const bool of_weights = view.grad_logits != nullptr;
    of_points_.data[backward::kGradLocations] =
        of_locations ? points_.grad_locations.data() : nullptr;
    of_points_.data[backward::kGradWeights] = of_weights ? points_.grad_weights.data() : nullptr;

    const Problem& problem = gradients_.problem();
    const std::int64_t planes = problem.batch * problem.heads;
    pool_.run(blocks(problem.batch * problem.queries), make_);
    if (of_locations || of_weights) {
      pool_.run(planes * blocks(problem.queries), queries_);
      pool_.run(blocks(problem.batch * problem.queries), finish_);
    }
    const backward::View of_value(of_points_);
    if (!gradients_.of_value(of_value)) return;
    gradients_.clear_borders(of_value);
    pool_.run(planes * problem.level_count() * bands_, tiles_);
  }

 private:
  static std::int64_t blocks(std::int64_t queries) { return (queries + kBlock - 1) / kBlock; }

  /// Calls each(query) for those of a block of all images' queries.
  template <class Each>
  void for_block(std::int64_t task, const Each& each) const {
    const Problem& problem = gradients_.problem();
    const std::int64_t end = std::min((task + 1) * kBlock, problem.batch * problem.queries);
    for (std::int64_t query = task * kBlock; query < end; ++query) each(query);
  }
  void make_block(std::int64_t task) {
    const fused_backward::View view(tensors_);
    const std::int64_t heads = gradients_.problem().heads;
    for_block(task, [&](std::int64_t query) {
      for (std::int64_t h = 0; h < heads; ++h) chain_.make_row(view, query * heads + h, points_);
    });
  }
  void finish_block(std::int64_t task) const {
    const fused_backward::View view(tensors_);
    for_block(task, [&](std::int64_t query) { chain_.finish_query(view, query, points_); });
  }

  void run_queries(std::int64_t task, unsigned thread) {
    const Problem& problem = gradients_.problem();
    const std::int64_t plane = task / blocks(problem.queries);
    const std::int64_t begin = task % blocks(problem.queries) * kBlock;
    gradients_.run(backward::View(of_points_),
                   cpu::QueryRange{plane / problem.heads, plane % problem.heads, begin,
                                   std::min(begin + kBlock, problem.queries)},
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
    if (tile.begin < tile.end) gradients_.run(backward::View(of_points_), tile, own_[thread]);
  }

  Chain chain_;
  cpu::Gradients gradients_;
  Points points_;
  std::int64_t bands_;  ///< of lines, of one level and head of one image
  Tensors tensors_;     ///< of the launch at work
  Tensors of_points_;   ///< those of `backward`
  cpu_threads::ThreadPool::Task make_;
  cpu_threads::ThreadPool::Task queries_;
  cpu_threads::ThreadPool::Task tiles_;
  cpu_threads::ThreadPool::Task finish_;
  cpu_threads::ThreadPool pool_;
  std::vector<cpu::GradientWorkspace> own_;  ///< by thread
};

class CpuFusedBackward final : public Kernel {
 public:
  CpuFusedBackward()
      : Kernel({.name = MSDA_VARIANT_NAME,
                .summary = "the gradients of offsets, logits and references on all CPU cores",
                .parameters = {ParameterSpec::integer(
                    "threads", "threads to use; 0 takes all the hardware has", 0, 0, 1024)}},
               DeviceKind::kCpu) {}

  std::string computes(const Parameters& /*parameters*/) const override { return "fused-backward"; }

  std::unique_ptr<Executable> prepare(const Problem& problem, const DeviceInfo& device,
                                      const Parameters& parameters) const override {
    auto threads = static_cast<unsigned>(parameters.get<std::int64_t>("threads"));
    if (threads == 0) threads = static_cast<unsigned>(std::max(0, device.multiprocessors));
    if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
    return std::make_unique<CpuFusedBackwardExecutable>(problem, threads);
  }
};

}  // namespace
}  // namespace msda::cpu_fused_backward

MSDA_PLUGIN(msda::cpu_fused_backward::CpuFusedBackward)
