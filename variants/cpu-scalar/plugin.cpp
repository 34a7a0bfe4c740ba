// cpu-scalar: the operator's formula (problem.hpp) as plain loops.
//
//   for each image b, query q, head h:
//     for each level l, point p:
//       for each of the four corners inside the level:
//         out[b,q,h,:] += attn[b,q,h,l,p] * corner weight * value[b,corner,h,:]
#include <cmath>

#include <msda/elements.hpp>
#include <msda/operators/forward.hpp>
#include <msda/plugin.hpp>

#include "levels.hpp"

namespace msda::cpu_scalar {
namespace {

class CpuScalarExecutable final : public Executable {
 public:
  explicit CpuScalarExecutable(const Problem& problem)
      : problem_(problem), levels_(problem), sums_(static_cast<std::size_t>(problem.channels)) {}

  void launch(const Tensors& tensors, Stream /*stream*/) override {
    const forward::View view(tensors);
    with_type(problem_.types.value, [&]<DType kValue>() { run<Element<kValue>>(view); });
  }

 private:
  template <class Value>
  void run(const forward::View& tensors) {
    for (std::int64_t b = 0; b < problem_.batch; ++b) {
      for (std::int64_t q = 0; q < problem_.queries; ++q) {
        for (std::int64_t h = 0; h < problem_.heads; ++h) compute_row<Value>(tensors, b, q, h);
      }
    }
  }

  /// All channels of one output row.
  template <class Value>
  void compute_row(const forward::View& tensors, std::int64_t b, std::int64_t q, std::int64_t h) {
    sums_.assign(sums_.size(), 0.0F);
    const auto* image = static_cast<const Value*>(tensors.value) +
                        b * levels_.spatial_size() * problem_.heads * problem_.channels;
    const std::int64_t row = (b * problem_.queries + q) * problem_.heads + h;
    std::int64_t point = row * problem_.row_points();
    for (std::size_t l = 0; l < levels_.places().size(); ++l) {
      const cpu::LevelPlace& level = levels_.places()[l];
      for (std::int64_t p = 0; p < problem_.points_of(l); ++p, ++point) {
        const double x = load(problem_.types.location, tensors.locations, 2 * point);
        const double y = load(problem_.types.location, tensors.locations, 2 * point + 1);
        const float attention = load(problem_.types.weight, tensors.weights, point);
        // In double the products are exact, so that no level is too wide for the fp32 tolerance.
        add_point(image, level, h, x * static_cast<double>(level.width) - 0.5,
                  y * static_cast<double>(level.height) - 0.5, attention);
      }
    }
    for (std::int64_t c = 0; c < problem_.channels; ++c) {
      store(problem_.types.output, tensors.output, row * problem_.channels + c,
            sums_[static_cast<std::size_t>(c)]);
    }
  }

  /// Adds the corners of the point (x, y), in pixels of the level.
  template <class Value>
  void add_point(const Value* image, const cpu::LevelPlace& level, std::int64_t h, double x,
                 double y, float attention) {
    // Written so that NaN counts as outside.
    const bool counts = x > -1 && y > -1 && x < static_cast<double>(level.width) &&
                        y < static_cast<double>(level.height);
    if (!counts) return;
    const double left = std::floor(x);
    const double top = std::floor(y);
    const auto right_share = static_cast<float>(x - left);
    const auto bottom_share = static_cast<float>(y - top);
    for (int down = 0; down < 2; ++down) {
      for (int right = 0; right < 2; ++right) {
        const std::int64_t column = static_cast<std::int64_t>(left) + right;
        const std::int64_t row = static_cast<std::int64_t>(top) + down;
        if (column < 0 || row < 0 || column >= level.width || row >= level.height) continue;
        const float weight = attention * (down == 1 ? bottom_share : 1 - bottom_share) *
                             (right == 1 ? right_share : 1 - right_share);
        const std::int64_t pixel = level.origin + row * level.pitch + column;
        const Value* channels = image + (pixel * problem_.heads + h) * problem_.channels;
        for (std::size_t c = 0; c < sums_.size(); ++c) sums_[c] += weight * to_float(channels[c]);
      }
    }
  }

  Problem problem_;
  cpu::Levels levels_;
  std::vector<float> sums_;  ///< of one output row
};

class CpuScalar final : public Kernel {
 public:
  CpuScalar()
      : Kernel({.name = MSDA_VARIANT_NAME,
                .summary = "the plain loops of the formula: one CPU thread, no vector instructions",
                .parameters = {}},
               DeviceKind::kCpu) {}

  std::unique_ptr<Executable> prepare(const Problem& problem, const DeviceInfo& /*device*/,
                                      const Parameters& /*parameters*/) const override {
    return std::make_unique<CpuScalarExecutable>(problem);
  }
};

}  // namespace
}  // namespace msda::cpu_scalar

MSDA_PLUGIN(msda::cpu_scalar::CpuScalar)
