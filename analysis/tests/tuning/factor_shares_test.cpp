// Shares of variance against those that can be worked out by hand.
#include <gtest/gtest.h>

#include "tuning/factor_shares.hpp"

namespace msda {
namespace {

SpaceFactor factor(const char* name, std::vector<std::string> levels) {
  return {name, std::move(levels), {}, {}};
}

TEST(FactorShares, OfTheOnlyFactorThatMattersAreAllAndNoMore) {
  const SearchSpace space({factor("a", {"0", "1"}), factor("b", {"0", "1"})}, {});
  const auto shares = factor_shares(space, [](const Levels& levels) { return 0.7 * levels[0]; });
  EXPECT_NEAR(shares[0].own, 1, 1e-9);
  EXPECT_NEAR(shares[0].total, 1, 1e-9);
  EXPECT_NEAR(shares[1].total, 0, 1e-9);
}

/// The two levels' product is 1 in a quarter of the points: main effects have a third each, and the
/// interaction the last.
TEST(FactorShares, CountAnInteractionForBothOfItsFactors) {
  const SearchSpace space({factor("a", {"0", "1"}), factor("b", {"0", "1"})}, {});
  const auto shares =
      factor_shares(space, [](const Levels& levels) { return 1.0 * levels[0] * levels[1]; });
  for (const FactorShares& one : shares) {
    EXPECT_NEAR(one.own, 1.0 / 3, 1e-9);
    EXPECT_NEAR(one.total, 2.0 / 3, 1e-9);
  }
}

/// "tile" exists with b alone, where it is worth 0.4; a and b differ by 1 in their means.
class ConditionalShares : public testing::Test {
 protected:
  SearchSpace space_{{factor("kernel", {"a", "b"}),
                      {"kernel.tile", {"0", "1"}, 0, {{}, {0, 1}}},
                      factor("idle", {"0", "1", "2"})},
                     {}};
  std::vector<FactorShares> shares_ = factor_shares(
      space_, [](const Levels& levels) { return levels[0] == 0 ? 0.0 : 0.8 + 0.4 * levels[1]; });
};

TEST_F(ConditionalShares, OfAParameterAreOverThePointsThatHaveIt) {
  EXPECT_FALSE(shares_[1].everywhere);
  EXPECT_NEAR(shares_[1].own, 1, 1e-9) << "nothing else varies where it exists";
  EXPECT_NEAR(shares_[1].total, 1, 1e-9);
}

TEST_F(ConditionalShares, OfAllPointsAddUpToTheWhole) {
  // Each of the three pairs of kernel and tile has a third of the points.
  const double whole = (0.8 * 0.8 + 1.2 * 1.2) / 3 - (2.0 / 3) * (2.0 / 3);
  EXPECT_NEAR(shares_[1].total_of_all, 2.0 / 3 * 0.04 / whole, 1e-9);
  EXPECT_NEAR(shares_[0].total_of_all + shares_[1].total_of_all, 1, 1e-9);
  EXPECT_TRUE(shares_[0].everywhere);
  EXPECT_NEAR(shares_[2].total, 0, 1e-9);
}

TEST(FactorShares, OfAlternativesHoldAParameterFixedThatAllOfThemHave) {
  // a is faster with the one width, b with the other: nothing but the interaction.
  const SearchSpace space(
      {factor("kernel", {"a", "b"}), {"kernel.width", {"0", "1"}, 0, {{0, 1}, {0, 1}}}}, {});
  const auto shares =
      factor_shares(space, [](const Levels& levels) { return levels[0] == levels[1] ? 0.0 : 1.0; });
  EXPECT_NEAR(shares[0].own, 0, 1e-9);
  EXPECT_NEAR(shares[0].total, 1, 1e-9);
  EXPECT_NEAR(shares[1].total, 1, 1e-9);
  EXPECT_TRUE(shares[1].everywhere);
}

TEST(FactorShares, AreOfThePointsThatTheRulesAllow) {
  // Only (0, 0), (0, 1) and (1, 0) are left, and the value of (1, 1) would be enormous.
  const SpaceRule rule{{{0, {1}}, {1, {1}}}, {}, "excluded"};
  const SearchSpace space({factor("a", {"0", "1"}), factor("b", {"0", "1"})}, {rule});
  const auto shares = factor_shares(space, [](const Levels& levels) {
    return levels[0] == 1 && levels[1] == 1 ? 1000.0 : 1.0 * levels[0];
  });
  // Fixing b leaves a's variance of 1/4 in two of three points; the whole is 2/9.
  EXPECT_NEAR(shares[0].own, 1, 1e-9);
  EXPECT_NEAR(shares[0].total, 0.75, 1e-9);
  EXPECT_NEAR(shares[1].total, 0, 1e-9);
}

TEST(FactorShares, AreAtMostTheWholeInASpaceThatIsSampled) {
  std::vector<SpaceFactor> factors;
  for (int f = 0; f < 18; ++f) factors.push_back(factor("two levels", {"0", "1"}));
  const SearchSpace space(std::move(factors), {});
  const auto shares =
      factor_shares(space, [](const Levels& levels) { return 1.0 * levels[3] + 0.01 * levels[4]; });
  EXPECT_NEAR(shares[3].total, 1, 0.01);
  for (const FactorShares& one : shares) {
    EXPECT_LE(one.own, 1);
    EXPECT_LE(one.total, 1);
    EXPECT_LE(one.total_of_all, 1);
  }
}

TEST(FactorShares, AreNoneWhereNothingVaries) {
  const SearchSpace space({factor("a", {"0", "1"})}, {});
  const auto shares = factor_shares(space, [](const Levels&) { return 3.3; });
  EXPECT_EQ(shares[0].own, 0);
  EXPECT_EQ(shares[0].total, 0);
}

}  // namespace
}  // namespace msda
