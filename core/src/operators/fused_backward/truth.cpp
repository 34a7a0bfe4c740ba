// What the outputs are judged by: what rounding does to the gradients of points (near_point.hpp),
// and how far that moves the outputs that are chained to them.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>

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

void gather(const std::vector<std::vector<Knot>>& of_chunks, std::vector<Knot>& all) {
  for (const std::vector<Knot>& own : of_chunks) all.insert(all.end(), own.begin(), own.end());
}

class OffsetTruth {
 public:
  OffsetTruth(const Operands& operands, std::vector<double> output)
      : truth_(rows_of(operands.problem, kTensors[kGradOffsets]), std::move(output)),
        knots_(backward::chunks(operands.problem)) {
    truth_.additions = 4 * static_cast<double>(operands.problem.channels);
    truth_.independent_points = operands.places;
  }

  void add_point(const NearPoint& point, const RowChain::Factors& factors, std::size_t chunk) {
    add(pixel_sensitivity(point, factors.offset[0], factors.offset[1]), 1,
        truth_.rows[static_cast<std::size_t>(point.number)]);
    for (const std::size_t axis : {0, 1}) {
      const auto knot = knot_beside(point, axis == 0);
      if (!knot) continue;
      knots_[chunk].push_back({2 * point.number + static_cast<std::int64_t>(axis),
                               chained(knot->other, factors.offset[axis]), knot->reach,
                               knot->normalized_reach});
    }
  }

  Truth finish() {
    gather(knots_, truth_.knots);
    return std::move(truth_);
  }

 private:
  Truth truth_;
  std::vector<std::vector<Knot>> knots_;
};

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
class LogitTruth {
 public:
  LogitTruth(const Operands& operands, std::vector<double> output)
      : truth_(rows_of(operands.problem, kTensors[kGradLogits]), std::move(output)),
        n_(static_cast<double>(operands.problem.row_points())),
        sums_(truth_.rows.size()),
        rows_(operands.problem, operands) {
    truth_.additions = 4 * static_cast<double>(operands.problem.channels) + n_;
    truth_.independent_points = operands.places;
    // Where one weight takes nearly all, one element may have the error of the whole row.
    std::ranges::fill(truth_.unevenness, n_);
  }

  void add_point(const NearPoint& point, std::size_t row, std::size_t chunk) {
    const double squares = rows_.at(point, chunk).sum;
    const double w = point.weight;
    const double of_weight = point.counts() ? point.dots().blended(point.tap()) : 0;
    RowSensitivity sensitivity = weight_sensitivity(point);
    sensitivity.terms += square(of_weight);
    add(sensitivity, square(w) * (square(1 - w) + squares - square(w)) / n_, truth_.rows[row]);
    sums_[row].products += w * of_weight;
    sums_[row].squares += square(w * of_weight);
    sums_[row].weights = squares;
  }

  Truth finish() {
    for (std::size_t row = 0; row < sums_.size(); ++row) {
      truth_.rows[row].terms += truth_.rows[row].output + sums_[row].terms(n_);
    }
    return std::move(truth_);
  }

 private:
  Truth truth_;
  double n_;
  std::vector<RowSums> sums_;
  RowsOfChunks<SquaredWeights, Operands> rows_;
};

/// Each head's part first: heads of a query may have their turns in different threads.
class ReferenceTruth {
 public:
  ReferenceTruth(const Operands& operands, std::vector<double> output)
      : truth_(rows_of(operands.problem, kTensors[kGradReferences]), std::move(output)),
        heads_(operands.problem.heads),
        coordinates_(operands.problem.references.coordinates),
        parts_(static_cast<std::size_t>(heads_) * truth_.rows.size()),
        knots_(backward::chunks(operands.problem)) {
    const Problem& problem = operands.problem;
    truth_.additions =
        4 * static_cast<double>(problem.channels) +
        static_cast<double>(heads_ * problem.row_points() / problem.reference_count());
    truth_.independent_points = operands.places;
  }

  /// `row`, (b*Q + q)*H + h, has the point; `reference` is the point's.
  void add_point(const NearPoint& point, const RowChain::Factors& factors, std::int64_t row,
                 std::int64_t reference, std::size_t chunk) {
    RowSensitivity& part = parts_[static_cast<std::size_t>(reference * heads_ + row % heads_)];
    const double share = 2 / static_cast<double>(coordinates_);
    const bool has_box = coordinates_ == 4;
    add(pixel_sensitivity(point, factors.place[0], factors.place[1]), share, part);
    if (has_box) add(pixel_sensitivity(point, factors.box[0], factors.box[1]), share, part);
    for (const std::size_t axis : {0, 1}) {
      const auto knot = knot_beside(point, axis == 0);
      if (!knot) continue;
      const auto element = reference * coordinates_ + static_cast<std::int64_t>(axis);
      knots_[chunk].push_back(at_element(*knot, element, factors.place[axis]));
      if (has_box) knots_[chunk].push_back(at_element(*knot, element + 2, factors.box[axis]));
    }
  }

  Truth finish() {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      add(parts_[i], 1, truth_.rows[i / static_cast<std::size_t>(heads_)]);
    }
    gather(knots_, truth_.knots);
    std::ranges::stable_sort(truth_.knots, {}, &Knot::element);
    return std::move(truth_);
  }

 private:
  Knot at_element(const backward::KnotBeside& knot, std::int64_t element, double factor) const {
    return {element,
            truth_.output[static_cast<std::size_t>(element)] + chained(knot.other, factor) -
                chained(knot.own, factor),
            knot.reach, knot.normalized_reach};
  }

  Truth truth_;
  std::int64_t heads_;
  std::int64_t coordinates_;
  std::vector<RowSensitivity> parts_;
  std::vector<std::vector<Knot>> knots_;
};

/// Of the outputs that are chained to gradients of points, in one pass over these.
std::vector<Truth> make_point_truths(const Input& input, const Operands& operands,
                                     std::span<std::vector<double>> outputs, unsigned threads) {
  const Problem& problem = input.problem;
  const auto begin = [&]<class OfOutput>(Tensor tensor, std::optional<OfOutput>& to) {
    if (!is_asked(problem, tensor)) return;
    to.emplace(operands, std::move(outputs.front()));
    outputs = outputs.subspan(1);
  };
  std::optional<OffsetTruth> offsets;
  std::optional<LogitTruth> logits;
  std::optional<ReferenceTruth> references;
  begin(kGradOffsets, offsets);
  begin(kGradLogits, logits);
  begin(kGradReferences, references);
  const std::int64_t of_row = problem.row_points();
  RowsOfChunks<RowChain, Input> chains(problem, input);
  std::vector<Truth> truths;
  if (!offsets && !logits && !references) return truths;
  for_near_points(operands, threads, [&](const NearPoint& point, std::size_t chunk) {
    if (!point.has_weight()) return;
    const std::int64_t row = point.number / of_row;
    if (logits) logits->add_point(point, static_cast<std::size_t>(row), chunk);
    if (!offsets && !references) return;
    const RowChain& chain = chains.at(point, chunk);
    const std::int64_t own = point.number % of_row;
    const RowChain::Factors factors = chain.of(own);
    if (offsets) offsets->add_point(point, factors, chunk);
    if (references) references->add_point(point, factors, row, chain.reference(own), chunk);
  });
  const auto end = [&](auto& of_output) {
    if (of_output) truths.push_back(of_output->finish());
  };
  end(offsets);
  end(logits);
  end(references);
  return truths;
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
  const Operands operands = operands_of(input);
  std::span<std::vector<double>> rest(outputs);
  std::vector<Truth> truths;
  if (is_asked(input.problem, kGradValue)) {
    truths.push_back(backward::make_value_truth(operands, rest.data(), threads));
    rest = rest.subspan(1);
  }
  std::ranges::move(make_point_truths(input, operands, rest, threads), std::back_inserter(truths));
  return truths;
}

}  // namespace msda::fused_backward
