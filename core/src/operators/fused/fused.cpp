#include "operators/fused/fused.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "input/elements.hpp"
#include "operators/forward/forward.hpp"
#include "operators/forward/sampler.hpp"
#include "operators/linear.hpp"
#include "operators/operator.hpp"
#include "parallel.hpp"
#include "reference/corner_count.hpp"

namespace msda::embedded::fused {
extern const EmbeddedSource kSources[];
}

namespace msda::fused {
namespace {

/// A product, a sum and the size's inverse of a coordinate more than `forward` rounds; of a weight
/// the exponent, the power, the sum and its inverse.
constexpr Arithmetic kArithmetic{.coordinates = {kFp32, 12}, .weights = {kPower, 24}};

constexpr std::int64_t kCorners = 4;
constexpr std::int64_t kFlopsPerPoint = 16;

/// Calls each(image, row of the image, its points) for all rows.
template <class Each>
void for_each_row(const Input& input, unsigned threads, const Each& each) {
  const Problem& problem = input.problem;
  const std::int64_t rows = problem.queries * problem.heads;
  for (std::int64_t image = 0; image < problem.batch; ++image) {
    parallel_for(rows, kRowGrain, threads, [&](std::int64_t begin, std::int64_t end) {
      RowPoints points(input);
      for (std::int64_t row = begin; row < end; ++row) {
        points.load(image * rows + row);
        each(image, row, points);
      }
    });
  }
}

std::vector<double> compute_reference(const Input& input, unsigned threads) {
  if (input.problem.padding) return compute_reference(without_padding(input), threads);
  const Problem& problem = input.problem;
  const std::vector<Plane> planes = planes_of(problem);
  std::vector<double> output(static_cast<std::size_t>(elements(problem, kOutput)));
  ImageValues values(problem, input.tensors[kValue]);
  const std::int64_t rows = problem.queries * problem.heads;
  for (std::int64_t image = 0; image < problem.batch; ++image) {
    const forward::Sampler sampler(problem, values.load(image, threads));
    parallel_for(rows, kRowGrain, threads, [&](std::int64_t begin, std::int64_t end) {
      RowPoints points(input);
      for (std::int64_t row = image * rows + begin; row < image * rows + end; ++row) {
        points.load(row);
        if (std::isnan(points.weights.front())) {
          // Nothing times NaN is NaN, wherever the points are.
          std::fill_n(output.begin() + row * problem.channels, problem.channels,
                      points.weights.front());
          continue;
        }
        for (std::size_t i = 0; i < points.x.size(); ++i) {
          sampler.add_point(planes[problem.level_of(static_cast<std::int64_t>(i))],
                            row % problem.heads, points.x[i], points.y[i], points.weights[i],
                            output.data() + row * problem.channels);
        }
      }
    });
  }
  return output;
}

/// The input of `forward` with the same output, its points rounded to fp32, and what is rounded on
/// the way to these.
std::pair<Input, forward::MadeOf> as_forward(const Input& input, unsigned threads) {
  if (input.problem.padding) return as_forward(without_padding(input), threads);
  Problem problem = input.problem;
  problem.types.location = problem.types.weight = DType::kFloat32;
  Input forward(problem, forward::kTensors);
  forward.tensors[forward::kValue] = input.tensors[kValue];
  Bytes& locations = forward.tensors[forward::kLocations];
  Bytes& weights = forward.tensors[forward::kWeights];
  locations.resize(static_cast<std::size_t>(bytes_of(problem, forward::kLocations)));
  weights.resize(static_cast<std::size_t>(bytes_of(problem, forward::kWeights)));
  forward::MadeOf made_of{Bytes(locations.size()), Bytes(weights.size())};
  const std::int64_t rows = problem.queries * problem.heads;
  for_each_row(input, threads, [&](std::int64_t image, std::int64_t row, const RowPoints& points) {
    const std::size_t count = points.x.size();
    std::vector<float> at(2 * count);
    std::vector<float> of(count);
    std::vector<float> errors(count);
    const double largest = *std::ranges::max_element(points.weights);
    for (std::size_t i = 0; i < count; ++i) {
      // What is no number has no bound either.
      if (!std::isnan(points.weights[i])) of[i] = static_cast<float>(points.weights[i]);
      errors[i] =
          static_cast<float>(weight_error(largest, points.weights[i], kArithmetic.weights.times));
      const Level& level = problem.levels[problem.level_of(static_cast<std::int64_t>(i))];
      at[2 * i] = static_cast<float>((points.x[i] + 0.5) / static_cast<double>(level.width));
      at[2 * i + 1] = static_cast<float>((points.y[i] + 0.5) / static_cast<double>(level.height));
    }
    const std::int64_t first = (image * rows + row) * static_cast<std::int64_t>(count);
    store_floats(DType::kFloat32, at, locations.data(), 2 * first);
    store_floats(DType::kFloat32, of, weights.data(), first);
    store_floats(DType::kFloat32, points.largest, made_of.largest.data(), 2 * first);
    store_floats(DType::kFloat32, errors, made_of.weight_errors.data(), first);
  });
  return {std::move(forward), std::move(made_of)};
}

/// The parts of a box that points move by where they have scales of their own: a function, since
/// device code has no arrays that are members.
std::string point_scales_text(const Problem& problem) {
  if (problem.references.point_scales.empty()) return "";
  std::vector<std::string> parts;
  for (std::int64_t point = 0; point < problem.row_points(); ++point) {
    parts.push_back(fmt::format("{:a}F", static_cast<float>(part_of_box(problem, point))));
  }
  return fmt::format(
      "  static constexpr float scale_of(int point) {{\n"
      "    constexpr float parts[] = {{{}}};\n    return parts[point];\n  }}\n",
      fmt::join(parts, ", "));
}

class Fused final : public Operator, public LinearInValues {
 public:
  std::string_view name() const override { return "fused"; }
  std::string_view summary() const override {
    return "multi-scale deformable attention from reference points, offsets and logits";
  }
  std::span<const TensorSpec> tensors() const override { return kTensors; }
  std::string_view flops_text() const override { return "16 per point and output element"; }

  const EmbeddedSource* sources() const override { return embedded::fused::kSources; }
  std::optional<BorrowedSkeletons> borrows() const override {
    return BorrowedSkeletons{.op = "forward",
                             .slot = "points",
                             .header = "fused/points.cuh",
                             .type = "msda::fused::Points",
                             .arguments = "msda::fused::ArgumentsOf<{}>",
                             .arithmetic = kArithmetic};
  }
  std::string policy_parameters(const Problem& problem) const override {
    const References& references = problem.references;
    return fmt::format(
        "  using Element = {};\n  static constexpr int coordinates = {};\n"
        "  static constexpr int anchors = {};\n  static constexpr float scale = {:a}F;\n"
        "  static constexpr bool padding = {};\n{}",
        traits_of(problem.types.reference).device_type, references.coordinates, references.anchors,
        static_cast<float>(references.scale), problem.padding, point_scales_text(problem));
  }

  Traffic traffic(const Problem& problem) const override {
    const auto of = [&](Tensor tensor) { return bytes_of(problem, tensor); };
    const std::int64_t point_channels = elements(problem, kLogits) * problem.channels;
    Traffic traffic;
    traffic.least_read = of(kReferences) + of(kOffsets) + of(kLogits);
    traffic.read = of(kValue) + traffic.least_read + of(kPaddingMask);
    traffic.written = traffic.least_written = of(kOutput);
    traffic.gathered =
        point_channels * kCorners * static_cast<std::int64_t>(size_of(problem.types.value));
    traffic.flops = point_channels * kFlopsPerPoint;
    return traffic;
  }

  Traffic least_traffic(const Input& input) const override {
    const Input points = as_forward(input, 0).first;
    Traffic least = Operator::least_traffic(input);
    take_corners(count_corners(points.problem, points.tensors[forward::kLocations],
                               &points.tensors[forward::kWeights],
                               input.problem.padding ? &input.tensors[kPaddingMask] : nullptr),
                 input.problem, least);
    return least;
  }

  Input generate(const Problem& problem, const Generation& generation,
                 unsigned threads) const override {
    return generate_input(problem, generation, threads);
  }

  std::size_t values() const override { return kValue; }
  bool follows_values(std::size_t output) const override { return output == kOutput; }

  std::vector<std::vector<double>> reference(const Input& input, unsigned threads) const override {
    return {compute_reference(input, threads)};
  }

  std::vector<Truth> judge_by(const Input& input, std::vector<std::vector<double>> outputs,
                              unsigned threads) const override {
    const auto [forward, made_of] = as_forward(input, threads);
    std::vector<Truth> truths;
    truths.push_back(forward::make_truth(forward, std::move(outputs.front()), threads, &made_of));
    return truths;
  }
};

}  // namespace
}  // namespace msda::fused

namespace msda {

const Operator& fused_operator() {
  static const fused::Fused kFused;
  return kFused;
}

}  // namespace msda
