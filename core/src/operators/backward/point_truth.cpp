// What the gradients of single points are judged by: those of locations and of attention weights.
#include <algorithm>
#include <iterator>
#include <optional>

#include "operators/backward/backward.hpp"
#include "operators/backward/near_point.hpp"
#include "parallel.hpp"
#include "reference/make_truth.hpp"

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

/// One output, of points, on its way.
struct OfPoints {
  OfPoints(const Operands& operands, Tensor tensor, std::vector<double>* output, unsigned threads)
      : is_known(output != nullptr) {
    const Problem& problem = operands.problem;
    truth.shape = rows_of(problem, kTensors[tensor]);
    if (is_known) truth.output = std::move(*output);
    make_room(truth, static_cast<std::size_t>(elements(problem, tensor)), threads);
    truth.additions = 4 * static_cast<double>(problem.channels);
    truth.independent_points = operands.places;
  }

  Truth truth;
  bool is_known;  ///< the output itself
};

void add_location(const NearPoint& point, OfPoints& to, std::vector<Knot>& knots) {
  const auto row = static_cast<std::size_t>(point.number);
  const double size[] = {static_cast<double>(point.plane.width),
                         static_cast<double>(point.plane.height)};
  if (!to.is_known && point.counts()) {
    const Dots dots = point.dots();
    to.truth.output[2 * row] = point.weight * dots.across(point.tap().dy) * size[0];
    to.truth.output[2 * row + 1] = point.weight * dots.down(point.tap().dx) * size[1];
  }
  if (!point.has_weight()) return;
  to.truth.rows[row] = pixel_sensitivity(point, size[0], size[1]);
  for (const std::int64_t axis : {0, 1}) {
    const auto knot = knot_beside(point, axis == 0);
    if (!knot) continue;
    knots.push_back({2 * point.number + axis, knot->other * size[axis],
                     knot->reach == 0 ? kOnKnot : knot->reach, knot->normalized_reach});
  }
}

void add_weight(const NearPoint& point, OfPoints& to, WeightShifts& shifts) {
  const auto row = static_cast<std::size_t>(point.number);
  if (!to.is_known && point.counts()) to.truth.output[row] = point.dots().blended(point.tap());
  if (!point.has_weight()) return;
  to.truth.rows[row] = weight_sensitivity(point);
  shifts.add(point);
}

}  // namespace

std::vector<Truth> make_point_truths(const Operands& operands,
                                     std::span<std::vector<double>> outputs, unsigned threads) {
  const auto begin = [&](Tensor tensor, std::size_t number) -> std::optional<OfPoints> {
    if (!is_asked(operands.problem, tensor)) return std::nullopt;
    return OfPoints(operands, tensor, outputs.empty() ? nullptr : &outputs[number], threads);
  };
  std::optional<OfPoints> locations = begin(kGradLocations, 0);
  std::optional<OfPoints> weights = begin(kGradWeights, locations ? 1 : 0);
  std::vector<Truth> truths;
  if (!locations && !weights) return truths;
  WeightShifts shifts(operands.problem);
  std::vector<std::vector<Knot>> knots(chunks(operands.problem));
  for_near_points(operands, threads, [&](const NearPoint& point, std::size_t chunk) {
    if (locations) add_location(point, *locations, knots[chunk]);
    if (weights) add_weight(point, *weights, shifts);
  });
  if (weights) shifts.move_to(weights->truth);
  for (std::optional<OfPoints>* const one : {&locations, &weights}) {
    if (!*one) continue;
    weigh_output((*one)->truth, threads);
    truths.push_back(std::move((*one)->truth));
  }
  if (locations) {
    std::size_t count = 0;
    for (const std::vector<Knot>& own : knots) count += own.size();
    std::vector<Knot>& all = truths.front().knots;
    reserve_by_many(all, count, threads);
    for (std::vector<Knot>& own : knots) {
      all.insert(all.end(), own.begin(), own.end());
      own = {};
    }
  }
  return truths;
}

std::vector<Truth> make_truths(const Input& input, std::vector<std::vector<double>> outputs,
                               unsigned threads) {
  const Operands operands = operands_of(input);
  std::span<std::vector<double>> rest(outputs);
  std::vector<Truth> truths;
  if (is_asked(input.problem, kGradValue)) {
    truths.push_back(make_value_truth(operands, rest.empty() ? nullptr : rest.data(), threads));
    if (!rest.empty()) rest = rest.subspan(1);
  }
  std::ranges::move(make_point_truths(operands, rest, threads), std::back_inserter(truths));
  return truths;
}

}  // namespace msda::backward
