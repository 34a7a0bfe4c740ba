#include "operators/backward/near_point.hpp"

#include <algorithm>
#include <cmath>

#include "parallel.hpp"

namespace msda::backward {
namespace {

/// Knots further away than this are none of any arithmetic that leaves gradients of locations.
constexpr double kMostReach = 0x1p-8;
constexpr std::int64_t kGrain = 256;

double square(double x) { return x * x; }

/// [L, H] of an image: the largest magnitude of a value.
std::vector<double> largest_values(const Problem& problem, const float* values, unsigned threads) {
  const std::vector<Plane> planes = planes_of(problem);
  std::vector<double> largest(planes.size() * static_cast<std::size_t>(problem.heads));
  parallel_for(problem.level_count() * problem.heads, 1, threads,
               [&](std::int64_t task, std::int64_t) {
                 const Plane& plane = planes[static_cast<std::size_t>(task / problem.heads)];
                 float most = 0;
                 for (std::int64_t i = 0; i < plane.height * plane.width; ++i) {
                   const std::int64_t pixel = plane.pixel(i / plane.width, i % plane.width);
                   const float* const channels =
                       values + (pixel * problem.heads + task % problem.heads) * problem.channels;
                   for (std::int64_t c = 0; c < problem.channels; ++c) {
                     most = std::max(most, std::abs(channels[c]));
                   }
                 }
                 largest[static_cast<std::size_t>(task)] = static_cast<double>(most);
               });
  return largest;
}

/// What both share: `slopes[k]` is the derivative of the result with respect to the dot of corner
/// k. Errors of a corner's weight are one error of its dot, those of values are many.
void add_terms(const NearPoint& point, const Dots& dots, const std::array<double, 4>& slopes,
               double per_element, double weight_error, RowSensitivity& row) {
  for (std::size_t k = 0; k < slopes.size(); ++k) {
    const double slope = per_element * square(slopes[k]);
    row.terms += slope * (dots.squares[k] + square(dots.sum[k])) * weight_error;
    row.scale += slope / static_cast<double>(slopes.size());
    row.ranges += slope * point.gradient.squared() * square(point.largest);
    if (slopes[k] != 0) row.values += per_element * square(dots.sum[k]);
  }
}

}  // namespace

Dots DotsAround::of_cell(std::int64_t right, std::int64_t below) {
  const auto first = static_cast<std::size_t>((below + 1) * std::int64_t{kWide} + right + 1);
  const std::array<std::size_t, 4> cell = {first, first + 1, first + kWide, first + kWide + 1};
  std::array<const float*, 4> missing{};
  std::uint32_t asked = 0;
  for (std::size_t k = 0; k < cell.size(); ++k) {
    const std::uint32_t bit = 1U << cell[k];
    if ((known_ & bit) != 0) continue;
    asked |= bit;
    missing[k] = gradient_.pixel(plane_, row_ + below + static_cast<std::int64_t>(k / 2),
                                 column_ + right + static_cast<std::int64_t>(k % 2));
  }
  if (asked != 0) {
    const PixelDots found = gradient_.dots(missing);
    for (std::size_t k = 0; k < cell.size(); ++k) {
      if ((asked & 1U << cell[k]) == 0) continue;
      sums_[cell[k]] = found.sum[k];
      squares_[cell[k]] = found.squares[k];
    }
    known_ |= asked;
  }
  Dots dots;
  for (std::size_t k = 0; k < cell.size(); ++k) {
    dots.sum[k] = sums_[cell[k]];
    dots.squares[k] = squares_[cell[k]];
  }
  return dots;
}

void for_near_points(const Operands& operands, unsigned threads,
                     const std::function<void(const NearPoint&, std::size_t chunk)>& body) {
  const Problem& problem = operands.problem;
  const std::vector<Plane> planes = planes_of(problem);
  const std::vector<std::size_t> levels = levels_of_points(problem);
  const std::int64_t rows = problem.queries * problem.heads;
  const auto heads = static_cast<std::size_t>(problem.heads);
  ImageValues values(problem, operands.value);
  ImageValues gradients(problem.types.output, rows * problem.channels, operands.grad_output);
  for (std::int64_t image = 0; image < problem.batch; ++image) {
    const float* const pixels = values.load(image, threads);
    const float* const gradient = gradients.load(image, threads);
    const std::vector<double> largest = largest_values(problem, pixels, threads);
    parallel_for(rows, kGrain, threads, [&](std::int64_t begin, std::int64_t end) {
      PointList points(problem.row_points());
      RowOfGradient row_gradient(problem, pixels);
      std::vector<std::pair<OnAxis, OnAxis>> axes;
      for (std::int64_t row = begin; row < end; ++row) {
        const std::int64_t head = row % problem.heads;
        operands.read(image * rows + row, 0, points);
        row_gradient.load(gradient + row * problem.channels, head);
        // All first, so that the pixels of the later ones are on their way meanwhile.
        axes.clear();
        for (std::size_t p = 0; p < levels.size(); ++p) {
          const Plane& plane = planes[levels[p]];
          const OnAxis x = OnAxis::at_pixel(points.x[p], plane.width, points.largest[2 * p]);
          const OnAxis y = OnAxis::at_pixel(points.y[p], plane.height, points.largest[2 * p + 1]);
          axes.emplace_back(x, y);
          if (x.matters && y.matters) {
            row_gradient.fetch(plane, y.coordinate.pixel, x.coordinate.pixel);
          }
        }
        for (std::size_t p = 0; p < levels.size(); ++p) {
          const auto& [x, y] = axes[p];
          if (!x.matters || !y.matters) continue;
          const std::size_t level = levels[p];
          DotsAround around(row_gradient, planes[level], y.coordinate.pixel, x.coordinate.pixel);
          body(NearPoint{planes[level], row_gradient, around, x, y, points.weights[p],
                         points.weight_errors[p],
                         largest[level * heads + static_cast<std::size_t>(head)],
                         (image * rows + row) * points.count + static_cast<std::int64_t>(p), level},
               static_cast<std::size_t>(image * ((rows + kGrain - 1) / kGrain) + begin / kGrain));
        }
      }
    });
  }
}

std::size_t chunks(const Problem& problem) {
  const std::int64_t rows = problem.queries * problem.heads;
  return static_cast<std::size_t>(problem.batch * ((rows + kGrain - 1) / kGrain));
}

RowSensitivity weight_sensitivity(const NearPoint& point) {
  RowSensitivity row;
  const Tap tap = point.tap();
  const Dots dots = point.dots();
  if (point.counts()) add_terms(point, dots, tap.shares(), 1, 1, row);
  double across = square(dots.across(tap.dy));
  double down = square(dots.down(tap.dx));
  if (const std::int64_t next = point.x.neighbour(); next != 0) {
    across = std::max(across, square(point.dots(next, 0).across(tap.dy)));
  }
  if (const std::int64_t next = point.y.neighbour(); next != 0) {
    down = std::max(down, square(point.dots(0, next).down(tap.dx)));
  }
  row.fractions = across + down;
  row.coordinates = across * square(point.x.binade) + down * square(point.y.binade);
  row.normalized = across * square(point.x.half_size) + down * square(point.y.half_size);
  return row;
}

RowSensitivity pixel_sensitivity(const NearPoint& point, double factor_x, double factor_y) {
  RowSensitivity row;
  const auto [line, column, dx, dy] = point.tap();
  const Dots dots = point.dots();
  const double of_x = point.weight * factor_x;
  const double of_y = point.weight * factor_y;
  if (point.counts()) {
    add_terms(point, dots, {-of_x * (1 - dy), of_x * (1 - dy), -of_x * dy, of_x * dy}, 0.5,
              point.weight_error, row);
    add_terms(point, dots, {-of_y * (1 - dx), -of_y * dx, of_y * (1 - dx), of_y * dx}, 0.5,
              point.weight_error, row);
  }
  double twist = square(dots.twist());
  const std::int64_t right = point.x.neighbour();
  const std::int64_t below = point.y.neighbour();
  if (right != 0) twist = std::max(twist, square(point.dots(right, 0).twist()));
  if (below != 0) twist = std::max(twist, square(point.dots(0, below).twist()));
  if (right != 0 && below != 0) {
    twist = std::max(twist, square(point.dots(right, below).twist()));
  }
  row.fractions = twist * (square(of_x) + square(of_y)) / 2;
  row.coordinates = twist * (square(of_x * point.y.binade) + square(of_y * point.x.binade)) / 2;
  row.normalized =
      twist * (square(of_x * point.y.half_size) + square(of_y * point.x.half_size)) / 2;
  return row;
}

std::optional<KnotBeside> knot_beside(const NearPoint& point, bool along_x) {
  const OnAxis& axis = along_x ? point.x : point.y;
  const OnAxis& other = along_x ? point.y : point.x;
  const double distance = std::abs(axis.from_knot);
  const double reach = distance / axis.binade;
  const double normalized_reach = distance / axis.half_size;
  if (std::min(reach, normalized_reach) > kMostReach || !other.counts) return std::nullopt;
  // A point that does not count stands at the edge of the outermost cell.
  const std::int64_t next = !axis.counts ? 0 : axis.from_knot < 0 ? 1 : -1;
  const Tap tap = point.tap();
  const auto gradient = [&](std::int64_t moved) {
    return point.weight *
           (along_x ? point.dots(moved, 0).across(tap.dy) : point.dots(0, moved).down(tap.dx));
  };
  return KnotBeside{axis.counts ? gradient(0) : 0, gradient(next), reach, normalized_reach};
}

}  // namespace msda::backward
