#include <algorithm>
#include <map>

#include "operators/backward/backward.hpp"
#include "operators/backward/point.hpp"
#include "operators/backward/points.hpp"
#include "parallel.hpp"

namespace msda::backward {

std::vector<std::size_t> levels_of_points(const Problem& problem) {
  std::vector<std::size_t> levels(static_cast<std::size_t>(problem.row_points()));
  for (std::size_t p = 0; p < levels.size(); ++p) {
    levels[p] = problem.level_of(static_cast<std::int64_t>(p));
  }
  return levels;
}

Operands operands_of(const Input& input) {
  const Problem& problem = input.problem;
  const Bytes& locations = input.tensors[kLocations];
  const Bytes& weights = input.tensors[kWeights];
  const auto read = [&problem, &locations, &weights, levels = levels_of_points(problem)](
                        std::int64_t row, std::int64_t first, PointList& points) {
    const std::int64_t number = row * static_cast<std::int64_t>(levels.size()) + first;
    const auto load = [&](DType type, const Bytes& tensor, std::int64_t each) {
      points.stored.resize(static_cast<std::size_t>(each * points.count));
      load_floats(type, tensor.data(), each * number, points.stored);
    };
    load(problem.types.weight, weights, 1);
    std::ranges::copy(points.stored, points.weights.begin());
    load(problem.types.location, locations, 2);
    for (std::size_t i = 0; i < points.weights.size(); ++i) {
      const Level& level = problem.levels[levels[static_cast<std::size_t>(first) + i]];
      points.x[i] = pixels(points.stored[2 * i], level.width);
      points.y[i] = pixels(points.stored[2 * i + 1], level.height);
    }
  };
  return {.problem = problem,
          .value = input.tensors[kValue],
          .grad_output = input.tensors[kGradOutput],
          .read = read,
          .places = count_places(problem.types.location, locations)};
}

namespace {

/// The gradients of the points of one row, (b*Q + q)*H + h.
void add_row(const std::vector<std::size_t>& levels, const std::vector<Plane>& planes,
             const RowOfGradient& row, const PointList& points, std::int64_t number,
             Gradients& gradients) {
  for (std::size_t p = 0; p < levels.size(); ++p) {
    const Plane& plane = planes[levels[p]];
    const auto tap = Tap::of(plane, points.x[p], points.y[p]);
    if (!tap) continue;
    const Dots dots = row.sums(plane, tap->row, tap->column);
    const std::size_t at = static_cast<std::size_t>(number) * levels.size() + p;
    if (!gradients.weights.empty()) gradients.weights[at] = dots.blended(*tap);
    if (gradients.pixels.empty()) continue;
    gradients.pixels[2 * at] = points.weights[p] * dots.across(tap->dy);
    gradients.pixels[2 * at + 1] = points.weights[p] * dots.down(tap->dx);
  }
}

void add_points(const Operands& operands, std::int64_t image, const float* values,
                const float* of_output, unsigned threads, Gradients& gradients) {
  constexpr std::int64_t kGrain = 256;
  const Problem& problem = operands.problem;
  const std::vector<Plane> planes = planes_of(problem);
  const std::vector<std::size_t> levels = levels_of_points(problem);
  const std::int64_t rows = problem.queries * problem.heads;
  parallel_for(rows, kGrain, threads, [&](std::int64_t begin, std::int64_t end) {
    PointList points(problem.row_points());
    RowOfGradient gradient(problem, values);
    for (std::int64_t row = begin; row < end; ++row) {
      operands.read(image * rows + row, 0, points);
      gradient.load(of_output + row * problem.channels, row % problem.heads);
      add_row(levels, planes, gradient, points, image * rows + row, gradients);
    }
  });
}

/// visit(pixel, share) for the corners of a point's cell that lie in its level.
template <class Visit>
void for_each_corner(const Plane& plane, const Tap& tap, const Visit& visit) {
  const std::array<double, 4> shares = tap.shares();
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const std::int64_t row = tap.row + static_cast<std::int64_t>(k / 2);
    const std::int64_t column = tap.column + static_cast<std::int64_t>(k % 2);
    if (plane.has(row, column)) visit(plane.pixel(row, column), shares[k]);
  }
}

/// The sums of one level and head: nobody else adds to its pixels. `sums` is [S, H, C] of the
/// image.
void add_sums(const Operands& operands, std::int64_t image, std::size_t level, std::int64_t head,
              const float* of_output, double* sums) {
  const Problem& problem = operands.problem;
  const Plane plane = planes_of(problem)[level];
  PointList points(problem.points_of(level));
  for (std::int64_t query = 0; query < problem.queries; ++query) {
    operands.read((image * problem.queries + query) * problem.heads + head,
                  problem.first_point(level), points);
    const float* const gradient = of_output + (query * problem.heads + head) * problem.channels;
    for (std::size_t p = 0; p < points.weights.size(); ++p) {
      const auto tap = Tap::of(plane, points.x[p], points.y[p]);
      if (!tap) continue;
      for_each_corner(plane, *tap, [&](std::int64_t pixel, double share) {
        add_only(points.weights[p] * share, gradient, problem.channels,
                 sums + (pixel * problem.heads + head) * problem.channels);
      });
    }
  }
}

}  // namespace

Gradients compute_gradients(const Operands& operands, const Asked& asked, unsigned threads) {
  const Problem& problem = operands.problem;
  Gradients gradients;
  const auto make = [&](bool is_asked, std::int64_t count, std::vector<double>& numbers) {
    if (is_asked) numbers.resize(static_cast<std::size_t>(count));
  };
  make(asked.value, elements(problem, kGradValue), gradients.value);
  make(asked.pixels, elements(problem, kGradLocations), gradients.pixels);
  make(asked.weights, elements(problem, kGradWeights), gradients.weights);
  ImageValues values(problem, operands.value);
  ImageValues of_outputs(problem.types.output, problem.queries * problem.heads * problem.channels,
                         operands.grad_output);
  const std::int64_t image_values = problem.spatial_size() * problem.heads * problem.channels;
  for (std::int64_t image = 0; image < problem.batch; ++image) {
    const float* const of_output = of_outputs.load(image, threads);
    if (asked.pixels || asked.weights) {
      add_points(operands, image, values.load(image, threads), of_output, threads, gradients);
    }
    if (!asked.value) continue;
    parallel_for(
        problem.level_count() * problem.heads, 1, threads, [&](std::int64_t task, std::int64_t) {
          add_sums(operands, image, static_cast<std::size_t>(task / problem.heads),
                   task % problem.heads, of_output, gradients.value.data() + image * image_values);
        });
  }
  return gradients;
}

std::vector<QueryShare> shares_of_query(const Operands& operands, std::int64_t query) {
  const Problem& problem = operands.problem;
  const std::vector<Plane> planes = planes_of(problem);
  const std::int64_t first = query / problem.queries * problem.spatial_size() * problem.heads;
  PointList points(problem.row_points());
  std::vector<float> gradient(static_cast<std::size_t>(problem.channels));
  std::map<std::int64_t, std::vector<double>> rows;
  for (std::int64_t head = 0; head < problem.heads; ++head) {
    const std::int64_t row = query * problem.heads + head;
    operands.read(row, 0, points);
    load_floats(problem.types.output, operands.grad_output.data(), row * problem.channels,
                gradient);
    for (std::size_t p = 0; p < points.weights.size(); ++p) {
      const Plane& plane = planes[problem.level_of(static_cast<std::int64_t>(p))];
      const auto tap = Tap::of(plane, points.x[p], points.y[p]);
      if (!tap) continue;
      for_each_corner(plane, *tap, [&](std::int64_t pixel, double share) {
        std::vector<double>& sum = rows[first + pixel * problem.heads + head];
        sum.resize(gradient.size());
        for (std::size_t c = 0; c < sum.size(); ++c)
          sum[c] += points.weights[p] * share * gradient[c];
      });
    }
  }
  std::vector<QueryShare> shares;
  for (auto& [row, numbers] : rows) {
    shares.push_back({static_cast<std::size_t>(row), std::move(numbers)});
  }
  return shares;
}

std::vector<std::vector<double>> compute_reference(const Input& input, unsigned threads) {
  const Problem& problem = input.problem;
  const Asked asked{.value = is_asked(problem, kGradValue),
                    .pixels = is_asked(problem, kGradLocations),
                    .weights = is_asked(problem, kGradWeights)};
  Gradients gradients = compute_gradients(operands_of(input), asked, threads);
  // Of pixels to those of the image.
  for (std::size_t i = 0; i < gradients.pixels.size(); ++i) {
    const std::int64_t point = static_cast<std::int64_t>(i / 2) % problem.row_points();
    const Level& level = problem.levels[problem.level_of(point)];
    gradients.pixels[i] *= static_cast<double>(i % 2 == 0 ? level.width : level.height);
  }
  std::vector<std::vector<double>> outputs;
  if (asked.value) outputs.push_back(std::move(gradients.value));
  if (asked.pixels) outputs.push_back(std::move(gradients.pixels));
  if (asked.weights) outputs.push_back(std::move(gradients.weights));
  return outputs;
}

}  // namespace msda::backward
