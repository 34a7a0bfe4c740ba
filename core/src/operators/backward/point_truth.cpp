// What the gradients of single points are judged by: those of locations and of attention weights.
#include <algorithm>

#include "operators/backward/backward.hpp"
#include "operators/backward/near_point.hpp"

namespace msda::backward {
namespace {

/// Rows that are spread evenly over the points, and how they move when all points of a level do.
class WeightShifts {
 public:
  explicit WeightShifts(const Problem& problem)
      : problem_(problem),
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
    const std::size_t level = problem_.level_of(point.number % problem_.row_points());
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

  const Problem& problem_;
  std::int64_t count_;
  std::int64_t sampled_;
  std::vector<ShiftDirection> directions_;
};

}  // namespace

Truth make_weight_truth(const Operands& operands, std::vector<double> output, unsigned threads) {
  const Problem& problem = operands.problem;
  Truth truth(rows_of(problem, kTensors[kGradWeights]), std::move(output));
  truth.additions = 4 * static_cast<double>(problem.channels);
  truth.independent_points = operands.places;
  WeightShifts shifts(problem);
  for_near_points(operands, threads, [&](const NearPoint& point, std::size_t) {
    RowSensitivity& row = truth.rows[static_cast<std::size_t>(point.number)];
    const double own = row.output;
    row = weight_sensitivity(point);
    row.output = own;
    shifts.add(point);
  });
  shifts.move_to(truth);
  return truth;
}

Truth make_location_truth(const Operands& operands, std::vector<double> output, unsigned threads) {
  const Problem& problem = operands.problem;
  Truth truth(rows_of(problem, kTensors[kGradLocations]), std::move(output));
  truth.additions = 4 * static_cast<double>(problem.channels);
  truth.independent_points = operands.places;
  std::vector<std::vector<Knot>> knots(chunks(problem));
  for_near_points(operands, threads, [&](const NearPoint& point, std::size_t chunk) {
    RowSensitivity& row = truth.rows[static_cast<std::size_t>(point.number)];
    const double own = row.output;
    const double size[] = {static_cast<double>(point.plane.width),
                           static_cast<double>(point.plane.height)};
    row = pixel_sensitivity(point, size[0], size[1]);
    row.output = own;
    for (const std::int64_t axis : {0, 1}) {
      const auto knot = knot_beside(point, axis == 0);
      if (!knot) continue;
      knots[chunk].push_back({2 * point.number + axis, knot->other * size[axis],
                              knot->reach == 0 ? kOnKnot : knot->reach, knot->normalized_reach});
    }
  });
  for (const std::vector<Knot>& own : knots) {
    truth.knots.insert(truth.knots.end(), own.begin(), own.end());
  }
  return truth;
}

std::vector<Truth> make_truths(const Input& input, std::vector<std::vector<double>> outputs,
                               unsigned threads) {
  using Make = Truth (*)(const Operands&, std::vector<double>, unsigned);
  constexpr std::pair<Tensor, Make> kMakers[] = {{kGradValue, make_value_truth},
                                                 {kGradLocations, make_location_truth},
                                                 {kGradWeights, make_weight_truth}};
  const Operands operands = operands_of(input);
  std::vector<Truth> truths;
  for (const auto& [tensor, make] : kMakers) {
    if (!is_asked(input.problem, tensor)) continue;
    truths.push_back(make(operands, std::move(outputs[truths.size()]), threads));
  }
  return truths;
}

}  // namespace msda::backward
