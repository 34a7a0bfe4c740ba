#include "operators/backward/backward.hpp"
#include "operators/backward/point.hpp"
#include "parallel.hpp"

namespace msda::backward {

PointsOfLevel::PointsOfLevel(const Input& input, std::int64_t image, std::size_t level,
                             std::int64_t head)
    : locations(static_cast<std::size_t>(2 * input.problem.points)),
      weights(static_cast<std::size_t>(input.problem.points)),
      input_(input) {
  const Problem& p = input.problem;
  const std::int64_t of_row = p.level_count() * p.points;
  stride_ = p.heads * of_row;
  first_ =
      image * p.queries * stride_ + head * of_row + static_cast<std::int64_t>(level) * p.points;
}

void PointsOfLevel::load(std::int64_t query) {
  const std::int64_t point = first_ + query * stride_;
  const Types& types = input_.problem.types;
  load_floats(types.location, input_.tensors[kLocations].data(), 2 * point, locations);
  load_floats(types.weight, input_.tensors[kWeights].data(), point, weights);
}

namespace {

using Numbers = std::vector<double>;

/// The outputs on their way; those that nobody asks for stay empty.
struct Outputs {
  Numbers value;
  Numbers locations;
  Numbers weights;

  explicit Outputs(const Problem& problem) {
    const auto make = [&](Tensor tensor, Numbers& numbers) {
      if (is_asked(problem, tensor)) {
        numbers.resize(static_cast<std::size_t>(elements(problem, tensor)));
      }
    };
    make(kGradValue, value);
    make(kGradLocations, locations);
    make(kGradWeights, weights);
  }
  bool of_points() const { return !locations.empty() || !weights.empty(); }
};

/// The gradients of the points of one row, (b*Q + q)*H + h.
void add_row(const Problem& problem, const std::vector<Plane>& planes, const RowOfGradient& row,
             const RowPoints& points, std::int64_t number, Outputs& outputs) {
  for (std::int64_t i = 0; i < points.count; ++i) {
    const Plane& plane = planes[static_cast<std::size_t>(i / problem.points)];
    const float* const location = points.locations.data() + 2 * i;
    const auto tap = Tap::of(plane, location[0], location[1]);
    if (!tap) continue;
    const Dots dots = row.dots(plane, tap->row, tap->column);
    const auto at = static_cast<std::size_t>(number * points.count + i);
    if (!outputs.weights.empty()) outputs.weights[at] = dots.blended(*tap);
    if (outputs.locations.empty()) continue;
    const auto weight = static_cast<double>(points.weights[static_cast<std::size_t>(i)]);
    outputs.locations[2 * at] = weight * static_cast<double>(plane.width) * dots.across(tap->dy);
    outputs.locations[2 * at + 1] = weight * static_cast<double>(plane.height) * dots.down(tap->dx);
  }
}

void add_points(const Input& input, std::int64_t image, const float* values, const float* gradients,
                unsigned threads, Outputs& outputs) {
  constexpr std::int64_t kGrain = 256;
  const Problem& problem = input.problem;
  const std::vector<Plane> planes = planes_of(problem);
  const std::int64_t rows = problem.queries * problem.heads;
  parallel_for(rows, kGrain, threads, [&](std::int64_t begin, std::int64_t end) {
    RowPoints points(problem, input.tensors[kLocations], input.tensors[kWeights]);
    RowOfGradient gradient(problem, values);
    for (std::int64_t row = begin; row < end; ++row) {
      points.load(image * rows + row);
      gradient.load(gradients + row * problem.channels, row % problem.heads);
      add_row(problem, planes, gradient, points, image * rows + row, outputs);
    }
  });
}

/// The sums of one level and head: nobody else adds to its pixels. `sums` is [S, H, C] of the
/// image.
void add_sums(const Input& input, std::int64_t image, std::size_t level, std::int64_t head,
              const float* gradients, double* sums) {
  const Problem& problem = input.problem;
  const Plane plane = planes_of(problem)[level];
  PointsOfLevel points(input, image, level, head);
  for (std::int64_t query = 0; query < problem.queries; ++query) {
    points.load(query);
    const Eigen::Map<const Eigen::ArrayXf> gradient(
        gradients + (query * problem.heads + head) * problem.channels, problem.channels);
    for (std::size_t p = 0; p < points.weights.size(); ++p) {
      const auto tap = Tap::of(plane, points.locations[2 * p], points.locations[2 * p + 1]);
      if (!tap) continue;
      const std::array<double, 4> shares = tap->shares();
      for (std::size_t k = 0; k < shares.size(); ++k) {
        const std::int64_t row = tap->row + static_cast<std::int64_t>(k / 2);
        const std::int64_t column = tap->column + static_cast<std::int64_t>(k % 2);
        if (!plane.has(row, column)) continue;
        Eigen::Map<Eigen::ArrayXd> sum(
            sums + (plane.pixel(row, column) * problem.heads + head) * problem.channels,
            problem.channels);
        sum += static_cast<double>(points.weights[p]) * shares[k] * gradient.cast<double>();
      }
    }
  }
}

}  // namespace

std::vector<std::vector<double>> compute_reference(const Input& input, unsigned threads) {
  const Problem& problem = input.problem;
  Outputs outputs(problem);
  ImageValues values(problem, input.tensors[kValue]);
  ImageValues gradients(problem.types.output, problem.queries * problem.heads * problem.channels,
                        input.tensors[kGradOutput]);
  const std::int64_t image_values = problem.spatial_size() * problem.heads * problem.channels;
  for (std::int64_t image = 0; image < problem.batch; ++image) {
    const float* const gradient = gradients.load(image, threads);
    if (outputs.of_points()) {
      add_points(input, image, values.load(image, threads), gradient, threads, outputs);
    }
    if (outputs.value.empty()) continue;
    parallel_for(
        problem.level_count() * problem.heads, 1, threads, [&](std::int64_t task, std::int64_t) {
          add_sums(input, image, static_cast<std::size_t>(task / problem.heads),
                   task % problem.heads, gradient, outputs.value.data() + image * image_values);
        });
  }
  std::vector<Numbers> asked;
  for (const auto& [tensor, numbers] : {std::pair{kGradValue, &outputs.value},
                                        {kGradLocations, &outputs.locations},
                                        {kGradWeights, &outputs.weights}}) {
    if (is_asked(problem, tensor)) asked.push_back(std::move(*numbers));
  }
  return asked;
}

}  // namespace msda::backward
