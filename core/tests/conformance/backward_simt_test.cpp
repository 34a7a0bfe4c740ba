// Optimizations of the skeleton `backward` on the device simt: sums in any order, with races looked
// for, and on the problems that a straight path misses.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <fmt/format.h>

#include "conformance/conformance.hpp"
#include "conformance/simt_checks.hpp"
#include "measure/verify.hpp"

namespace msda {
namespace {

using Uses = std::vector<Use>;

class BackwardOnSimt : public ::testing::TestWithParam<SimtCheck> {};

TEST_P(BackwardOnSimt, IsRightInAnyOrder) {
  ASSERT_EQ(GetParam().composition.op().name(), "backward");
  EXPECT_EQ(run(GetParam()), "");
}

INSTANTIATE_TEST_SUITE_P(Compositions, BackwardOnSimt, ::testing::ValuesIn(backward_checks()),
                         [](const auto& info) { return info.param.name; });

/// The bits that a composition leaves in grad_value when blocks and threads run in another order.
Bytes gradient(const Composition& composition, const Case& one, int seed) {
  const auto device = open_device(fmt::format("simt:{}", seed));
  const Prepared prepared = device->prepare(composition, one.problem);
  DeviceInput input(*device, one.input);
  const Verdict verdict = verify(*device, *prepared.executable, composition, input, one.problem,
                                 truths_of(one, composition));
  EXPECT_TRUE(verdict.right) << verdict.reason;
  return input.download_output(0);
}

TEST(BackwardDeterminism, FollowsFromTheAccumulator) {
  const Registry& plugins = shipped_plugins();
  const auto repeats = [&](const Uses& uses) {
    return Composition(plugins, uses).deterministic("grad_value");
  };
  EXPECT_FALSE(repeats({{"l2-red", {}}}));
  EXPECT_FALSE(repeats({{"shared-fixed", {}}, {"native-sums", {}}}));
  EXPECT_TRUE(repeats({{"fixed-sums", {}}}));
  EXPECT_TRUE(repeats({{"fixed-sums", {}}, {"shared-fixed", {}}}));
  EXPECT_TRUE(repeats({{"tile-sums", {}}}));
  EXPECT_TRUE(repeats({{"sorted-points", {}}}));
  EXPECT_TRUE(Composition(plugins, Uses{{"l2-red", {}}}).deterministic("grad_attention_weights"));
}

TEST(BackwardDeterminism, WholeNumbersAndSortedPointsLeaveTheSameBitsInEveryOrder) {
  constexpr std::size_t kManyMeet = 11;  // all points on one pixel
  const Case& one = awkward_cases("backward").at(kManyMeet);
  const Composition narrow(shipped_plugins(), Uses{{"native-sums", {}}});
  for (const char* accumulator : {"fixed-sums", "tile-sums", "sorted-points"}) {
    const Composition whole(shipped_plugins(), Uses{{accumulator, {}}});
    EXPECT_EQ(gradient(whole, one, 1), gradient(whole, one, 2)) << accumulator;
  }
  EXPECT_NE(gradient(narrow, one, 1), gradient(narrow, one, 2));
}

}  // namespace
}  // namespace msda
