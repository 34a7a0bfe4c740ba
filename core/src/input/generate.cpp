#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>

#include <msda/error.hpp>
#include <msda/operators/forward.hpp>

#include "input/elements.hpp"
#include "input/input.hpp"
#include "input/limits.hpp"
#include "input/locations.hpp"
#include "input/random.hpp"
#include "parallel.hpp"
#include "problem/validate.hpp"

namespace msda {
namespace {

/// One row of pixels of one level: its inner pixels in the stored tensor and in the plain
/// numbering.
struct Row {
  std::int64_t stored;  ///< first inner pixel in an image of `value`
  std::int64_t plain;   ///< the same pixel when no level has a border
  std::int64_t width;   ///< inner pixels
};

std::vector<Row> pixel_rows(const Problem& problem) {
  const std::int64_t border = problem.layout == ValueLayout::kZeroBorder ? 1 : 0;
  const std::vector<std::int64_t> starts = problem.level_starts();
  std::vector<Row> rows;
  std::int64_t plain = 0;
  for (std::size_t l = 0; l < problem.levels.size(); ++l) {
    const Level& level = problem.levels[l];
    for (std::int64_t y = 0; y < level.height; ++y) {
      rows.push_back(
          {starts[l] + (y + border) * problem.level_pitch(l) + border, plain, level.width});
      plain += level.width;
    }
  }
  return rows;
}

/// A border changes where a pixel lies, never what it holds: numbers are drawn by its plain number.
Bytes generate_value(const Problem& problem, const RandomSource& random, unsigned threads) {
  const std::vector<Row> rows = pixel_rows(problem);
  const std::int64_t row_count = static_cast<std::int64_t>(rows.size());
  const std::int64_t per_pixel = problem.heads * problem.channels;
  const std::int64_t stored_pixels = problem.spatial_size();
  const std::int64_t plain_pixels = rows.back().plain + rows.back().width;
  Bytes value;
  resize_by_many(value, static_cast<std::size_t>(bytes_of(problem, forward::kValue)), threads);
  parallel_for(problem.batch * row_count, 1, threads, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> buffer;
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t image = i / row_count;
      const Row& row = rows[static_cast<std::size_t>(i % row_count)];
      buffer.resize(static_cast<std::size_t>(row.width * per_pixel));
      random.fill_normals(RandomStream::kValue, (image * plain_pixels + row.plain) * per_pixel,
                          buffer);
      store_floats(problem.types.value, buffer, value.data(),
                   (image * stored_pixels + row.stored) * per_pixel);
    }
  });
  return value;
}

/// In place; the largest logit is subtracted first, so nothing overflows.
void softmax(std::span<float> logits) {
  const float largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (float& x : logits) {
    const double e = std::exp(static_cast<double>(x) - static_cast<double>(largest));
    x = static_cast<float>(e);
    sum += e;
  }
  for (float& x : logits) x = static_cast<float>(x / sum);
}

/// Of normals, in place: each has a distribution function that is uniform.
void to_uniform_weights(std::span<float> normals) {
  for (float& x : normals) {
    x = static_cast<float>(0.5 * std::erfc(-static_cast<double>(x) / std::numbers::sqrt2));
  }
}

Bytes generate_weights(const Problem& problem, WeightKind kind, const RandomSource& random,
                       unsigned threads) {
  constexpr std::int64_t kGrain = 256;
  const std::int64_t per_group = problem.row_points();
  Bytes weights;
  resize_by_many(weights, static_cast<std::size_t>(bytes_of(problem, forward::kWeights)), threads);
  parallel_for(problem.batch * problem.queries * problem.heads, kGrain, threads,
               [&](std::int64_t begin, std::int64_t end) {
                 std::vector<float> group(static_cast<std::size_t>(per_group));
                 for (std::int64_t i = begin; i < end; ++i) {
                   random.fill_normals(RandomStream::kLogit, i * per_group, group);
                   kind == WeightKind::kSoftmax ? softmax(group) : to_uniform_weights(group);
                   store_floats(problem.types.weight, group, weights.data(), i * per_group);
                 }
               });
  return weights;
}

/// "local, sigma 2, seed 7": all that the locations depend on.
std::string origin_of(const Generation& generation) {
  std::string origin(name_of(generation.distribution));
  switch (generation.distribution) {
    case Distribution::kUniform:
      if (generation.low != 0 || generation.high != 1) {
        origin += fmt::format(" from {} to {}", generation.low, generation.high);
      }
      break;
    case Distribution::kLocal: origin += fmt::format(", sigma {}", generation.sigma); break;
    case Distribution::kClustered:
      origin += fmt::format(", {} objects, sigma {}", generation.objects, generation.sigma);
      break;
    case Distribution::kOutside:
      origin += fmt::format(", share {}", generation.outside_share);
      break;
    default: break;
  }
  if (generation.weights != WeightKind::kSoftmax) {
    origin += fmt::format(", {} weights", name_of(generation.weights));
  }
  if (generation.query_order == QueryOrder::kShuffled) origin += ", queries shuffled";
  return origin + fmt::format(", seed {}", generation.seed);
}

}  // namespace

void validate(const Generation& generation) {
  if (!std::isfinite(generation.low) || !std::isfinite(generation.high) ||
      generation.low > generation.high) {
    throw UsageError(fmt::format("low is {} and high {}: locations go from one to the other",
                                 generation.low, generation.high));
  }
  if (!std::isfinite(generation.sigma) || generation.sigma < 0) {
    throw UsageError(
        fmt::format("sigma is {}: it must be a number of pixels, 0 or more", generation.sigma));
  }
  if (!(generation.outside_share >= 0 && generation.outside_share <= 1)) {
    throw UsageError(
        fmt::format("outside_share is {}: it must lie in 0..1", generation.outside_share));
  }
  if (generation.objects < 1 || generation.objects > kMostObjects) {
    throw UsageError(
        fmt::format("objects is {}: it must lie in 1..{}", generation.objects, kMostObjects));
  }
}

std::vector<std::string> idle_settings(const Generation& generation) {
  using D = Distribution;
  const D own = generation.distribution;
  std::vector<std::string> names;
  const auto check = [&](auto Generation::*member, const char* name, bool is_used) {
    if (!is_used && generation.*member != Generation().*member) names.emplace_back(name);
  };
  check(&Generation::low, "low", own == D::kUniform);
  check(&Generation::high, "high", own == D::kUniform);
  check(&Generation::sigma, "sigma", own == D::kLocal || own == D::kClustered);
  check(&Generation::outside_share, "outside_share", own == D::kOutside);
  check(&Generation::objects, "objects", own == D::kClustered);
  return names;
}

Input generate(const Problem& problem, const Generation& generation, unsigned threads) {
  msda::validate(problem, forward::kTensors);
  validate(generation);
  const RandomSource random(generation.seed);
  Input input(problem, forward::kTensors);
  input.tensors[forward::kValue] = generate_value(problem, random, threads);
  input.tensors[forward::kLocations] = generate_locations(problem, generation, random, threads);
  input.tensors[forward::kWeights] = generate_weights(problem, generation.weights, random, threads);
  input.origin = origin_of(generation);
  return input;
}

}  // namespace msda
