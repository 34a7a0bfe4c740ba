// What the outputs are judged by: what rounding does to the gradients of points (near_point.hpp),
// and how far that moves the outputs that are chained to them.
#include <algorithm>
#include <cmath>
#include <optional>

#include "operators/backward/backward.hpp"
#include "operators/backward/near_point.hpp"
#include "operators/fused_backward/fused_backward.hpp"
#include "parallel.hpp"

namespace msda::fused_backward {
namespace {

using backward::NearPoint;
using backward::Operands;

double square(double x) { return x * x; }

/// What rounding does to one row, as a part of another.
void add(const RowSensitivity& part, double factor, RowSensitivity& row) {
  row.terms += factor * part.terms;
  row.values += factor * part.values;
  row.ranges += factor * part.ranges;
  row.fractions += factor * part.fractions;
  row.coordinates += factor * part.coordinates;
  row.normalized += factor * part.normalized;
  row.scale += factor * part.scale;
}

/// The row that a thread is at in its chunk of points.
template <class Row, class Source>
class RowsOfChunks {
 public:
  RowsOfChunks(const Problem& problem, const Source& source)
      : rows_(backward::chunks(problem)), source_(source), of_row_(problem.row_points()) {}

  const Row& at(const NearPoint& point, std::size_t chunk) {
    auto& [number, row] = rows_[chunk];
    if (!row) row.emplace(source_);
    if (number != point.number / of_row_) {
      number = point.number / of_row_;
      row->load(number);
    }
    return *row;
  }

 private:
  struct Own {
    std::int64_t number = -1;
    std::optional<Row> row;
  };
  std::vector<Own> rows_;
  const Source& source_;
  std::int64_t of_row_;
};

Truth make_offset_truth(const Input& input, const Operands& operands, std::vector<double> output,
                        unsigned threads) {
  const Problem& problem = input.problem;
  Truth truth(rows_of(problem, kTensors[kGradOffsets]), std::move(output));
  truth.additions = 4 * static_cast<double>(problem.channels);
  truth.independent_points = operands.places;
  const std::int64_t of_row = problem.row_points();
  std::vector<std::vector<Knot>> knots(backward::chunks(problem));
  RowsOfChunks<RowChain, Input> chains(problem, input);
  for_near_points(operands, threads, [&](const NearPoint& point, std::size_t chunk) {
    if (!point.has_weight()) return;
    const RowChain::Factors factors = chains.at(point, chunk).of(point.number % of_row);
    add(pixel_sensitivity(point, factors.offset[0], factors.offset[1]), 1,
        truth.rows[static_cast<std::size_t>(point.number)]);
    for (const std::size_t axis : {0, 1}) {
      const auto knot = knot_beside(point, axis == 0);
      if (!knot) continue;
      knots[chunk].push_back({2 * point.number + static_cast<std::int64_t>(axis),
                              chained(knot->other, factors.offset[axis]), knot->reach,
                              knot->normalized_reach});
    }
  });
  for (const std::vector<Knot>& own : knots) {
    truth.knots.insert(truth.knots.end(), own.begin(), own.end());
  }
  return truth;
}

/// The sum of the squares of a row's weights.
struct SquaredWeights {
  explicit SquaredWeights(const Operands& from)
      : operands(from), points(from.problem.row_points()) {}
  void load(std::int64_t row) {
    operands.read(row, 0, points);
    sum = 0;
    for (const double weight : points.weights) sum += square(weight);
  }

  const Operands& operands;
  backward::PointList points;
  double sum = 0;
};

/// What the logits of a row share: sums over its points.
struct RowSums {
  double products = 0;  ///< weight times gradient of the weight
  double squares = 0;   ///< of these
  double weights = 0;   ///< squares

  /// What errors of the weights, and of the difference, do to a row of n logits.
  double terms(double n) const {
    return (squares * (1 + weights) + weights * square(products)) / n;
  }
};

/// Of logit i of a row of n the gradient is w_i * (dw_i - s), s the sum of w * dw. An error of dw_j
/// moves that of logit j by w_j * (1 - w_j), and all others by w_i * w_j. An error of w_i moves it
/// in proportion, and all by what it does to s; the difference rounds as dw_i and s are large.
Truth make_logit_truth(const Input& input, const Operands& operands, std::vector<double> output,
                       unsigned threads) {
  const Problem& problem = input.problem;
  Truth truth(rows_of(problem, kTensors[kGradLogits]), std::move(output));
  const std::int64_t of_row = problem.row_points();
  const auto n = static_cast<double>(of_row);
  truth.additions = 4 * static_cast<double>(problem.channels) + n;
  truth.independent_points = operands.places;
  // Where one weight takes nearly all, one element may have the error of the whole row.
  std::ranges::fill(truth.unevenness, n);
  std::vector<RowSums> sums(truth.rows.size());
  RowsOfChunks<SquaredWeights, Operands> rows(problem, operands);
  for_near_points(operands, threads, [&](const NearPoint& point, std::size_t chunk) {
    if (!point.has_weight()) return;
    const auto row = static_cast<std::size_t>(point.number / of_row);
    const double squares = rows.at(point, chunk).sum;
    const double w = point.weight;
    const double of_weight = point.counts() ? point.dots().blended(point.tap()) : 0;
    RowSensitivity sensitivity = weight_sensitivity(point);
    sensitivity.terms += square(of_weight);
    add(sensitivity, square(w) * (square(1 - w) + squares - square(w)) / n, truth.rows[row]);
    sums[row].products += w * of_weight;
    sums[row].squares += square(w * of_weight);
    sums[row].weights = squares;
  });
  for (std::size_t row = 0; row < sums.size(); ++row) {
    truth.rows[row].terms += truth.rows[row].output + sums[row].terms(n);
  }
  return truth;
}

/// Each head's part first: heads of a query may have their turns in different threads.
Truth make_reference_truth(const Input& input, const Operands& operands, std::vector<double> output,
                           unsigned threads) {
  const Problem& problem = input.problem;
  Truth truth(rows_of(problem, kTensors[kGradReferences]), std::move(output));
  const std::int64_t of_row = problem.row_points();
  const std::int64_t count = problem.reference_count();
  const std::int64_t coordinates = problem.references.coordinates;
  truth.additions = 4 * static_cast<double>(problem.channels) +
                    static_cast<double>(problem.heads * of_row / count);
  truth.independent_points = operands.places;
  std::vector<RowSensitivity> parts(static_cast<std::size_t>(problem.heads) * truth.rows.size());
  std::vector<std::vector<Knot>> knots(backward::chunks(problem));
  RowsOfChunks<RowChain, Input> chains(problem, input);
  for_near_points(operands, threads, [&](const NearPoint& point, std::size_t chunk) {
    if (!point.has_weight()) return;
    const RowChain& chain = chains.at(point, chunk);
    const std::int64_t own = point.number % of_row;
    const RowChain::Factors factors = chain.of(own);
    const std::int64_t reference = chain.reference(own);
    RowSensitivity& part = parts[static_cast<std::size_t>(reference * problem.heads +
                                                          point.number / of_row % problem.heads)];
    const double share = 2 / static_cast<double>(coordinates);
    add(pixel_sensitivity(point, factors.place[0], factors.place[1]), share, part);
    if (coordinates == 4) {
      add(pixel_sensitivity(point, factors.box[0], factors.box[1]), share, part);
    }
    for (const std::size_t axis : {0, 1}) {
      const auto knot = knot_beside(point, axis == 0);
      if (!knot) continue;
      const auto add_knot = [&](std::int64_t coordinate, double factor) {
        const std::int64_t element = reference * coordinates + coordinate;
        knots[chunk].push_back({element,
                                truth.output[static_cast<std::size_t>(element)] +
                                    chained(knot->other, factor) - chained(knot->own, factor),
                                knot->reach, knot->normalized_reach});
      };
      add_knot(static_cast<std::int64_t>(axis), factors.place[axis]);
      if (coordinates == 4) add_knot(static_cast<std::int64_t>(axis) + 2, factors.box[axis]);
    }
  });
  for (std::size_t i = 0; i < parts.size(); ++i) {
    add(parts[i], 1, truth.rows[i / static_cast<std::size_t>(problem.heads)]);
  }
  for (const std::vector<Knot>& own : knots) {
    truth.knots.insert(truth.knots.end(), own.begin(), own.end());
  }
  std::ranges::stable_sort(truth.knots, {}, &Knot::element);
  return truth;
}

Truth make_value_truth(const Input&, const Operands& operands, std::vector<double> output,
                       unsigned threads) {
  return backward::make_value_truth(operands, &output, threads);
}

}  // namespace

std::vector<Truth> make_truths(const Input& input, std::vector<std::vector<double>> outputs,
                               unsigned threads) {
  if (input.problem.padding) {
    auto truths = make_truths(fused::without_padding(input), std::move(outputs), threads);
    if (!is_asked(input.problem, kGradValue)) return truths;
    // Zero, exactly.
    const auto heads = static_cast<std::size_t>(input.problem.heads);
    for_padding(input, [&](std::size_t pixel) {
      for (std::size_t row = pixel * heads; row < (pixel + 1) * heads; ++row) {
        truths.front().rows[row] = {};
        truths.front().meetings[row] = {};
      }
    });
    return truths;
  }
  using Make = Truth (*)(const Input&, const Operands&, std::vector<double>, unsigned);
  constexpr std::pair<Tensor, Make> kMakers[] = {{kGradValue, make_value_truth},
                                                 {kGradOffsets, make_offset_truth},
                                                 {kGradLogits, make_logit_truth},
                                                 {kGradReferences, make_reference_truth}};
  const Operands operands = operands_of(input);
  std::vector<Truth> truths;
  for (const auto& [tensor, make] : kMakers) {
    if (!is_asked(input.problem, tensor)) continue;
    truths.push_back(make(input, operands, std::move(outputs[truths.size()]), threads));
  }
  return truths;
}

}  // namespace msda::fused_backward
