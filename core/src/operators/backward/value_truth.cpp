// What the gradient of the values is judged by: how many points meet in a pixel, the magnitudes of
// what they add, and how both move with their coordinates.
#include <algorithm>
#include <cmath>

#include "operators/backward/backward.hpp"
#include "operators/backward/point.hpp"
#include "operators/backward/points.hpp"
#include "operators/backward/value_hits.hpp"
#include "parallel.hpp"
#include "reference/make_truth.hpp"

namespace msda::backward {
namespace {

/// Of a contribution, as root mean square, to what is the sum so far, squared.
void add_meeting(double contribution, double sum, Meeting& meeting) {
  ++meeting.additions;
  meeting.partial_sums += sum;
  const double root = std::sqrt(sum);
  for (const DTypeTraits& type : kDTypes) {
    if (contribution < type.format.unit * root) {
      meeting.lost[static_cast<std::size_t>(type.type)] += contribution;
    }
  }
}

/// Of grad_output: what all levels ask for.
struct Magnitudes {
  std::vector<double> squares;  ///< [B, Q, H]: the mean square of each row
  double largest = 0;           ///< magnitude of an attention weight times a gradient
};

/// The sensitivities of the pixels of one level and head of one image: in memory of their own, as
/// long as other threads work on other heads of the same pixels.
class LevelOfValue {
 public:
  LevelOfValue(const Operands& operands, std::int64_t image, std::size_t level, std::int64_t head,
               const Magnitudes& magnitudes)
      : problem_(operands.problem),
        plane_(planes_of(problem_)[level]),
        image_(image),
        head_(head),
        magnitudes_(magnitudes),
        gradients_(static_cast<std::size_t>(problem_.queries) * channels()),
        first_pixel_(image * problem_.spatial_size()),
        count_(static_cast<std::size_t>(plane_.height * plane_.width)),
        sums_(count_ * channels()),
        rows_(count_),
        meetings_(count_),
        touched_(count_) {
    collect(operands, level);
  }

  /// And the sums to `output`, unless that is null.
  void add_to(Truth& truth, double* output) {
    add_meetings();
    if (output != nullptr) move_sums(output);
    std::ranges::fill(sums_, 0.0);
    for (const std::size_t along : {std::size_t{0}, std::size_t{1}}) {
      const std::int64_t size = along == 0 ? plane_.width : plane_.height;
      sorter_.sort(places_, size);
      if (along == 0) add_same_places();
      add_coordinates(along, static_cast<double>(size) / 2);
      for (Place& place : places_) std::swap(place.along, place.across);
    }
    move_to(truth);
  }

 private:
  std::size_t channels() const { return static_cast<std::size_t>(problem_.channels); }

  void collect(const Operands& operands, std::size_t level) {
    PointList points(problem_.points_of(level));
    const auto most = static_cast<std::size_t>(problem_.queries * points.count);
    hits_.reserve(most);
    weight_errors_.reserve(most);
    places_.reserve(most);
    for (std::int64_t query = 0; query < problem_.queries; ++query) {
      const std::int64_t row = row_of(query);
      load_floats(problem_.types.output, operands.grad_output.data(), row * problem_.channels,
                  {gradients_.data() + static_cast<std::size_t>(query) * channels(), channels()});
      operands.read(row, problem_.first_point(level), points);
      for (std::size_t p = 0; p < points.weights.size(); ++p) {
        const OnAxis x = OnAxis::at_pixel(points.x[p], plane_.width, points.largest[2 * p]);
        const OnAxis y = OnAxis::at_pixel(points.y[p], plane_.height, points.largest[2 * p + 1]);
        if (!x.matters || !y.matters) continue;
        if (std::isnan(points.weights[p])) {
          without_weight_.emplace_back(x, y, points.weights[p], query);
          continue;
        }
        places_.push_back({points.x[p], points.y[p], hits_.size()});
        hits_.emplace_back(x, y, points.weights[p], query);
        weight_errors_.push_back(points.weight_errors[p]);
      }
    }
  }

  std::int64_t row_of(std::int64_t query) const {
    return (image_ * problem_.queries + query) * problem_.heads + head_;
  }
  const float* gradient(const Hit& hit) const {
    return gradients_.data() + hit.query * problem_.channels;
  }
  /// The mean square of its gradient.
  double squared(const Hit& hit) const {
    return magnitudes_.squares[static_cast<std::size_t>(row_of(hit.query))];
  }
  double* sum(std::size_t pixel) { return sums_.data() + pixel * channels(); }

  /// Calls body(pixel, factor) for the parts that lie in the level.
  template <class Body>
  auto in_level(const Hit& hit, const Body& body) const {
    return [this, &hit, &body](std::int64_t right, std::int64_t below, double factor) {
      const std::int64_t row = hit.pixel[1] + below;
      const std::int64_t column = hit.pixel[0] + right;
      if (plane_.has(row, column)) {
        body(static_cast<std::size_t>(row * plane_.width + column), factor);
      }
    };
  }

  /// Contributions one after the other, in the order of queries, as they add up.
  void add_meetings() {
    const double of_range = magnitudes_.largest * magnitudes_.largest;
    for (std::size_t i = 0; i < hits_.size(); ++i) {
      const Hit& hit = hits_[i];
      const double own = squared(hit);
      const double root = std::sqrt(own);
      const auto add = [&](std::size_t pixel, double share) {
        const double factor = hit.weight * share;
        const double square = add_scaled(factor, gradient(hit), problem_.channels, sum(pixel));
        RowSensitivity& row = rows_[pixel];
        row.terms += factor * factor * own * weight_errors_[i];
        row.values += own;
        row.ranges += of_range;
        add_meeting(std::abs(factor) * root, square, meetings_[pixel]);
      };
      for_parts(hit, in_level(hit, add));
    }
  }

  /// A weight that is no number makes none of all that it adds to.
  void move_sums(double* output) {
    for (const Hit& hit : without_weight_) {
      const auto lose = [&](std::size_t pixel, double) {
        std::fill_n(sum(pixel), problem_.channels, hit.weight);
      };
      for_parts(hit, in_level(hit, lose));
    }
    for (std::size_t pixel = 0; pixel < count_; ++pixel) {
      std::copy_n(sum(pixel), problem_.channels, output + row_of_pixel(pixel) * channels());
    }
  }

  /// Places from `first` on that are alike.
  template <class Alike>
  std::size_t end_of_run(std::size_t first, const Alike& alike) const {
    std::size_t end = first + 1;
    while (end < places_.size() && alike(places_[first], places_[end])) ++end;
    return end;
  }

  /// The hit of a place. Hits of places that follow are fetched meanwhile, and their gradients.
  const Hit& hit_at(std::size_t place) const {
    constexpr std::size_t kSoon = 8;
    if (place + 2 * kSoon < places_.size()) {
      __builtin_prefetch(&hits_[places_[place + 2 * kSoon].hit]);
      const float* const soon = gradient(hits_[places_[place + kSoon].hit]);
      __builtin_prefetch(soon);
      __builtin_prefetch(soon + problem_.channels / 2);
    }
    return hits_[places_[place].hit];
  }

  /// Adds a part of one of some hits that err alike to its pixel; take_sums() asks for the sums.
  void add_alike(const Hit& hit, std::size_t pixel, double factor) {
    add_only(hit.weight * factor, gradient(hit), problem_.channels, sum(pixel));
    if (touched_[pixel] != 0) return;
    touched_[pixel] = 1;
    met_.push_back(pixel);
  }
  template <class Body>
  void take_sums(const Body& body) {
    for (const std::size_t pixel : met_) {
      body(pixel, take_mean_square(problem_.channels, sum(pixel)));
      touched_[pixel] = 0;
    }
    met_.clear();
  }

  /// Points at one place have the same error of their corners' weights.
  void add_same_places() {
    for (std::size_t i = 0; i < places_.size();) {
      const std::size_t end = end_of_run(i, [](const Place& a, const Place& b) {
        return a.along == b.along && a.across == b.across;
      });
      const bool alone = end - i == 1;
      for (; i < end; ++i) {
        if (alone) continue;
        const Hit& hit = hit_at(i);
        const auto add = [&](std::size_t pixel, double factor) { add_alike(hit, pixel, factor); };
        for_parts(hit, in_level(hit, add));
      }
      take_sums([&](std::size_t pixel, double square) { rows_[pixel].terms += square; });
    }
  }

  /// Points with one coordinate, x for axis 0 and y for 1, have the same error of that.
  void add_coordinates(std::size_t axis, double half_size) {
    for (std::size_t i = 0; i < places_.size();) {
      const std::size_t end =
          end_of_run(i, [](const Place& a, const Place& b) { return a.along == b.along; });
      const auto binade = static_cast<double>(hits_[places_[i].hit].binade[axis]);
      const auto add_square = [&](std::size_t pixel, double square) {
        rows_[pixel].fractions += square;
        rows_[pixel].coordinates += square * binade * binade;
        rows_[pixel].normalized += square * half_size * half_size;
      };
      const bool alone = end - i == 1;
      for (; i < end; ++i) {
        const Hit& hit = hit_at(i);
        const double alone_squared = alone ? hit.weight * hit.weight * squared(hit) : 0;
        const auto add = [&](std::size_t pixel, double factor) {
          if (alone) return add_square(pixel, alone_squared * factor * factor);
          add_alike(hit, pixel, factor);
        };
        for_derivatives(hit, axis, in_level(hit, add));
      }
      take_sums(add_square);
    }
  }

  /// In the whole output.
  std::size_t row_of_pixel(std::size_t pixel) const {
    const auto own = static_cast<std::int64_t>(pixel);
    const std::int64_t stored = plane_.pixel(own / plane_.width, own % plane_.width);
    return static_cast<std::size_t>((first_pixel_ + stored) * problem_.heads + head_);
  }

  void move_to(Truth& truth) const {
    for (std::size_t pixel = 0; pixel < count_; ++pixel) {
      const std::size_t row = row_of_pixel(pixel);
      truth.rows[row] = rows_[pixel];
      truth.meetings[row] = meetings_[pixel];
    }
  }

  const Problem& problem_;
  Plane plane_;
  std::int64_t image_;
  std::int64_t head_;
  const Magnitudes& magnitudes_;
  std::vector<float> gradients_;  ///< [Q, C]
  std::int64_t first_pixel_;      ///< of the image
  std::size_t count_;             ///< of pixels
  std::vector<double> sums_;      ///< [pixels, C]
  std::vector<RowSensitivity> rows_;
  std::vector<Meeting> meetings_;
  std::vector<char> touched_;  ///< pixels whose sums are not zero
  std::vector<std::size_t> met_;
  std::vector<Hit> hits_;              ///< in the order of queries
  std::vector<double> weight_errors_;  ///< of the hits
  std::vector<Hit> without_weight_;    ///< not among the hits
  std::vector<Place> places_;          ///< of the hits
  PlaceSorter sorter_;
};

Magnitudes look_at(const Operands& operands, unsigned threads) {
  constexpr std::int64_t kGrain = 1024;
  const Problem& problem = operands.problem;
  const std::int64_t count = problem.batch * problem.queries * problem.heads;
  Magnitudes magnitudes{std::vector<double>(static_cast<std::size_t>(count))};
  std::vector<double> largest(static_cast<std::size_t>((count + kGrain - 1) / kGrain));
  const auto most = [](const auto& numbers) {
    double magnitude = 0;
    for (const auto x : numbers) magnitude = std::max(magnitude, std::abs(static_cast<double>(x)));
    return magnitude;
  };
  parallel_for(count, kGrain, threads, [&](std::int64_t begin, std::int64_t end) {
    PointList points(problem.row_points());
    Eigen::ArrayXf gradient(problem.channels);
    double& most_of_range = largest[static_cast<std::size_t>(begin / kGrain)];
    for (std::int64_t row = begin; row < end; ++row) {
      operands.read(row, 0, points);
      load_floats(problem.types.output, operands.grad_output.data(), row * problem.channels,
                  {gradient.data(), static_cast<std::size_t>(problem.channels)});
      magnitudes.squares[static_cast<std::size_t>(row)] = gradient.cast<double>().square().mean();
      most_of_range = std::max(most_of_range, most(points.weights) * most(gradient));
    }
  });
  for (const double one : largest) magnitudes.largest = std::max(magnitudes.largest, one);
  return magnitudes;
}

}  // namespace

Truth make_value_truth(const Operands& operands, std::vector<double>* output, unsigned threads) {
  const Problem& problem = operands.problem;
  Truth truth;
  truth.shape = rows_of(problem, kTensors[kGradValue]);
  if (output != nullptr) truth.output = std::move(*output);
  make_room(truth, static_cast<std::size_t>(elements(problem, kGradValue)), threads);
  resize_by_many(truth.meetings, truth.rows.size(), threads);
  truth.independent_points = operands.places;
  const Magnitudes magnitudes = look_at(operands, threads);
  const std::int64_t levels = problem.level_count();
  parallel_for(
      problem.batch * levels * problem.heads, 1, threads, [&](std::int64_t task, std::int64_t) {
        const std::int64_t of_image = task / problem.heads;
        LevelOfValue(operands, of_image / levels, static_cast<std::size_t>(of_image % levels),
                     task % problem.heads, magnitudes)
            .add_to(truth, output == nullptr ? truth.output.data() : nullptr);
      });
  weigh_output(truth, threads);
  return truth;
}

}  // namespace msda::backward
