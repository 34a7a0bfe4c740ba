// What the gradient of the values is judged by: how many points meet in a pixel, the magnitudes of
// what they add, and how both move with their coordinates.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "operators/backward/backward.hpp"
#include "operators/backward/point.hpp"
#include "operators/backward/points.hpp"
#include "parallel.hpp"
#include "reference/on_axis.hpp"

namespace msda::backward {
namespace {

/// A point of one level and head that counts, or might after rounding.
struct Hit {
  double at[2];  ///< x, y in pixels
  double weight;
  double weight_error;
  std::int64_t query;
  float largest[2];
};

/// A part of a point's contribution: to the pixel that lies so far from the point's own.
struct Part {
  std::int64_t right;
  std::int64_t below;
  double factor;  ///< of weight times gradient
};
using Parts = std::vector<Part>;

/// To the four corners.
void find_parts(const OnAxis& x, const OnAxis& y, Parts& parts) {
  parts.clear();
  if (!x.counts || !y.counts) return;
  const std::array<double, 4> shares =
      Tap{0, 0, x.coordinate.fraction, y.coordinate.fraction}.shares();
  for (std::int64_t k = 0; k < 4; ++k) {
    parts.push_back({k % 2, k / 2, shares[static_cast<std::size_t>(k)]});
  }
}

/// The derivatives of the parts with respect to the coordinate on axis `along`. Where rounding may
/// move the point to the next cell, that cell's pixels are met too.
void find_derivatives(const OnAxis& along, const OnAxis& across, bool is_x, Parts& parts) {
  parts.clear();
  const std::int64_t next = along.neighbour();
  const double shares[2] = {1 - across.coordinate.fraction, across.coordinate.fraction};
  for (std::int64_t i = std::min<std::int64_t>(next, 0); i <= 1 + std::max<std::int64_t>(next, 0);
       ++i) {
    for (std::int64_t j = 0; j < 2; ++j) {
      const double factor = (i <= 0 ? -1 : 1) * shares[j];
      parts.push_back(is_x ? Part{i, j, factor} : Part{j, i, factor});
    }
  }
}

/// Of a contribution, as root mean square, to what is the sum so far, squared.
void add_meeting(double contribution, double sum, Meeting& meeting) {
  ++meeting.additions;
  meeting.partial_sums += sum;
  for (const DTypeTraits& type : kDTypes) {
    if (contribution < type.format.unit * std::sqrt(sum)) {
      meeting.lost[static_cast<std::size_t>(type.type)] += contribution;
    }
  }
}

/// The sensitivities of the pixels of one level and head of one image.
class LevelOfValue {
 public:
  LevelOfValue(const Operands& operands, std::int64_t image, std::size_t level, std::int64_t head,
               const float* gradients)
      : problem_(operands.problem),
        plane_(planes_of(problem_)[level]),
        image_(image),
        head_(head),
        gradients_(gradients) {
    const auto count = static_cast<std::size_t>(plane_.height * plane_.width);
    sums_ = Eigen::ArrayXXd::Zero(problem_.channels, static_cast<std::int64_t>(count));
    touched_.assign(count, false);
    collect(operands, level);
  }

  void add_to(Truth& truth, double largest) {
    add_meetings(truth, largest);
    std::ranges::sort(hits_, {},
                      [](const Hit& hit) { return std::tuple(hit.at[0], hit.at[1], hit.query); });
    add_same_places(truth);
    add_coordinates(truth, 0);
    std::ranges::sort(hits_, {},
                      [](const Hit& hit) { return std::tuple(hit.at[1], hit.at[0], hit.query); });
    add_coordinates(truth, 1);
  }

 private:
  using Gradient = Eigen::Map<const Eigen::ArrayXf>;

  /// A weight that is no number has no bound either.
  void collect(const Operands& operands, std::size_t level) {
    PointList points(problem_.points_of(level));
    for (std::int64_t query = 0; query < problem_.queries; ++query) {
      operands.read((image_ * problem_.queries + query) * problem_.heads + head_,
                    problem_.first_point(level), points);
      for (std::size_t p = 0; p < points.weights.size(); ++p) {
        const Hit hit{{points.x[p], points.y[p]},
                      points.weights[p],
                      points.weight_errors[p],
                      query,
                      {points.largest[2 * p], points.largest[2 * p + 1]}};
        if (!x_of(hit).matters || !y_of(hit).matters || std::isnan(hit.weight)) continue;
        hits_.push_back(hit);
      }
    }
  }

  OnAxis x_of(const Hit& hit) const {
    return OnAxis::at_pixel(hit.at[0], plane_.width, hit.largest[0]);
  }
  OnAxis y_of(const Hit& hit) const {
    return OnAxis::at_pixel(hit.at[1], plane_.height, hit.largest[1]);
  }
  Gradient gradient(const Hit& hit) const {
    return {gradients_ + (hit.query * problem_.heads + head_) * problem_.channels,
            problem_.channels};
  }
  double mean_square(const Hit& hit) const { return gradient(hit).cast<double>().square().mean(); }

  /// Number of a pixel in the level, and in the whole output as a row.
  std::int64_t own(std::int64_t row, std::int64_t column) const {
    return row * plane_.width + column;
  }
  std::size_t row_of(std::int64_t row, std::int64_t column) const {
    return static_cast<std::size_t>(
        (image_ * problem_.spatial_size() + plane_.pixel(row, column)) * problem_.heads + head_);
  }

  /// Calls body(row, column, factor) for the parts of a hit that lie in the level.
  template <class Body>
  void for_parts(const OnAxis& x, const OnAxis& y, const Parts& parts, const Body& body) const {
    for (const Part& part : parts) {
      const std::int64_t row = y.coordinate.pixel + part.below;
      const std::int64_t column = x.coordinate.pixel + part.right;
      if (plane_.has(row, column)) body(row, column, part.factor);
    }
  }

  /// Contributions one after the other, in the order of queries, as they add up.
  void add_meetings(Truth& truth, double largest) {
    Parts parts;
    for (const Hit& hit : hits_) {
      const OnAxis x = x_of(hit);
      const OnAxis y = y_of(hit);
      const double squared = mean_square(hit);
      find_parts(x, y, parts);
      for_parts(x, y, parts, [&](std::int64_t row, std::int64_t column, double share) {
        auto sum = sums_.col(own(row, column));
        const double factor = hit.weight * share;
        sum += factor * gradient(hit).cast<double>();
        RowSensitivity& sensitivity = truth.rows[row_of(row, column)];
        sensitivity.terms += factor * factor * squared * hit.weight_error;
        sensitivity.values += squared;
        sensitivity.ranges += largest * largest;
        add_meeting(std::abs(factor) * std::sqrt(squared), sum.square().mean(),
                    truth.meetings[row_of(row, column)]);
      });
    }
    sums_.setZero();
  }

  /// Hits from `first` on that are alike.
  template <class Alike>
  std::size_t end_of_run(std::size_t first, const Alike& alike) const {
    std::size_t end = first + 1;
    while (end < hits_.size() && alike(hits_[first], hits_[end])) ++end;
    return end;
  }

  /// Adds the parts of some hits, which err alike, to their pixels; take_sums() asks for the sums.
  void add_alike(const Hit& hit, const OnAxis& x, const OnAxis& y, const Parts& parts) {
    for_parts(x, y, parts, [&](std::int64_t row, std::int64_t column, double factor) {
      const std::int64_t pixel = own(row, column);
      sums_.col(pixel) += hit.weight * factor * gradient(hit).cast<double>();
      if (touched_[static_cast<std::size_t>(pixel)]) return;
      touched_[static_cast<std::size_t>(pixel)] = true;
      met_.push_back(pixel);
    });
  }
  template <class Body>
  void take_sums(const Body& body) {
    for (const std::int64_t pixel : met_) {
      body(row_of(pixel / plane_.width, pixel % plane_.width), sums_.col(pixel).square().mean());
      sums_.col(pixel).setZero();
      touched_[static_cast<std::size_t>(pixel)] = false;
    }
    met_.clear();
  }

  /// Points at one place have the same error of their corners' weights.
  void add_same_places(Truth& truth) {
    Parts parts;
    for (std::size_t i = 0; i < hits_.size();) {
      const std::size_t end = end_of_run(
          i, [](const Hit& a, const Hit& b) { return a.at[0] == b.at[0] && a.at[1] == b.at[1]; });
      const OnAxis x = x_of(hits_[i]);
      const OnAxis y = y_of(hits_[i]);
      find_parts(x, y, parts);
      if (end - i > 1) {
        for (; i < end; ++i) add_alike(hits_[i], x, y, parts);
        take_sums([&](std::size_t row, double square) { truth.rows[row].terms += square; });
      }
      i = end;
    }
  }

  /// Points with one coordinate, x for axis 0 and y for 1, have the same error of that.
  void add_coordinates(Truth& truth, int axis) {
    Parts parts;
    for (std::size_t i = 0; i < hits_.size();) {
      const std::size_t end =
          end_of_run(i, [&](const Hit& a, const Hit& b) { return a.at[axis] == b.at[axis]; });
      const OnAxis on_axis = axis == 0 ? x_of(hits_[i]) : y_of(hits_[i]);
      const auto add = [&](std::size_t row, double square) {
        truth.rows[row].fractions += square;
        truth.rows[row].coordinates += square * on_axis.binade * on_axis.binade;
        truth.rows[row].normalized += square * on_axis.half_size * on_axis.half_size;
      };
      const bool alone = end - i == 1;
      for (; i < end; ++i) {
        const OnAxis x = x_of(hits_[i]);
        const OnAxis y = y_of(hits_[i]);
        find_derivatives(axis == 0 ? x : y, axis == 0 ? y : x, axis == 0, parts);
        if (!alone) {
          add_alike(hits_[i], x, y, parts);
          continue;
        }
        const double squared = hits_[i].weight * hits_[i].weight * mean_square(hits_[i]);
        for_parts(x, y, parts, [&](std::int64_t row, std::int64_t column, double factor) {
          add(row_of(row, column), squared * factor * factor);
        });
      }
      take_sums(add);
    }
  }

  const Problem& problem_;
  Plane plane_;
  std::int64_t image_;
  std::int64_t head_;
  const float* gradients_;  ///< of the image, [Q, H, C]
  std::vector<Hit> hits_;
  Eigen::ArrayXXd sums_;       ///< [C, pixels]
  std::vector<bool> touched_;  ///< pixels whose sums are not zero
  std::vector<std::int64_t> met_;
};

/// The largest magnitude of an attention weight times a gradient, in all images.
double largest_contribution(const Operands& operands) {
  const Problem& problem = operands.problem;
  const std::int64_t rows = problem.batch * problem.queries * problem.heads;
  PointList points(problem.row_points());
  std::vector<float> gradient(static_cast<std::size_t>(problem.channels));
  double largest = 0;
  const auto most = [](const auto& numbers) {
    double magnitude = 0;
    for (const auto x : numbers) magnitude = std::max(magnitude, std::abs(static_cast<double>(x)));
    return magnitude;
  };
  for (std::int64_t row = 0; row < rows; ++row) {
    operands.read(row, 0, points);
    load_floats(problem.types.output, operands.grad_output.data(), row * problem.channels,
                gradient);
    largest = std::max(largest, most(points.weights) * most(gradient));
  }
  return largest;
}

}  // namespace

Truth make_value_truth(const Operands& operands, std::vector<double> output, unsigned threads) {
  const Problem& problem = operands.problem;
  Truth truth(rows_of(problem, kTensors[kGradValue]), std::move(output));
  truth.meetings.resize(truth.rows.size());
  truth.independent_points = operands.places;
  const double largest = largest_contribution(operands);
  ImageValues gradients(problem.types.output, problem.queries * problem.heads * problem.channels,
                        operands.grad_output);
  for (std::int64_t image = 0; image < problem.batch; ++image) {
    const float* const gradient = gradients.load(image, threads);
    parallel_for(problem.level_count() * problem.heads, 1, threads,
                 [&](std::int64_t task, std::int64_t) {
                   LevelOfValue(operands, image, static_cast<std::size_t>(task / problem.heads),
                                task % problem.heads, gradient)
                       .add_to(truth, largest);
                 });
  }
  return truth;
}

}  // namespace msda::backward
