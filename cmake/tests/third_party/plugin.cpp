// A whole kernel for the CPU, written outside the tree: the plain loops of the operator in fp32.
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include <msda/plugin.hpp>

namespace {

using msda::Problem;

/// Pixel (y, x) of level l, channel c of head h of one image; 0 outside the level.
struct Image {
  const Problem& problem;
  const float* value;  ///< [S, H, C]
  std::int64_t start;
  msda::Level level;

  float at(std::int64_t y, std::int64_t x, std::int64_t channel) const {
    if (y < 0 || x < 0 || y >= level.height || x >= level.width) return 0;
    return value[(start + y * level.width + x) * problem.heads * problem.channels + channel];
  }
};

float bilinear(const Image& image, float x, float y, std::int64_t channel) {
  const float left = std::floor(x);
  const float top = std::floor(y);
  const auto column = static_cast<std::int64_t>(left);
  const auto row = static_cast<std::int64_t>(top);
  const float fx = x - left;
  const float fy = y - top;
  return (1 - fy) *
             ((1 - fx) * image.at(row, column, channel) + fx * image.at(row, column + 1, channel)) +
         fy * ((1 - fx) * image.at(row + 1, column, channel) +
               fx * image.at(row + 1, column + 1, channel));
}

class PlainLoops : public msda::Executable {
 public:
  explicit PlainLoops(const Problem& problem)
      : problem_(problem), starts_(problem.level_starts()) {}

  void launch(const msda::Tensors& tensors, msda::Stream) override {
    const std::int64_t rows = problem_.batch * problem_.queries * problem_.heads;
    for (std::int64_t row = 0; row < rows; ++row) sum_row(tensors, row);
  }

 private:
  /// `row` counts (image, query, head).
  void sum_row(const msda::Tensors& tensors, std::int64_t row) const {
    const std::int64_t head = row % problem_.heads;
    const std::int64_t image = row / problem_.heads / problem_.queries;
    const std::int64_t samples =
        static_cast<std::int64_t>(problem_.levels.size()) * problem_.points;
    const auto* locations = static_cast<const float*>(tensors.locations) + row * samples * 2;
    const auto* weights = static_cast<const float*>(tensors.weights) + row * samples;
    const auto* value = static_cast<const float*>(tensors.value) +
                        image * problem_.spatial_size() * problem_.heads * problem_.channels;
    auto* output = static_cast<float*>(tensors.output) + row * problem_.channels;
    for (std::int64_t c = 0; c < problem_.channels; ++c) {
      float sum = 0;
      for (std::int64_t s = 0; s < samples; ++s) {
        const auto l = static_cast<std::size_t>(s / problem_.points);
        const msda::Level level = problem_.levels[l];
        const float x = locations[2 * s] * static_cast<float>(level.width) - 0.5F;
        const float y = locations[2 * s + 1] * static_cast<float>(level.height) - 0.5F;
        const bool inside = x > -1 && y > -1 && x < static_cast<float>(level.width) &&
                            y < static_cast<float>(level.height);
        if (!inside) continue;
        const Image pixels{problem_, value, starts_[l], level};
        sum += weights[s] * bilinear(pixels, x, y, head * problem_.channels + c);
      }
      output[c] = sum;
    }
  }

  Problem problem_;
  std::vector<std::int64_t> starts_;
};

class ThirdParty : public msda::Kernel {
 public:
  ThirdParty()
      : Kernel({"third-party", "plain loops, built against an installed package", {}},
               msda::DeviceKind::kCpu) {}

  std::optional<std::string> unsupported(const Problem& problem, const msda::DeviceInfo&,
                                         const msda::Parameters&) const override {
    if (problem.types != msda::Types::all(msda::DType::kFloat32)) return "fp32 only";
    if (problem.layout != msda::ValueLayout::kPlain) return "plain layout only";
    return std::nullopt;
  }

  std::unique_ptr<msda::Executable> prepare(const Problem& problem, const msda::DeviceInfo&,
                                            const msda::Parameters&) const override {
    return std::make_unique<PlainLoops>(problem);
  }
};

}  // namespace

MSDA_PLUGIN(ThirdParty)
