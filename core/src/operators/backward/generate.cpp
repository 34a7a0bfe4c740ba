#include <algorithm>
#include <cmath>

#include <msda/elements.hpp>

#include "input/elements.hpp"
#include "input/random.hpp"
#include "operators/backward/backward.hpp"
#include "operators/operator.hpp"
#include "parallel.hpp"
#include "problem/validate.hpp"
#include "reference/image.hpp"

namespace msda::backward {
namespace {

float stored_as(DType type, float x) {
  return with_type(type, [&]<DType kType>() {
    Element<kType> element;
    from_float(x, element);
    return to_float(element);
  });
}

/// The location, or the number of the type closest to it whose coordinate on an axis of `size`
/// pixels is off the knots; the location again where that is more than a pixel away.
float location_off_knots(DType type, float location, std::int64_t size) {
  float moved = location;
  const double at = pixels(location, size);
  const double found = off_knots(at, size, [&](double target) {
    moved = stored_as(type, static_cast<float>((target + 0.5) / static_cast<double>(size)));
    return pixels(moved, size);
  });
  return found == at ? location : moved;
}

void keep_off_knots(const Problem& problem, Bytes& locations, unsigned threads) {
  constexpr std::int64_t kGrain = 256;
  const DType type = problem.types.location;
  const std::int64_t per_row = 2 * problem.row_points();
  parallel_for(
      problem.batch * problem.queries * problem.heads, kGrain, threads,
      [&](std::int64_t begin, std::int64_t end) {
        std::vector<float> row(static_cast<std::size_t>(per_row));
        for (std::int64_t i = begin; i < end; ++i) {
          load_floats(type, locations.data(), i * per_row, row);
          for (std::size_t e = 0; e < row.size(); ++e) {
            const Level& level = problem.levels[problem.level_of(static_cast<std::int64_t>(e / 2))];
            row[e] = location_off_knots(type, row[e], e % 2 == 0 ? level.width : level.height);
          }
          store_floats(type, row, locations.data(), i * per_row);
        }
      });
}

}  // namespace

Bytes generate_gradient(const Problem& problem, std::uint64_t seed, unsigned threads) {
  constexpr std::int64_t kGrain = 1 << 15;
  const RandomSource random(seed);
  Bytes gradient(static_cast<std::size_t>(bytes_of(problem, kGradOutput)));
  parallel_for(elements(problem, kGradOutput), kGrain, threads,
               [&](std::int64_t begin, std::int64_t end) {
                 std::vector<float> numbers(static_cast<std::size_t>(end - begin));
                 random.fill_normals(RandomStream::kGradient, begin, numbers);
                 store_floats(problem.types.output, numbers, gradient.data(), begin);
               });
  return gradient;
}

Input generate_input(const Problem& problem, const Generation& generation, unsigned threads) {
  validate(problem, kTensors);
  Input forward = generate(problem, generation, threads);
  Input input(problem, kTensors);
  input.origin = std::move(forward.origin);
  for (const Tensor tensor : {kValue, kLocations, kWeights}) {
    input.tensors[tensor] = std::move(forward.tensors[tensor]);
  }
  if (generation.distribution != Distribution::kBorder) {
    keep_off_knots(problem, input.tensors[kLocations], threads);
  }
  input.tensors[kGradOutput] = generate_gradient(problem, generation.seed, threads);
  return input;
}

}  // namespace msda::backward
