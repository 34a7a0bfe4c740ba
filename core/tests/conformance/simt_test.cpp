// Every shipped optimization on the device simt: without a GPU, and with the checks that a GPU does
// not make.
#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/awkward_problems.hpp"
#include "conformance/combinations.hpp"
#include "conformance/conformance.hpp"
#include "conformance/covering.hpp"
#include "conformance/simt_checks.hpp"
#include "support/day.hpp"

namespace msda {
namespace {

class OnSimt : public ::testing::TestWithParam<SimtCheck> {};

TEST_P(OnSimt, IsRightAndNothingIsFound) {
  EXPECT_EQ(run(GetParam()), "") << GetParam().composition.describe();
}

std::string name_of_check(const ::testing::TestParamInfo<SimtCheck>& info) {
  return info.param.name;
}

/// Another part of the covering array on each day; the slow tests run it whole.
std::vector<SimtCheck> covering_of_the_day() {
  constexpr std::size_t kParts = 48;
  return covering_checks(day_of_tests() % kParts, kParts);
}

INSTANTIATE_TEST_SUITE_P(Alone, OnSimt, ::testing::ValuesIn(alone_checks()), name_of_check);
INSTANTIATE_TEST_SUITE_P(Tiles, OnSimt, ::testing::ValuesIn(tile_checks()), name_of_check);
INSTANTIATE_TEST_SUITE_P(Sides, OnSimt, ::testing::ValuesIn(side_checks()), name_of_check);
INSTANTIATE_TEST_SUITE_P(Heads, OnSimt, ::testing::ValuesIn(head_group_checks()), name_of_check);
INSTANTIATE_TEST_SUITE_P(Values, OnSimt, ::testing::ValuesIn(value_checks()), name_of_check);
INSTANTIATE_TEST_SUITE_P(Launches, OnSimt, ::testing::ValuesIn(launch_checks()), name_of_check);
INSTANTIATE_TEST_SUITE_P(Offsets, OnSimt, ::testing::ValuesIn(offset_checks()), name_of_check);

INSTANTIATE_TEST_SUITE_P(CoveringOfTheDay, OnSimt, ::testing::ValuesIn(covering_of_the_day()),
                         name_of_check);

TEST(CoveringArray, HasEveryTwoOptimizationsThatCompose) {
  std::set<std::pair<std::string, std::string>> covered;
  for (const Covering& covering : covering_array()) {
    for (const Part& a : covering.composition.parts()) {
      for (const Part& b : covering.composition.parts()) {
        covered.emplace(a.plugin->name, b.plugin->name);
      }
    }
  }
  const DeviceInfo device = open_device("simt")->info();
  for (const Composition& pair : all_pairs()) {
    const bool runs = std::ranges::any_of(awkward_problems(), [&](const AwkwardProblem& one) {
      return !pair.unsupported(one.problem, device);
    });
    if (!runs) continue;
    EXPECT_TRUE(covered.contains({pair.parts()[0].plugin->name, pair.parts()[1].plugin->name}))
        << pair.describe();
  }
  EXPECT_GT(covered_pairs().covered, 10 * covering_array().size());
}

TEST(TexelsOnSimt, MoreThanATextureHasAreRefused) {
  EXPECT_THAT(
      run({"offsets", "", shipped_composition("texture-fetch"), "simt", nullptr, {}}),
      ::testing::HasSubstr("texels of 2 bytes, and a linear texture has 134217728 at most"));
}

}  // namespace
}  // namespace msda
