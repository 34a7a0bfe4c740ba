// What the gradients of single points are judged by: those of locations and of attention weights.
// The four dots of a gradient with the corners of a cell say all of both.
#include <algorithm>
#include <cmath>

#include "operators/backward/backward.hpp"
#include "operators/backward/point.hpp"
#include "parallel.hpp"
#include "reference/on_axis.hpp"

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

/// A point that counts, or might after rounding.
struct NearPoint {
  const Plane& plane;
  const RowOfGradient& gradient;
  OnAxis x;
  OnAxis y;
  double weight;
  double largest;       ///< magnitude of a value of its image, head and level
  std::int64_t number;  ///< among all points

  bool counts() const { return x.counts && y.counts; }
  Tap tap() const {
    return {y.coordinate.pixel, x.coordinate.pixel, x.coordinate.fraction, y.coordinate.fraction};
  }
  /// Of the cell that is so many to the right and below.
  Dots dots(std::int64_t right = 0, std::int64_t below = 0) const {
    return gradient.dots(plane, y.coordinate.pixel + below, x.coordinate.pixel + right);
  }
};

/// Calls body(point, chunk) for all points that matter; those of a chunk come one after the other.
template <class Body>
void for_near_points(const Input& input, unsigned threads, const Body& body) {
  const Problem& problem = input.problem;
  const std::vector<Plane> planes = planes_of(problem);
  const std::int64_t rows = problem.queries * problem.heads;
  ImageValues values(problem, input.tensors[kValue]);
  ImageValues gradients(problem.types.output, rows * problem.channels, input.tensors[kGradOutput]);
  for (std::int64_t image = 0; image < problem.batch; ++image) {
    const float* const pixels = values.load(image, threads);
    const float* const gradient = gradients.load(image, threads);
    const std::vector<double> largest = largest_values(problem, pixels, threads);
    parallel_for(rows, kGrain, threads, [&](std::int64_t begin, std::int64_t end) {
      RowPoints points(problem, input.tensors[kLocations], input.tensors[kWeights]);
      RowOfGradient row_gradient(problem, pixels);
      for (std::int64_t row = begin; row < end; ++row) {
        const std::int64_t head = row % problem.heads;
        points.load(image * rows + row);
        row_gradient.load(gradient + row * problem.channels, head);
        for (std::int64_t p = 0; p < points.count; ++p) {
          const std::int64_t level = p / problem.points;
          const Plane& plane = planes[static_cast<std::size_t>(level)];
          const float* const location = points.locations.data() + 2 * p;
          const OnAxis x(location[0], plane.width);
          const OnAxis y(location[1], plane.height);
          if (!x.matters || !y.matters) continue;
          body(NearPoint{plane, row_gradient, x, y,
                         static_cast<double>(points.weights[static_cast<std::size_t>(p)]),
                         largest[static_cast<std::size_t>(level * problem.heads + head)],
                         (image * rows + row) * points.count + p},
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

/// What both share: `slopes[k]` is the derivative of the result with respect to the dot of corner
/// k. Errors of a corner's weight are one error of its dot, those of values are many.
void add_terms(const NearPoint& point, const Dots& dots, const std::array<double, 4>& slopes,
               double per_element, RowSensitivity& row) {
  for (std::size_t k = 0; k < slopes.size(); ++k) {
    const double slope = per_element * square(slopes[k]);
    row.terms += slope * (dots.squares[k] + square(dots.sum[k]));
    row.ranges += slope * point.gradient.squared() * square(point.largest);
    if (slopes[k] != 0) row.values += per_element * square(dots.sum[k]);
  }
}

RowSensitivity weight_sensitivity(const NearPoint& point) {
  RowSensitivity row;
  const Tap tap = point.tap();
  const Dots dots = point.dots();
  if (point.counts()) add_terms(point, dots, tap.shares(), 1, row);
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

/// Of the elements x and y of a point.
RowSensitivity location_sensitivity(const NearPoint& point) {
  RowSensitivity row;
  const auto [line, column, dx, dy] = point.tap();
  const Dots dots = point.dots();
  const double of_x = point.weight * static_cast<double>(point.plane.width);
  const double of_y = point.weight * static_cast<double>(point.plane.height);
  if (point.counts()) {
    add_terms(point, dots, {-of_x * (1 - dy), of_x * (1 - dy), -of_x * dy, of_x * dy}, 0.5, row);
    add_terms(point, dots, {-of_y * (1 - dx), -of_y * dx, of_y * (1 - dx), of_y * dx}, 0.5, row);
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

/// Adds the knot beside a point on one axis, unless it is too far away.
void add_knot(const NearPoint& point, bool along_x, std::vector<Knot>& knots) {
  const OnAxis& axis = along_x ? point.x : point.y;
  const OnAxis& other = along_x ? point.y : point.x;
  const double distance = std::abs(axis.from_knot);
  const double reach = distance == 0 ? kOnKnot : distance / axis.binade;
  const double normalized_reach = distance / axis.half_size;
  if (std::min(reach, normalized_reach) > kMostReach || !other.counts) return;
  // A point that does not count stands at the edge of the outermost cell.
  const std::int64_t next = !axis.counts ? 0 : axis.from_knot < 0 ? 1 : -1;
  const Tap tap = point.tap();
  const double result =
      along_x ? point.dots(next, 0).across(tap.dy) * static_cast<double>(point.plane.width)
              : point.dots(0, next).down(tap.dx) * static_cast<double>(point.plane.height);
  knots.push_back(
      {2 * point.number + (along_x ? 0 : 1), point.weight * result, reach, normalized_reach});
}

/// Rows that are spread evenly over the points, and how they move when all points of a level do.
class WeightShifts {
 public:
  explicit WeightShifts(const Problem& problem)
      : points_(problem.points),
        levels_(problem.level_count()),
        count_(elements(problem, kGradWeights)),
        sampled_(std::min(count_, kMostRows)) {
    const auto size = static_cast<std::size_t>(sampled_);
    for (std::size_t level = 0; level < problem.levels.size(); ++level) {
      for (const bool along_x : {true, false}) {
        directions_.push_back({level, along_x, std::vector<float>(size, 0.0F)});
      }
    }
  }

  /// Callable from several threads at a time, for different points.
  void add(const NearPoint& point) {
    const std::int64_t i = (point.number * sampled_ + count_ - 1) / count_;
    if (i >= sampled_ || number(i) != point.number || !point.counts()) return;
    const Tap tap = point.tap();
    const Dots dots = point.dots();
    const auto level = static_cast<std::size_t>(point.number / points_ % levels_);
    const auto at = static_cast<std::size_t>(i);
    if (tells_shift(tap.dx)) {
      directions_[2 * level].derivative[at] = static_cast<float>(dots.across(tap.dy));
    }
    if (tells_shift(tap.dy)) {
      directions_[2 * level + 1].derivative[at] = static_cast<float>(dots.down(tap.dx));
    }
  }

  void move_to(Truth& truth) {
    for (std::int64_t i = 0; i < sampled_; ++i) truth.sampled_rows.push_back(number(i));
    truth.shifts = std::move(directions_);
  }

 private:
  static constexpr std::int64_t kMostRows = 4096;

  std::int64_t number(std::int64_t i) const { return i * count_ / sampled_; }

  std::int64_t points_;
  std::int64_t levels_;
  std::int64_t count_;
  std::int64_t sampled_;
  std::vector<ShiftDirection> directions_;
};

}  // namespace

Truth make_weight_truth(const Input& input, std::vector<double> output, unsigned threads) {
  Truth truth(rows_of(input.problem, kTensors[kGradWeights]), std::move(output));
  truth.additions = 4 * static_cast<double>(input.problem.channels);
  truth.independent_points = count_places(input.problem.types.location, input.tensors[kLocations]);
  WeightShifts shifts(input.problem);
  for_near_points(input, threads, [&](const NearPoint& point, std::size_t) {
    RowSensitivity& row = truth.rows[static_cast<std::size_t>(point.number)];
    const double own = row.output;
    row = weight_sensitivity(point);
    row.output = own;
    shifts.add(point);
  });
  shifts.move_to(truth);
  return truth;
}

Truth make_location_truth(const Input& input, std::vector<double> output, unsigned threads) {
  Truth truth(rows_of(input.problem, kTensors[kGradLocations]), std::move(output));
  truth.additions = 4 * static_cast<double>(input.problem.channels);
  truth.independent_points = count_places(input.problem.types.location, input.tensors[kLocations]);
  std::vector<std::vector<Knot>> knots(chunks(input.problem));
  for_near_points(input, threads, [&](const NearPoint& point, std::size_t chunk) {
    RowSensitivity& row = truth.rows[static_cast<std::size_t>(point.number)];
    const double own = row.output;
    row = location_sensitivity(point);
    row.output = own;
    add_knot(point, true, knots[chunk]);
    add_knot(point, false, knots[chunk]);
  });
  for (const std::vector<Knot>& own : knots) {
    truth.knots.insert(truth.knots.end(), own.begin(), own.end());
  }
  return truth;
}

std::vector<Truth> make_truths(const Input& input, std::vector<std::vector<double>> outputs,
                               unsigned threads) {
  using Make = Truth (*)(const Input&, std::vector<double>, unsigned);
  constexpr std::pair<Tensor, Make> kMakers[] = {{kGradValue, make_value_truth},
                                                 {kGradLocations, make_location_truth},
                                                 {kGradWeights, make_weight_truth}};
  std::vector<Truth> truths;
  for (const auto& [tensor, make] : kMakers) {
    if (!is_asked(input.problem, tensor)) continue;
    truths.push_back(make(input, std::move(outputs[truths.size()]), threads));
  }
  return truths;
}

}  // namespace msda::backward
