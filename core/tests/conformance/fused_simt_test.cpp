// The operator `fused` on the skeletons of `forward`, on the device simt.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <msda/operators/fused.hpp>

#include "conformance/conformance.hpp"
#include "conformance/simt_checks.hpp"
#include "device/device.hpp"
#include "input/elements.hpp"
#include "input/input.hpp"
#include "measure/device_input.hpp"
#include "support/problems.hpp"

namespace msda {
namespace {

using ::testing::HasSubstr;

class FusedOnSimt : public ::testing::TestWithParam<SimtCheck> {};

TEST_P(FusedOnSimt, IsRightAndNothingIsFound) {
  EXPECT_EQ(run(GetParam()), "") << GetParam().composition.describe();
}

INSTANTIATE_TEST_SUITE_P(Shipped, FusedOnSimt, ::testing::ValuesIn(fused_checks()),
                         [](const auto& info) { return info.param.name; });

class LevelPointsOnSimt : public ::testing::TestWithParam<SimtCheck> {};

TEST_P(LevelPointsOnSimt, IsRightAndNothingIsFound) {
  EXPECT_EQ(run(GetParam()), "") << GetParam().composition.describe();
}

INSTANTIATE_TEST_SUITE_P(Shipped, LevelPointsOnSimt, ::testing::ValuesIn(level_points_checks()),
                         [](const auto& info) { return info.param.name; });

const Operator& fused_operator_of_tests() { return find_operator("fused"); }

Composition fused_composition(const std::vector<Use>& uses) {
  return Composition(shipped_plugins(), uses).computing(fused_operator_of_tests());
}

TEST(FusedCompositions, ThatReadLocationsThemselvesSaySo) {
  for (const std::string name : {"im2col", "flash-deform", "tensor-core-attempt"}) {
    EXPECT_THAT(shipped_composition(name).refuses(fused_operator_of_tests()),
                HasSubstr("has no slot 'points'"));
  }
  EXPECT_THAT(shipped_composition("cpu-scalar").refuses(fused_operator_of_tests()),
              HasSubstr("is a kernel of its own"));
}

TEST(FusedCompositions, RoundWhatTheirPartsAndTheirPointsRound) {
  const Composition plain(shipped_plugins(), {});
  const Problem problem = awkward_problems().front().problem;
  EXPECT_GT(fused_composition({}).arithmetic(problem).weights.times,
            plain.arithmetic(problem).weights.times);
}

TEST(FusedCompositions, LosePowersBelowTheNormalNumbersWhereWeightsAreCoarserAsWell) {
  Problem problem = awkward_problems().front().problem;
  problem.types = Types::all(DType::kBFloat16);
  const auto lost = [&](const Composition& composition) {
    const Rounding weights = composition.arithmetic(problem).weights;
    return std::sqrt(weights.times) * weights.to.smallest;
  };
  const Composition coarse = fused_composition({{"mixed-precision", {}}});
  EXPECT_EQ(coarse.arithmetic(problem).weights.to.unit, kBf16.unit);
  EXPECT_DOUBLE_EQ(lost(coarse), lost(fused_composition({})));
}

/// Whether rows of small logits have the same bits beside rows of small and of large ones.
void expect_bits_of_their_own(const Composition& composition) {
  Problem problem = make_problem(
      {.queries = 64, .heads = 4, .channels = 8, .points = 2, .levels = {{6, 7}, {3, 4}}});
  const auto device = open_device("simt:1");
  const Prepared prepared = device->prepare(composition, problem);
  Input input = composition.op().generate(problem, Generation(), 0);
  const std::int64_t count = msda::elements(problem, fused::kTensors[fused::kLogits]);
  Bytes& logits = input.tensors[fused::kLogits];
  for (std::int64_t i = 0; i < count; ++i) {
    store_element(DType::kFloat32, logits.data(), i, 0.1F * static_cast<float>(i % 7));
  }
  const auto output = [&] {
    DeviceInput tensors(*device, input);
    prepared.executable->bind(tensors.tensors());
    prepared.executable->launch(tensors.tensors(), device->stream());
    return tensors.download_output(0);
  };
  const Bytes before = output();
  const std::int64_t of_query = count / problem.queries;
  for (std::int64_t i = 0; i < of_query; ++i) {  // of query 5
    store_element(DType::kFloat32, logits.data(), 5 * of_query + i, 100.0F + static_cast<float>(i));
  }
  const Bytes after = output();
  const std::size_t bytes = before.size() / static_cast<std::size_t>(problem.queries);
  for (std::size_t query = 0; query < 64; ++query) {
    const bool same = std::equal(before.begin() + static_cast<std::ptrdiff_t>(query * bytes),
                                 before.begin() + static_cast<std::ptrdiff_t>((query + 1) * bytes),
                                 after.begin() + static_cast<std::ptrdiff_t>(query * bytes));
    EXPECT_EQ(same, query != 5) << composition.describe() << ", query " << query;
  }
}

TEST(FusedCompositions, LeaveTheBitsOfARowWhateverRowsAreBesideIt) {
  expect_bits_of_their_own(fused_composition({{"shared-metadata", {}}}));
  expect_bits_of_their_own(fused_composition({{"shared-metadata", {}}, {"head-planes", {}}}));
}

}  // namespace
}  // namespace msda
