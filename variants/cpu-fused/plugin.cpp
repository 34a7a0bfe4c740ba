// cpu-fused: the formula of fused.hpp as plain loops, blocks of rows on all cores.
//
//   for each image b, query q, head h:
//     weights = softmax of logits[b,q,h,:]
//     for each level l, point p:
//       (x, y) = the point's pixel, made of its reference and its offset
//       out[b,q,h,:] += weights[l,p] * bilinear(value_l[b,:,:,h,:], x, y)
#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include <msda/elements.hpp>
#include <msda/operators/fused.hpp>
#include <msda/plugin.hpp>

#include "levels.hpp"
#include "thread_pool.hpp"

namespace msda::cpu_fused {
namespace {

constexpr std::int64_t kBlock = 64;  // rows
constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();

/// What one row needs besides its tensors.
struct Workspace {
  std::vector<double> weights;  ///< of the row's points
  std::vector<float> sums;      ///< [C]
};

class CpuFusedExecutable final : public Executable {
 public:
  CpuFusedExecutable(const Problem& problem, unsigned threads)
      : problem_(problem),
        levels_(problem),
        rows_(problem.batch * problem.queries * problem.heads),
        run_block_([this](std::int64_t block, unsigned thread) { run(block, own_[thread]); }),
        pool_(threads),
        own_(threads) {
    for (Workspace& own : own_) {
      own.weights.resize(static_cast<std::size_t>(problem.row_points()));
      own.sums.resize(static_cast<std::size_t>(problem.channels));
    }
  }

  void launch(const Tensors& tensors, Stream /*stream*/) override {
    tensors_ = tensors;
    pool_.run((rows_ + kBlock - 1) / kBlock, run_block_);
  }

 private:
  void run(std::int64_t block, Workspace& own) const {
    const fused::View view(tensors_);
    const std::int64_t end = std::min(rows_, (block + 1) * kBlock);
    with_type(problem_.types.value, [&]<DType kValue>() {
      for (std::int64_t row = block * kBlock; row < end; ++row) {
        compute_row<Element<kValue>>(view, row, own);
      }
    });
  }

  template <class Value>
  void compute_row(const fused::View& view, std::int64_t row, Workspace& own) const {
    softmax(view, row, own.weights);
    // Nothing times NaN is NaN: a row of minus infinity has no other sum, wherever its points are.
    std::fill(own.sums.begin(), own.sums.end(), std::isnan(own.weights.front()) ? kNoNumber : 0.0F);
    const std::int64_t h = row % problem_.heads;
    const std::int64_t first_pixel =
        row / problem_.heads / problem_.queries * levels_.spatial_size();
    const auto* image =
        static_cast<const Value*>(view.value) + first_pixel * problem_.heads * problem_.channels;
    const auto* padding = static_cast<const unsigned char*>(view.padding_mask);
    if (padding != nullptr) padding += first_pixel;
    std::size_t at = 0;
    for (std::size_t l = 0; l < levels_.places().size(); ++l) {
      const cpu::LevelPlace& level = levels_.places()[l];
      for (std::int64_t p = 0; p < problem_.points_of(l); ++p, ++at) {
        const double x = pixel(view, row, l, p, 0, level.width);
        const double y = pixel(view, row, l, p, 1, level.height);
        add_point(image, padding, level, h, x, y, own.weights[at], own.sums);
      }
    }
    for (std::int64_t c = 0; c < problem_.channels; ++c) {
      store(problem_.types.output, view.output, row * problem_.channels + c,
            own.sums[static_cast<std::size_t>(c)]);
    }
  }

  /// A row of minus infinity gets NaN, as PyTorch's softmax has it.
  void softmax(const fused::View& view, std::int64_t row, std::vector<double>& weights) const {
    const auto count = static_cast<std::int64_t>(weights.size());
    for (std::int64_t i = 0; i < count; ++i) {
      weights[static_cast<std::size_t>(i)] =
          load(problem_.types.weight, view.logits, row * count + i);
    }
    const double most = *std::max_element(weights.begin(), weights.end());
    double sum = 0;
    for (double& weight : weights) {
      weight = std::exp(weight - most);
      sum += weight;
    }
    for (double& weight : weights) weight /= sum;
  }

  /// A point's coordinate along an axis of `size` pixels: axis 0 is x.
  double pixel(const fused::View& view, std::int64_t row, std::size_t l, std::int64_t p,
               std::int64_t axis, std::int64_t size) const {
    const std::int64_t coordinates = problem_.references.coordinates;
    const std::int64_t first = (row / problem_.heads * problem_.reference_count() +
                                fused::reference_of(problem_, static_cast<std::int64_t>(l), p)) *
                                   coordinates +
                               axis;
    const auto reference = [&](std::int64_t i) -> double {
      return load(problem_.types.reference, view.references, i);
    };
    const double box = coordinates == 2 ? 0 : reference(first + 2);
    const std::int64_t point = problem_.first_point(l) + p;
    const std::int64_t element = 2 * (row * problem_.row_points() + point) + axis;
    return fused::pixel_of(problem_, point, reference(first), box,
                           load(problem_.types.location, view.offsets, element), size);
  }

  /// Adds the corners of the point (x, y), in pixels of the level. `padding`: flags of the image's
  /// pixels, or null.
  template <class Value>
  void add_point(const Value* image, const unsigned char* padding, const cpu::LevelPlace& level,
                 std::int64_t h, double x, double y, double attention,
                 std::vector<float>& sums) const {
    // Written so that NaN counts as outside.
    const bool counts = x > -1 && y > -1 && x < static_cast<double>(level.width) &&
                        y < static_cast<double>(level.height);
    if (!counts) return;
    const double left = std::floor(x);
    const double top = std::floor(y);
    for (int corner = 0; corner < 4; ++corner) {
      const std::int64_t column = static_cast<std::int64_t>(left) + corner % 2;
      const std::int64_t line = static_cast<std::int64_t>(top) + corner / 2;
      if (column < 0 || line < 0 || column >= level.width || line >= level.height) continue;
      const auto weight =
          static_cast<float>(attention * (1 - std::abs(x - static_cast<double>(column))) *
                             (1 - std::abs(y - static_cast<double>(line))));
      const std::int64_t place = level.origin + line * level.pitch + column;
      if (padding != nullptr && padding[place] != 0) continue;
      const Value* const channels = image + (place * problem_.heads + h) * problem_.channels;
      for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += weight * to_float(channels[c]);
    }
  }

  Problem problem_;
  cpu::Levels levels_;
  std::int64_t rows_;
  Tensors tensors_;  ///< of the launch at work
  cpu_threads::ThreadPool::Task run_block_;
  cpu_threads::ThreadPool pool_;
  std::vector<Workspace> own_;  ///< by thread
};

class CpuFused final : public Kernel {
 public:
  CpuFused()
      : Kernel(
            {.name = MSDA_VARIANT_NAME,
             .summary = "softmax, locations and sampling in one pass over rows, on all CPU cores",
             .parameters = {ParameterSpec::integer(
                 "threads", "threads to use; 0 takes all the hardware has", 0, 0, 1024)}},
            DeviceKind::kCpu) {}

  std::string computes(const Parameters& /*parameters*/) const override { return "fused"; }

  std::unique_ptr<Executable> prepare(const Problem& problem, const DeviceInfo& device,
                                      const Parameters& parameters) const override {
    auto threads = static_cast<unsigned>(parameters.get<std::int64_t>("threads"));
    if (threads == 0) threads = static_cast<unsigned>(std::max(0, device.multiprocessors));
    if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
    return std::make_unique<CpuFusedExecutable>(problem, threads);
  }
};

}  // namespace
}  // namespace msda::cpu_fused

MSDA_PLUGIN(msda::cpu_fused::CpuFused)
