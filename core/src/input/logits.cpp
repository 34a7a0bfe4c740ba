#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include <msda/error.hpp>
#include <msda/operators/forward.hpp>

#include "input/elements.hpp"
#include "parallel.hpp"

namespace msda {
namespace {

/// More than rounding the weights to bf16 can take a row's sum away from 1.
constexpr double kFarFromOne = 0.01;

/// In place: weights to logits, the largest of which is 0, where 16-bit types are finest. A weight
/// of zero becomes minus infinity, which no softmax counts.
void to_logits(std::span<float> weights) {
  double sum = 0;
  for (const float weight : weights) {
    sum += weight >= 0 ? static_cast<double>(weight) : std::numeric_limits<double>::quiet_NaN();
  }
  if (!(std::abs(sum - 1) <= kFarFromOne)) {
    throw Unsupported(
        fmt::format("it takes logits, and weights that sum to {:.3g} are no softmax of any", sum));
  }
  const double largest = *std::max_element(weights.begin(), weights.end());
  for (float& weight : weights) weight = static_cast<float>(std::log(weight / largest));
}

}  // namespace

Bytes logits_of(const Input& input, unsigned threads) {
  constexpr std::int64_t kGrain = 256;
  const Problem& problem = input.problem;
  const std::int64_t per_row = problem.row_points();
  const Bytes& weights = input.tensors[forward::kWeights];
  Bytes logits(weights.size());
  parallel_for(problem.batch * problem.queries * problem.heads, kGrain, threads,
               [&](std::int64_t begin, std::int64_t end) {
                 std::vector<float> row(static_cast<std::size_t>(per_row));
                 for (std::int64_t i = begin; i < end; ++i) {
                   load_floats(problem.types.weight, weights.data(), i * per_row, row);
                   to_logits(row);
                   store_floats(problem.types.weight, row, logits.data(), i * per_row);
                 }
               });
  return logits;
}

}  // namespace msda
