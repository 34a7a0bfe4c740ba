#include "conformance/special_values.hpp"

#include <bit>
#include <string>

#include <msda/operators/forward.hpp>
#include "input/elements.hpp"
#include "operators/operator.hpp"
#include "support/problems.hpp"

namespace msda {
namespace {

using Number = std::int64_t;

// Of the awkward problems: with several levels and heads or images.
constexpr std::size_t kHalves[] = {5, 3};
constexpr std::size_t kFloats[] = {4, 12};

Case case_of(const AwkwardProblem& awkward, const std::function<void(Input&)>& change) {
  Input input = make_input(awkward);
  change(input);
  const Operator& op = find_operator(kDefaultOperator);
  std::vector<Truth> truths = make_truths(op, input);
  return {awkward.problem, std::move(input), std::move(truths)};
}

Case case_of(std::size_t number, const std::function<void(Input&)>& change) {
  return case_of(awkward_problems().at(number), change);
}

/// The second level is one vector, which is the last part that is read of it.
AwkwardProblem one_vector() {
  AwkwardProblem awkward = awkward_problems().at(1);
  awkward.problem.queries = 7;
  awkward.problem.levels = {{3, 4}, {1, 1}};
  awkward.problem = named(awkward.problem);
  return awkward;
}

/// Of all images and heads.
void clear_second_level(Input& input) {
  const Problem& problem = input.problem;
  const std::vector<Number> starts = problem.level_starts();
  const Number pixel = problem.heads * problem.channels;
  const Number end = problem.level_count() > 2 ? starts[2] : problem.spatial_size();
  for (Number image = 0; image < problem.batch; ++image) {
    const Number first = image * problem.spatial_size();
    for (Number i = (first + starts[1]) * pixel; i < (first + end) * pixel; ++i) {
      store_element(problem.types.value, input.tensors[forward::kValue].data(), i, 0);
    }
  }
}

void negate_every_other_weight(Input& input) {
  Bytes& weights = input.tensors[forward::kWeights];
  const DType type = input.problem.types.weight;
  for (Number i = 0; i < forward::elements(input.problem, forward::kWeights); i += 2) {
    store_element(type, weights.data(), i, -load_element(type, weights.data(), i));
  }
}

/// Both lower bytes of a float the same.
void round_to_24_bits(Input& input) {
  Bytes& values = input.tensors[forward::kValue];
  const DType type = input.problem.types.value;
  for (Number i = 0; i < forward::elements(input.problem, forward::kValue); ++i) {
    const auto value = static_cast<float>(load_element(type, values.data(), i));
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t byte = bits >> 8U & 0xffU;
    store_element(type, values.data(), i,
                  std::bit_cast<float>((bits & 0xffff0000U) | byte << 8U | byte));
  }
}

}  // namespace

const std::vector<Case>& special_cases() {
  static const std::vector<Case> kCases = {case_of(kHalves[0], clear_second_level),
                                           case_of(kHalves[1], clear_second_level),
                                           case_of(kHalves[0], negate_every_other_weight),
                                           case_of(kHalves[1], negate_every_other_weight),
                                           case_of(kFloats[0], round_to_24_bits),
                                           case_of(kFloats[1], round_to_24_bits),
                                           case_of(one_vector(), [](Input&) {})};
  return kCases;
}

std::vector<SpecialCase> special_values() {
  const Use columns{"int8-value", {{"blend", std::string("columns")}}};
  const Use pair{"corner-pair", {{"threads", Number{64}}}};
  const Use compact{"shared-metadata", {{"compact", true}}};
  const Use blocks_of_8{"channel-blocked", {{"block", Number{8}}}};
  const std::vector<std::size_t> zeros = {0, 1};
  const std::vector<std::size_t> negative = {2, 3};
  const auto of = [](std::vector<Use> uses) { return Composition(shipped_plugins(), uses); };
  return {{of({{"fp8-value", {}}}), {0, 1, 6}, false},
          {of({{"int8-value", {}}}), {0, 1, 6}, false},
          {of({columns}), zeros, false},
          {of({columns}), negative, false},
          {of({}), negative, false},
          {of({{"mixed-precision", {}}, compact}), negative, false},
          {of({{"mixed-precision", {}}, compact, pair}), zeros, false},
          {of({{"tma-boxes", {}}, blocks_of_8, {"int8-value", {}}}), zeros, false},
          {of({{"tma-boxes", {}}, blocks_of_8, {"fp8-value", {}}}), zeros, false},
          {of({{"float24-value", {}}}), {4, 5}, true},
          {of({{"float24-value", {}}, {"vector-loads", {}}}), {4, 5}, true},
          // Vectors of two words, of several images.
          {of({{"texture-fetch", {}}, {"vector-loads", {{"width", Number{8}}}}}), {4, 5}, false}};
}

}  // namespace msda
