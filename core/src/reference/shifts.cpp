#include "reference/shifts.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "input/elements.hpp"
#include "parallel.hpp"
#include "reference/image.hpp"

namespace msda {
namespace {

constexpr std::int64_t kMostRows = 1024;
/// The derivative jumps at a pixel's centre; rounding may carry a point that is as close across it.
constexpr double kMargin = 1.0 / 16;
constexpr double kLeastShift = 1.0 / 200;  ///< in pixels
constexpr double kStandardErrors = 6;

bool is_inside(double fraction) { return fraction > kMargin && fraction < 1 - kMargin; }

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
    if (is_inside(dx)) by_x[c] += static_cast<float>(weight * across);
    if (is_inside(dy)) by_y[c] += static_cast<float>(weight * down);
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
    RowPoints points(problem);
    for (std::int64_t i = offset + begin; i < offset + end; ++i) {
      const std::int64_t row = rows_[static_cast<std::size_t>(i)];
      points.load(input, row);
      for (std::int64_t p = 0; p < points.count; ++p) {
        const auto level = static_cast<std::size_t>(p / problem.points);
        add_point(problem, planes[level], values, row % problem.heads,
                  points.locations.data() + 2 * p,
                  static_cast<double>(points.weights[static_cast<std::size_t>(p)]),
                  directions_[2 * level].derivative.data() + i * problem.channels,
                  directions_[2 * level + 1].derivative.data() + i * problem.channels);
      }
    }
  });
}

namespace {

/// What a row adds to the least squares of the errors on one direction.
struct OfRow {
  double along = 0;     ///< error times derivative
  double squared = 0;   ///< derivative, squared
  double expected = 0;  ///< the mean square of `along` that rounding explains, at most
};

std::vector<OfRow> rows_along(const Problem& problem, const Bytes& output, const Truth& truth,
                              const Bounds& bounds, const ShiftDirection& direction) {
  const auto channels = static_cast<std::size_t>(problem.channels);
  std::vector<float> elements(channels);
  std::vector<OfRow> rows(truth.sampled_rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int64_t row = truth.sampled_rows[i];
    load_floats(problem.types.output, output.data(), row * problem.channels, elements);
    for (std::size_t c = 0; c < channels; ++c) {
      const auto derivative = static_cast<double>(direction.derivative[i * channels + c]);
      const double right = truth.output[static_cast<std::size_t>(row) * channels + c];
      rows[i].along += (static_cast<double>(elements[c]) - right) * derivative;
      rows[i].squared += derivative * derivative;
    }
    // The channels of a row share their points' errors: at worst they are one error.
    rows[i].expected =
        rows[i].squared * static_cast<double>(problem.channels) * bounds.mean_square(row);
  }
  return rows;
}

/// Least squares, with the standard error that the rows show (White, Econometrica 48(4), 1980), or,
/// where few are independent, the one that rounding explains.
Shift estimate(const std::vector<OfRow>& rows, double independent_points) {
  constexpr double kEnough = 100;
  const auto count = static_cast<double>(rows.size());
  const bool few = std::min(count, independent_points) < kEnough;
  Shift shift;
  double along = 0;
  double squared = 0;
  for (const OfRow& row : rows) {
    along += row.along;
    squared += row.squared;
  }
  if (!(squared > 0)) return shift;
  shift.pixels = along / squared;
  double variance = 0;
  for (const OfRow& row : rows) {
    const double residual = row.along - shift.pixels * row.squared;
    variance += few ? row.expected : residual * residual;
  }
  // Rows whose points lie at the same places have the same errors, and are as one.
  variance *= std::max(1.0, count / independent_points);
  shift.limit = kLeastShift + kStandardErrors * std::sqrt(variance) / squared;
  return shift;
}

}  // namespace

std::optional<Shift> find_shift(const Problem& problem, const Bytes& output, const Truth& truth,
                                const Bounds& bounds) {
  std::optional<Shift> worst;
  for (const ShiftDirection& direction : truth.shifts) {
    Shift shift =
        estimate(rows_along(problem, output, truth, bounds, direction), truth.independent_points);
    shift.level = direction.level;
    shift.along_x = direction.along_x;
    const double excess = std::abs(shift.pixels) / shift.limit;
    if (excess > 1 && (!worst || excess > std::abs(worst->pixels) / worst->limit)) worst = shift;
  }
  return worst;
}

}  // namespace msda
