#include "operators/forward/forward.hpp"

#include <Eigen/Core>

#include <cmath>

#include "parallel.hpp"
#include "reference/image.hpp"

namespace msda::forward {
namespace {

/// The sum over one query's points of one image, written as the operator is defined.
class Sampler {
 public:
  Sampler(const Problem& problem, const float* image)
      : planes_(planes_of(problem)),
        image_(image),
        heads_(problem.heads),
        channels_(problem.channels),
        points_(problem.points),
        zeros_(static_cast<std::size_t>(channels_), 0.0F) {}

  /// out[c] += sum over l, p for one head. `locations` is [L, P, 2], `weights` [L, P].
  void accumulate(std::int64_t head, const float* locations, const float* weights,
                  double* out) const {
    for (const Plane& plane : planes_) {
      for (std::int64_t point = 0; point < points_; ++point) {
        const double x = pixels(*locations++, plane.width);
        const double y = pixels(*locations++, plane.height);
        add_point(plane, head, x, y, static_cast<double>(*weights++), out);
      }
    }
  }

 private:
  using Channels = Eigen::Map<const Eigen::ArrayXf>;

  /// The channels of a pixel; zeros outside the level.
  Channels corner(const Plane& plane, std::int64_t head, std::int64_t row,
                  std::int64_t column) const {
    const std::int64_t at = (plane.pixel(row, column) * heads_ + head) * channels_;
    return {plane.has(row, column) ? image_ + at : zeros_.data(), channels_};
  }

  void add_point(const Plane& plane, std::int64_t head, double x, double y, double weight,
                 double* out) const {
    if (!counts(x, plane.width) || !counts(y, plane.height)) return;
    const auto [column, dx] = Coordinate::of(x);
    const auto [row, dy] = Coordinate::of(y);
    Eigen::Map<Eigen::ArrayXd> sum(out, channels_);
    sum += weight * (1 - dy) * (1 - dx) * corner(plane, head, row, column).cast<double>() +
           weight * (1 - dy) * dx * corner(plane, head, row, column + 1).cast<double>() +
           weight * dy * (1 - dx) * corner(plane, head, row + 1, column).cast<double>() +
           weight * dy * dx * corner(plane, head, row + 1, column + 1).cast<double>();
  }

  std::vector<Plane> planes_;
  const float* image_;
  std::int64_t heads_;
  std::int64_t channels_;
  std::int64_t points_;
  std::vector<float> zeros_;
};

/// Queries [begin, end) of one image; `out` is the image's output, [Q, H, C].
void sample_queries(const Input& input, std::int64_t image, const Sampler& sampler,
                    std::int64_t begin, std::int64_t end, double* out) {
  const Problem& p = input.problem;
  RowPoints points(p, input.tensors[kLocations], input.tensors[kWeights]);
  for (std::int64_t row = begin * p.heads; row < end * p.heads; ++row) {
    points.load(image * p.queries * p.heads + row);
    sampler.accumulate(row % p.heads, points.locations.data(), points.weights.data(),
                       out + row * p.channels);
  }
}

}  // namespace

std::vector<double> compute_reference(const Input& input, unsigned threads) {
  constexpr std::int64_t kGrain = 64;
  const Problem& problem = input.problem;
  const std::int64_t image_outputs = problem.queries * problem.heads * problem.channels;
  std::vector<double> output(static_cast<std::size_t>(elements(problem, kOutput)));
  ImageValues values(problem, input.tensors[kValue]);
  for (std::int64_t image = 0; image < problem.batch; ++image) {
    const Sampler sampler(problem, values.load(image, threads));
    double* const out = output.data() + image * image_outputs;
    parallel_for(problem.queries, kGrain, threads, [&](std::int64_t begin, std::int64_t end) {
      sample_queries(input, image, sampler, begin, end, out);
    });
  }
  return output;
}

}  // namespace msda::forward
