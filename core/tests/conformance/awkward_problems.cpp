#include "conformance/awkward_problems.hpp"

#include <algorithm>
#include <limits>

#include <msda/operators/forward.hpp>
#include "input/elements.hpp"
#include "operators/operator.hpp"
#include "support/problems.hpp"

namespace msda {
namespace {

Problem make(std::int64_t batch, std::int64_t queries, std::int64_t heads, std::int64_t channels,
             std::int64_t points, std::vector<Level> levels, Types types, ValueLayout layout) {
  return named(make_problem({.batch = batch,
                             .queries = queries,
                             .heads = heads,
                             .channels = channels,
                             .points = points,
                             .levels = std::move(levels),
                             .layout = layout,
                             .types = types}));
}

}  // namespace

std::vector<AwkwardProblem> awkward_problems() {
  const Types fp32 = Types::all(DType::kFloat32);
  const Types fp16 = Types::all(DType::kFloat16);
  const Types bf16 = Types::all(DType::kBFloat16);
  const Types mixed{DType::kFloat16, DType::kFloat32, DType::kBFloat16, DType::kFloat32};
  const auto plain = ValueLayout::kPlain;
  const auto border = ValueLayout::kZeroBorder;
  const std::vector<Level> pyramid = {{9, 14}, {5, 7}, {3, 4}, {2, 2}};
  const auto generation = [](Distribution distribution, std::uint64_t seed) {
    Generation g;
    g.distribution = distribution;
    g.seed = seed;
    return g;
  };
  // The largest value, by far, is the last pixel's, where a point reads it.
  constexpr std::uint64_t kSeedOfLargestLast = 37;
  return {
      {make(1, 1, 1, 32, 1, {{1, 1}}, fp32, plain), generation(Distribution::kUniform, 1)},
      {make(1, 1, 1, 8, 4, {{1, 5}}, fp16, plain),
       generation(Distribution::kUniform, kSeedOfLargestLast)},
      {make(1, 7, 1, 8, 3, {{5, 1}}, fp32, border), generation(Distribution::kOutside, 3)},
      {make(2, 13, 3, 16, 5, {{6, 5}, {3, 3}}, fp16, plain), generation(Distribution::kBorder, 4)},
      {make(3, 29, 8, 32, 4, pyramid, fp32, plain), generation(Distribution::kDirectional, 5)},
      {make(1, 101, 1, 32, 8, pyramid, fp16, plain), generation(Distribution::kUniform, 6)},
      {make(2, 37, 1, 32, 8, pyramid, fp16, border), generation(Distribution::kLocal, 7)},
      {make(1, 257, 2, 64, 2, {{7, 11}, {4, 6}, {1, 1}}, bf16, plain),
       generation(Distribution::kUniform, 8)},
      {make(1, 17, 4, 24, 7, {{8, 8}, {4, 4}, {2, 2}, {1, 1}, {1, 2}}, fp32, plain),
       generation(Distribution::kOutside, 9)},
      {make(2, 5, 2, 40, 6, {{3, 9}}, bf16, border), generation(Distribution::kClustered, 10)},
      {make(1, 64, 8, 32, 4, pyramid, mixed, plain), generation(Distribution::kUniform, 11)},
      {make(1, 33, 1, 16, 2, {{36, 36}}, fp16, plain), generation(Distribution::kSame, 12)},
      {make(2, 41, 2, 32, 4, pyramid, fp32, plain), generation(Distribution::kUniform, 13), true},
      {make(1, 41, 1, 32, 8, pyramid, fp16, border), generation(Distribution::kUniform, 14), true},
  };
}

Problem problem_with_points(std::vector<std::int64_t> points, const Types& types) {
  Problem problem = make_problem({.batch = 2,
                                  .queries = 23,
                                  .heads = 2,
                                  .channels = 32,
                                  .points = std::ranges::max(points),
                                  .levels = {{9, 14}, {5, 7}, {3, 4}},
                                  .types = types});
  if (points.size() > 1) problem.level_points = std::move(points);
  return problem;
}

Input make_input(const AwkwardProblem& awkward, std::string_view op) {
  Input input = find_operator(op).generate(awkward.problem, awkward.generation, 0);
  if (!awkward.hostile_locations) return input;
  const float hostile[] = {std::numeric_limits<float>::quiet_NaN(),
                           std::numeric_limits<float>::infinity(),
                           -std::numeric_limits<float>::infinity(), 1e30F, -1e30F};
  const DType type = awkward.problem.types.location;
  Bytes& places = input.at(op.starts_with("fused") ? "offsets" : "locations");
  for (std::int64_t i = 0; i < elements(awkward.problem, forward::kLocations); i += 7) {
    store_element(type, places.data(), i, hostile[static_cast<std::size_t>(i) / 7 % 5]);
  }
  return input;
}

}  // namespace msda
