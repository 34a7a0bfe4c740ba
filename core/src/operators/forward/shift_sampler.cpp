#include "operators/forward/shift_sampler.hpp"

#include <algorithm>
#include <array>

#include <msda/operators/forward.hpp>

#include "parallel.hpp"
#include "reference/on_axis.hpp"

namespace msda::forward {
namespace {

constexpr std::int64_t kMostRows = 1024;

/// The channels of the four pixels around a point; null outside the level.
std::array<const float*, 4> corners_of(const Problem& problem, const Plane& plane,
                                       const float* values, std::int64_t head, std::int64_t row,
                                       std::int64_t column) {
  std::array<const float*, 4> corners{};
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const std::int64_t r = row + static_cast<std::int64_t>(k / 2);
    const std::int64_t c = column + static_cast<std::int64_t>(k % 2);
    if (!plane.has(r, c)) continue;
    corners[k] = values + (plane.pixel(r, c) * problem.heads + head) * problem.channels;
  }
  return corners;
}

/// Adds a point's derivatives to those of its row, each of C channels.
void add_point(const Problem& problem, const Plane& plane, const float* values, std::int64_t head,
               const float* location, double weight, float* by_x, float* by_y) {
  const double x = pixels(location[0], plane.width);
  const double y = pixels(location[1], plane.height);
  if (!counts(x, plane.width) || !counts(y, plane.height)) return;
  const auto [column, dx] = Coordinate::of(x);
  const auto [row, dy] = Coordinate::of(y);
  const auto corner = corners_of(problem, plane, values, head, row, column);
  for (std::int64_t c = 0; c < problem.channels; ++c) {
    const auto v = [&](std::size_t k) {
      return corner[k] == nullptr ? 0.0 : static_cast<double>(corner[k][c]);
    };
    const double across = (1 - dy) * (v(1) - v(0)) + dy * (v(3) - v(2));
    const double down = (1 - dx) * (v(2) - v(0)) + dx * (v(3) - v(1));
    if (tells_shift(dx)) by_x[c] += static_cast<float>(weight * across);
    if (tells_shift(dy)) by_y[c] += static_cast<float>(weight * down);
  }
}

}  // namespace

ShiftSampler::ShiftSampler(const Problem& problem) {
  const std::int64_t count = problem.batch * problem.queries * problem.heads;
  const std::int64_t sampled = std::min(count, kMostRows);
  for (std::int64_t i = 0; i < sampled; ++i) rows_.push_back(i * count / sampled);
  const auto size = static_cast<std::size_t>(sampled * problem.channels);
  for (std::size_t level = 0; level < problem.levels.size(); ++level) {
    for (const bool along_x : {true, false}) {
      directions_.push_back({level, along_x, std::vector<float>(size, 0.0F)});
    }
  }
}

void ShiftSampler::add_image(const Input& input, std::int64_t image, const float* values,
                             unsigned threads) {
  const Problem& problem = input.problem;
  const std::vector<Plane> planes = planes_of(problem);
  const std::int64_t of_image = problem.queries * problem.heads;
  const auto first = std::lower_bound(rows_.begin(), rows_.end(), image * of_image);
  const auto last = std::lower_bound(rows_.begin(), rows_.end(), (image + 1) * of_image);
  const std::int64_t offset = first - rows_.begin();
  parallel_for(last - first, 16, threads, [&](std::int64_t begin, std::int64_t end) {
    RowPoints points(problem, input.tensors[kLocations], input.tensors[kWeights]);
    for (std::int64_t i = offset + begin; i < offset + end; ++i) {
      const std::int64_t row = rows_[static_cast<std::size_t>(i)];
      points.load(row);
      for (std::int64_t p = 0; p < points.count; ++p) {
        const std::size_t level = problem.level_of(p);
        add_point(problem, planes[level], values, row % problem.heads,
                  points.locations.data() + 2 * p,
                  static_cast<double>(points.weights[static_cast<std::size_t>(p)]),
                  directions_[2 * level].derivative.data() + i * problem.channels,
                  directions_[2 * level + 1].derivative.data() + i * problem.channels);
      }
    }
  });
}

}  // namespace msda::forward
