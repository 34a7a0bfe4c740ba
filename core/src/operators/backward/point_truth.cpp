// What the gradients of single points are judged by: those of locations and of attention weights.
#include <algorithm>
#include <optional>

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
    const auto at = static_cast<std::size_t>(i);
    if (tells_shift(tap.dx)) {
      directions_[2 * point.level].derivative[at] = static_cast<float>(dots.across(tap.dy));
    }
    if (tells_shift(tap.dy)) {
      directions_[2 * point.level + 1].derivative[at] = static_cast<float>(dots.down(tap.dx));
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

/// Of a whole row, but for the mean square of the output itself.
void set_row(const RowSensitivity& found, RowSensitivity& row) {
  const double own = row.output;
  row = found;
  row.output = own;
}

Truth begin_truth(const Operands& operands, Tensor tensor, std::vector<double> output) {
  const Problem& problem = operands.problem;
  Truth truth(rows_of(problem, kTensors[tensor]), std::move(output));
  truth.additions = 4 * static_cast<double>(problem.channels);
  truth.independent_points = operands.places;
  return truth;
}

void add_location(const NearPoint& point, Truth& truth, std::vector<Knot>& knots) {
  const double size[] = {static_cast<double>(point.plane.width),
                         static_cast<double>(point.plane.height)};
  set_row(pixel_sensitivity(point, size[0], size[1]),
          truth.rows[static_cast<std::size_t>(point.number)]);
  for (const std::int64_t axis : {0, 1}) {
    const auto knot = knot_beside(point, axis == 0);
    if (!knot) continue;
    knots.push_back({2 * point.number + axis, knot->other * size[axis],
                     knot->reach == 0 ? kOnKnot : knot->reach, knot->normalized_reach});
  }
}

}  // namespace

void make_point_truths(const Operands& operands, std::vector<double>* locations,
                       std::vector<double>* weights, unsigned threads, std::vector<Truth>& truths) {
  std::optional<Truth> of_locations;
  std::optional<Truth> of_weights;
  if (locations != nullptr) {
    of_locations = begin_truth(operands, kGradLocations, std::move(*locations));
  }
  if (weights != nullptr) of_weights = begin_truth(operands, kGradWeights, std::move(*weights));
  if (!of_locations && !of_weights) return;
  WeightShifts shifts(operands.problem);
  std::vector<std::vector<Knot>> knots(chunks(operands.problem));
  for_near_points(operands, threads, [&](const NearPoint& point, std::size_t chunk) {
    if (of_locations) add_location(point, *of_locations, knots[chunk]);
    if (!of_weights) return;
    set_row(weight_sensitivity(point), of_weights->rows[static_cast<std::size_t>(point.number)]);
    shifts.add(point);
  });
  if (of_locations) {
    for (const std::vector<Knot>& own : knots) {
      of_locations->knots.insert(of_locations->knots.end(), own.begin(), own.end());
    }
    truths.push_back(*std::move(of_locations));
  }
  if (of_weights) {
    shifts.move_to(*of_weights);
    truths.push_back(*std::move(of_weights));
  }
}

std::vector<Truth> make_truths(const Input& input, std::vector<std::vector<double>> outputs,
                               unsigned threads) {
  const Operands operands = operands_of(input);
  std::vector<double>* of[3] = {};
  std::size_t next = 0;
  for (std::size_t i = 0; const Tensor tensor : {kGradValue, kGradLocations, kGradWeights}) {
    if (is_asked(input.problem, tensor)) of[i] = &outputs.at(next++);
    ++i;
  }
  std::vector<Truth> truths;
  if (of[0] != nullptr) truths.push_back(make_value_truth(operands, std::move(*of[0]), threads));
  make_point_truths(operands, of[1], of[2], threads, truths);
  return truths;
}

}  // namespace msda::backward
