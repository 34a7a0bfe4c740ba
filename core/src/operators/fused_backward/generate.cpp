#include <msda/elements.hpp>

#include "input/elements.hpp"
#include "operators/backward/backward.hpp"
#include "operators/fused_backward/fused_backward.hpp"
#include "parallel.hpp"
#include "problem/validate.hpp"
#include "reference/image.hpp"

namespace msda::fused_backward {
namespace {

/// Moves the coordinates of a row's points off the knots by their offsets.
void keep_row_off_knots(const Problem& problem, const fused::RowPoints& points,
                        const RowChain& chain, std::int64_t row, Bytes& offsets) {
  const auto count = static_cast<std::int64_t>(points.x.size());
  for (std::int64_t p = 0; p < count; ++p) {
    const Level& level = problem.levels[problem.level_of(p)];
    const RowChain::Factors factors = chain.of(p);
    for (std::int64_t axis = 0; axis < 2; ++axis) {
      const double at = (axis == 0 ? points.x : points.y)[static_cast<std::size_t>(p)];
      const std::int64_t element = 2 * (row * count + p) + axis;
      const double own = load_element(problem.types.location, offsets.data(), element);
      const auto store = [&](double offset) {
        store_element(problem.types.location, offsets.data(), element, static_cast<float>(offset));
        return load_element(problem.types.location, offsets.data(), element);
      };
      const double moved =
          backward::off_knots(at, axis == 0 ? level.width : level.height, [&](double target) {
            return at +
                   (store(own + (target - at) / factors.offset[axis]) - own) * factors.offset[axis];
          });
      if (moved == at) store(own);
    }
  }
}

}  // namespace

Input generate_input(const Problem& problem, const Generation& generation, unsigned threads) {
  validate(problem, kTensors);
  Problem of_fused = problem;
  of_fused.unasked = 0;
  Input points = fused::generate_input(of_fused, generation, threads);
  Input input(problem, kTensors);
  input.origin = std::move(points.origin);
  input.tensors[kValue] = std::move(points.tensors[fused::kValue]);
  input.tensors[kOffsets] = points.tensors[fused::kOffsets];
  input.tensors[kLogits] = points.tensors[fused::kLogits];
  input.tensors[kReferences] = points.tensors[fused::kReferences];
  input.tensors[kPaddingMask] = points.tensors[fused::kPaddingMask];
  input.tensors[kGradOutput] = backward::generate_gradient(problem, generation.seed, threads);
  if (generation.distribution == Distribution::kBorder) return input;
  Bytes& offsets = input.tensors[kOffsets];
  const Input stored = input;  // whose points are read while offsets change
  parallel_for(problem.batch * problem.queries * problem.heads, fused::kRowGrain, threads,
               [&](std::int64_t begin, std::int64_t end) {
                 fused::RowPoints row_points(points);
                 RowChain chain(stored);
                 for (std::int64_t row = begin; row < end; ++row) {
                   row_points.load(row);
                   chain.load(row);
                   keep_row_off_knots(problem, row_points, chain, row, offsets);
                 }
               });
  return input;
}

}  // namespace msda::fused_backward
