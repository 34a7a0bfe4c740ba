#include "reference/reference.hpp"

#include <Eigen/Core>

#include <cmath>

#include "input/elements.hpp"
#include "parallel.hpp"

namespace msda {
namespace {

/// One image of `value` as float32, which holds every storage type exactly. fp32 tensors are used
/// in place; others are converted into a buffer that is reused from image to image.
class ImageValues {
 public:
  explicit ImageValues(const Input& input)
      : input_(input),
        elements_(input.problem.spatial_size() * input.problem.heads * input.problem.channels) {}

  const float* load(std::int64_t image, unsigned threads) {
    const DType type = input_.problem.types.value;
    if (type == DType::kFloat32) {
      return reinterpret_cast<const float*>(input_.value.data()) + image * elements_;
    }
    constexpr std::int64_t kGrain = 1 << 15;
    buffer_.resize(static_cast<std::size_t>(elements_));
    parallel_for(elements_, kGrain, threads, [&](std::int64_t begin, std::int64_t end) {
      load_floats(type, input_.value.data(), image * elements_ + begin,
                  std::span(buffer_).subspan(static_cast<std::size_t>(begin),
                                             static_cast<std::size_t>(end - begin)));
    });
    return buffer_.data();
  }

 private:
  const Input& input_;
  std::int64_t elements_;
  std::vector<float> buffer_;
};

/// Where the inner pixels of one level lie in an image of `value`.
struct Plane {
  std::int64_t height;
  std::int64_t width;
  std::int64_t pitch;   ///< stored pixels from row to row
  std::int64_t origin;  ///< stored pixel of the inner pixel (0, 0)
};

std::vector<Plane> planes_of(const Problem& problem) {
  const std::int64_t border = problem.layout == ValueLayout::kZeroBorder ? 1 : 0;
  const std::vector<std::int64_t> starts = problem.level_starts();
  std::vector<Plane> planes;
  for (std::size_t l = 0; l < problem.levels.size(); ++l) {
    const std::int64_t pitch = problem.level_pitch(l);
    planes.push_back({problem.levels[l].height, problem.levels[l].width, pitch,
                      starts[l] + border * pitch + border});
  }
  return planes;
}

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
        const double x = static_cast<double>(*locations++) * static_cast<double>(plane.width) - 0.5;
        const double y =
            static_cast<double>(*locations++) * static_cast<double>(plane.height) - 0.5;
        add_point(plane, head, x, y, static_cast<double>(*weights++), out);
      }
    }
  }

 private:
  using Channels = Eigen::Map<const Eigen::ArrayXf>;

  /// The channels of a pixel; zeros outside the level.
  Channels corner(const Plane& plane, std::int64_t head, std::int64_t row,
                  std::int64_t column) const {
    const bool inside = row >= 0 && row < plane.height && column >= 0 && column < plane.width;
    const std::int64_t pixel = plane.origin + row * plane.pitch + column;
    return {inside ? image_ + (pixel * heads_ + head) * channels_ : zeros_.data(), channels_};
  }

  void add_point(const Plane& plane, std::int64_t head, double x, double y, double weight,
                 double* out) const {
    // False for NaN and infinities, which so contribute nothing.
    const bool counts = x > -1 && x < static_cast<double>(plane.width) && y > -1 &&
                        y < static_cast<double>(plane.height);
    if (!counts) return;
    const double left = std::floor(x);
    const double top = std::floor(y);
    const double dx = x - left;
    const double dy = y - top;
    const auto column = static_cast<std::int64_t>(left);
    const auto row = static_cast<std::int64_t>(top);
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
  const std::int64_t per_head = p.level_count() * p.points;
  std::vector<float> weights(static_cast<std::size_t>(per_head));
  std::vector<float> locations(static_cast<std::size_t>(2 * per_head));
  for (std::int64_t group = begin * p.heads; group < end * p.heads; ++group) {
    const std::int64_t first = (image * p.queries * p.heads + group) * per_head;
    load_floats(p.types.weight, input.weights.data(), first, weights);
    load_floats(p.types.location, input.locations.data(), 2 * first, locations);
    sampler.accumulate(group % p.heads, locations.data(), weights.data(), out + group * p.channels);
  }
}

}  // namespace

std::vector<double> compute_reference(const Input& input, unsigned threads) {
  constexpr std::int64_t kGrain = 64;
  const Problem& problem = input.problem;
  const std::int64_t image_outputs = problem.queries * problem.heads * problem.channels;
  std::vector<double> output(static_cast<std::size_t>(problem.output_elements()));
  ImageValues values(input);
  for (std::int64_t image = 0; image < problem.batch; ++image) {
    const Sampler sampler(problem, values.load(image, threads));
    double* const out = output.data() + image * image_outputs;
    parallel_for(problem.queries, kGrain, threads, [&](std::int64_t begin, std::int64_t end) {
      sample_queries(input, image, sampler, begin, end, out);
    });
  }
  return output;
}

std::vector<double> copy_reference(const Input& input) {
  const Problem& problem = input.problem;
  const std::int64_t row = problem.heads * problem.channels;
  const std::int64_t pixels = problem.spatial_size();
  std::vector<double> output(static_cast<std::size_t>(problem.output_elements()));
  parallel_for(problem.batch * problem.queries, 64, 0, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t to = begin; to < end; ++to) {
      const std::int64_t from = to / problem.queries * pixels + to % problem.queries % pixels;
      for (std::int64_t c = 0; c < row; ++c) {
        output[static_cast<std::size_t>(to * row + c)] =
            load_element(problem.types.value, input.value.data(), from * row + c);
      }
    }
  });
  return output;
}

double default_tolerance(const Problem& problem) {
  const Types& types = problem.types;
  const auto any_is = [&](DType type) {
    return types.value == type || types.weight == type || types.output == type;
  };
  if (any_is(DType::kBFloat16)) return 8e-3;
  if (any_is(DType::kFloat16)) return 1e-3;
  return 1e-5;
}

}  // namespace msda
