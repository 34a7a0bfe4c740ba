#include <algorithm>
#include <cmath>

#include <msda/error.hpp>

#include "input/elements.hpp"
#include "input/locations.hpp"
#include "input/random.hpp"
#include "operators/forward/forward.hpp"
#include "operators/fused/fused.hpp"
#include "parallel.hpp"
#include "problem/validate.hpp"
#include "reference/image.hpp"

namespace msda::fused {
namespace {

/// The part of each axis that an image fills of the room that its batch has.
struct Filled {
  double across = 1;
  double down = 1;

  /// Pixels of a level that the image has, the last of them perhaps a part of one.
  static std::int64_t pixels(double part, std::int64_t size) {
    return std::llround(std::ceil(part * static_cast<double>(size)));
  }
};

Filled filled_by(const Problem& problem, const RandomSource& random, std::int64_t image) {
  constexpr double kLeast = 0.5;
  const PhiloxCounter words = random.block(RandomStream::kImage, static_cast<std::uint64_t>(image));
  // The widest and the highest of several images need no padding along that axis.
  const bool is_widest = problem.batch > 1 && image == 0;
  const bool is_highest = problem.batch > 1 && image + 1 == problem.batch;
  return {.across = is_widest ? 1 : kLeast + (1 - kLeast) * to_uniform(words[0]),
          .down = is_highest ? 1 : kLeast + (1 - kLeast) * to_uniform(words[1])};
}

/// Where `centre` is on a level, as models have it (the valid ratios of Deformable DETR): an image
/// fills whole pixels of each level, so that its end lies elsewhere on each.
Location on_level(const Location& centre, const Filled& filled, const Level& level) {
  const auto moved = [](double at, double part, std::int64_t size) {
    return at * static_cast<double>(Filled::pixels(part, size)) /
           (part * static_cast<double>(size));
  };
  return {moved(centre.x, filled.across, level.width), moved(centre.y, filled.down, level.height)};
}

/// [R, 2 or 4] of query `row % problem.queries`, which stands at `centre`, of an image.
void make_references(const Problem& problem, const RandomSource& random, std::int64_t row,
                     const Location& centre, std::vector<float>& references) {
  constexpr double kApart = 0.03;     // standard deviation of anchors, in units of the image
  constexpr double kSmallest = 0.05;  // box
  constexpr double kRange = 10;       // of the largest box over the smallest
  const auto coordinates = static_cast<std::size_t>(problem.references.coordinates);
  const std::int64_t count = problem.reference_count();
  const Filled filled = filled_by(problem, random, row / problem.queries);
  for (std::int64_t r = 0; r < count; ++r) {
    const PhiloxCounter words =
        random.block(RandomStream::kReference, static_cast<std::uint64_t>(row * count + r));
    const NormalPair moved = to_normals(words[0], words[1]);
    const double apart = problem.references.anchors > 1 ? kApart : 0;
    float* const reference = references.data() + static_cast<std::size_t>(r) * coordinates;
    const bool is_of_level = problem.references.anchors == 0;
    const Location at = is_of_level
                            ? on_level(centre, filled, problem.levels[static_cast<std::size_t>(r)])
                            : centre;
    reference[0] = static_cast<float>(at.x + apart * moved.first);
    reference[1] = static_cast<float>(at.y + apart * moved.second);
    for (std::size_t k = 2; k < coordinates; ++k) {
      reference[k] = static_cast<float>(kSmallest * std::pow(kRange, to_uniform(words[k])));
    }
  }
}

Bytes generate_references(const Problem& problem, const RandomSource& random, unsigned threads) {
  const std::vector<Location> centres = reference_points(problem);
  Bytes all(static_cast<std::size_t>(bytes_of(problem, kReferences)));
  parallel_for(
      problem.batch * problem.queries, kRowGrain, threads,
      [&](std::int64_t begin, std::int64_t end) {
        std::vector<float> references(
            static_cast<std::size_t>(problem.reference_count() * problem.references.coordinates));
        for (std::int64_t row = begin; row < end; ++row) {
          make_references(problem, random, row,
                          centres[static_cast<std::size_t>(row % problem.queries)], references);
          store_floats(problem.types.reference, references, all.data(),
                       row * static_cast<std::int64_t>(references.size()));
        }
      });
  return all;
}

/// The offsets from the references, as stored, to the locations of an input of `forward`.
Bytes generate_offsets(const Problem& problem, const Bytes& references, const Bytes& locations,
                       unsigned threads) {
  const auto points = static_cast<std::size_t>(problem.row_points());
  const std::int64_t coordinates = problem.references.coordinates;
  Bytes all(static_cast<std::size_t>(bytes_of(problem, kOffsets)));
  const auto offset = [&](std::int64_t row, std::size_t at, std::size_t axis, float location) {
    const std::size_t level = problem.level_of(static_cast<std::int64_t>(at));
    const std::int64_t point = static_cast<std::int64_t>(at) - problem.first_point(level);
    const std::int64_t first = (row / problem.heads * problem.reference_count() +
                                reference_of(problem, static_cast<std::int64_t>(level), point)) *
                                   coordinates +
                               static_cast<std::int64_t>(axis);
    const Level& size = problem.levels[level];
    const auto extent = static_cast<double>(axis == 0 ? size.width : size.height);
    const auto load = [&](std::int64_t i) {
      return load_element(problem.types.reference, references.data(), i);
    };
    const double distance = static_cast<double>(location) - load(first);
    if (coordinates == 2) return distance * extent;
    return distance / part_of_box(problem, static_cast<std::int64_t>(at)) / load(first + 2);
  };
  parallel_for(problem.batch * problem.queries * problem.heads, kRowGrain, threads,
               [&](std::int64_t begin, std::int64_t end) {
                 std::vector<float> row(2 * points);
                 for (std::int64_t i = begin; i < end; ++i) {
                   const auto first = i * static_cast<std::int64_t>(row.size());
                   load_floats(DType::kFloat32, locations.data(), first, row);
                   for (std::size_t e = 0; e < row.size(); ++e) {
                     row[e] = static_cast<float>(offset(i, e / 2, e % 2, row[e]));
                   }
                   store_floats(problem.types.location, row, all.data(), first);
                 }
               });
  return all;
}

Bytes generate_logits(const Problem& problem, const RandomSource& random, unsigned threads) {
  constexpr double kSpread = 0.5;  // of the logarithm of a row's standard deviation
  constexpr std::uint32_t kOneIn = 8;
  constexpr float kSaturated = 16;  // times as large
  const std::int64_t per_row = problem.row_points();
  Bytes logits(static_cast<std::size_t>(bytes_of(problem, kLogits)));
  parallel_for(problem.batch * problem.queries * problem.heads, kRowGrain, threads,
               [&](std::int64_t begin, std::int64_t end) {
                 std::vector<float> row(static_cast<std::size_t>(per_row));
                 for (std::int64_t i = begin; i < end; ++i) {
                   random.fill_normals(RandomStream::kLogit, i * per_row, row);
                   const PhiloxCounter words =
                       random.block(RandomStream::kRow, static_cast<std::uint64_t>(i));
                   auto scale =
                       static_cast<float>(std::exp(kSpread * to_normals(words[0], words[1]).first));
                   if (words[2] % kOneIn == 0) scale *= kSaturated;
                   for (float& logit : row) logit *= scale;
                   store_floats(problem.types.weight, row, logits.data(), i * per_row);
                 }
               });
  return logits;
}

/// What is right of an image that fills a part of its axes, or below.
Bytes generate_mask(const Problem& problem, const RandomSource& random) {
  const std::int64_t pixels = problem.spatial_size();
  Bytes mask(static_cast<std::size_t>(bytes_of(problem, kPaddingMask)));
  const std::vector<Plane> planes = planes_of(problem);
  for (std::int64_t image = 0; image < problem.batch; ++image) {
    const Filled filled = filled_by(problem, random, image);
    for (const Plane& plane : planes) {
      const std::int64_t width = Filled::pixels(filled.across, plane.width);
      const std::int64_t height = Filled::pixels(filled.down, plane.height);
      for (std::int64_t row = 0; row < plane.height; ++row) {
        for (std::int64_t column = row < height ? width : 0; column < plane.width; ++column) {
          mask[static_cast<std::size_t>(image * pixels + plane.pixel(row, column))] = std::byte{1};
        }
      }
    }
  }
  return mask;
}

}  // namespace

Input without_padding(const Input& input) {
  Input bare = input;
  bare.problem.padding = false;
  bare.at("padding_mask").clear();
  const Bytes& mask = input.at("padding_mask");
  const std::size_t pixel = input.tensors[kValue].size() / mask.size();
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (mask[i] != std::byte{0})
      std::fill_n(bare.tensors[kValue].data() + i * pixel, pixel, std::byte{0});
  }
  return bare;
}

Input generate_input(const Problem& problem, const Generation& generation, unsigned threads) {
  validate(problem, kTensors);
  if (generation.weights != WeightKind::kSoftmax) {
    throw UsageError("weights: this operator has logits, and the softmax is its own");
  }
  Problem in_fp32 = problem;
  in_fp32.padding = false;
  in_fp32.types.location = DType::kFloat32;
  Input forward = generate(in_fp32, generation, threads);
  const RandomSource random(generation.seed);
  Input input(problem, kTensors);
  input.origin = std::move(forward.origin);
  input.tensors[kValue] = std::move(forward.tensors[forward::kValue]);
  input.tensors[kReferences] = generate_references(problem, random, threads);
  input.tensors[kOffsets] = generate_offsets(problem, input.tensors[kReferences],
                                             forward.tensors[forward::kLocations], threads);
  input.tensors[kLogits] = generate_logits(problem, random, threads);
  if (problem.padding) input.tensors[kPaddingMask] = generate_mask(problem, random);
  return input;
}

}  // namespace msda::fused
