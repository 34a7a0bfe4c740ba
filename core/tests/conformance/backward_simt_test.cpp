// Optimizations of the skeleton `backward` on the device simt: sums in any order, with races looked
// for, and on the problems that a straight path misses.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "conformance/conformance.hpp"
#include "measure/verify.hpp"

namespace msda {
namespace {

using Uses = std::vector<Use>;

std::map<std::string, ParameterValue> items(std::int64_t chunks) {
  return {{"blocks", std::int64_t{1}}, {"chunks", chunks}};
}

/// Each alone, and those that meet in a kernel.
std::vector<Uses> compositions() {
  return {
      {{"l2-red", {}}},
      {{"native-sums", {}}},
      {{"fixed-sums", {}}},
      {{"float32-sums", {{"clear", std::string("converter")}}}},
      {{"half2-dots", {}}, {"native-sums", {}}},
      {{"lane-reds", {{"scalar", true}}}},
      {{"lane-reds", {}}, {"native-sums", {}}},
      {{"row-lanes", {{"threads", std::int64_t{64}}, {"sides", std::int64_t{1}}}}},
      {{"row-lanes", {{"bytes", std::int64_t{4}}}}, {"fixed-sums", {}}},
      {{"shared-fixed", {}}},
      {{"shared-fixed", {{"budget", std::int64_t{1}}}}, {"persistent", items(2)}},
      {{"shared-fixed", {}}, {"persistent", items(3)}, {"native-sums", {}}},
      {{"shared-fixed", {}}, {"persistent", items(2)}, {"fixed-sums", {}}},
      {{"l2-red", {}}, {"spatial-order", {}}, {"work-stealing", {}}},
  };
}

struct BackwardCheck {
  std::size_t number;
  Uses uses;
};
void PrintTo(const BackwardCheck& check, std::ostream* out) {
  *out << Composition(shipped_plugins(), check.uses).describe();
}

std::vector<BackwardCheck> checks() {
  std::vector<BackwardCheck> all;
  for (const Uses& uses : compositions()) all.push_back({all.size(), uses});
  return all;
}

class BackwardOnSimt : public ::testing::TestWithParam<BackwardCheck> {};

/// Two of the awkward problems in turn, and one with locations that are no numbers.
TEST_P(BackwardOnSimt, IsRightInAnyOrder) {
  constexpr std::size_t kHostile = 12;
  const auto& [number, uses] = GetParam();
  const Composition composition(shipped_plugins(), uses);
  ASSERT_EQ(composition.op().name(), "backward");
  const auto device = open_device(fmt::format("simt:{}:races", number));
  const std::size_t problems = awkward_cases("backward").size();
  expect_conforming(*device, composition,
                    {number % problems, (number + 5) % problems, kHostile + number % 2});
}

std::string name_of_check(const ::testing::TestParamInfo<BackwardCheck>& info) {
  std::string name = std::to_string(info.param.number);
  for (const Use& use : info.param.uses) name += "_" + test_name(use.variant);
  return name;
}

INSTANTIATE_TEST_SUITE_P(Compositions, BackwardOnSimt, ::testing::ValuesIn(checks()),
                         name_of_check);

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
  EXPECT_TRUE(Composition(plugins, Uses{{"l2-red", {}}}).deterministic("grad_attention_weights"));
}

TEST(BackwardDeterminism, WholeNumbersLeaveTheSameBitsInEveryOrder) {
  constexpr std::size_t kManyMeet = 11;  // all points on one pixel
  const Case& one = awkward_cases("backward").at(kManyMeet);
  const Composition whole(shipped_plugins(), Uses{{"fixed-sums", {}}});
  const Composition narrow(shipped_plugins(), Uses{{"native-sums", {}}});
  EXPECT_EQ(gradient(whole, one, 1), gradient(whole, one, 2));
  EXPECT_NE(gradient(narrow, one, 1), gradient(narrow, one, 2));
}

}  // namespace
}  // namespace msda
