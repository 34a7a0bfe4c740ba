#include "design/design.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <msda/error.hpp>

#include "design/enumerate.hpp"
#include "design/fraction.hpp"

namespace msda {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::SizeIs;

std::vector<Factor> on_off(std::size_t count) {
  std::vector<Factor> factors;
  for (std::size_t f = 0; f < count; ++f) {
    factors.push_back({std::string(1, static_cast<char>('a' + f)), {"off", "on"}});
  }
  return factors;
}

Word word(const std::string& letters) {
  Word result = 0;
  for (const char letter : letters) result |= Word{1} << (letter - 'A');
  return result;
}

TEST(ArmName, IsTheShorterOfWhatWasAddedAndWhatWasTaken) {
  const auto factors = on_off(4);
  EXPECT_EQ(arm_name(factors, {0, 0, 0, 0}), "base");
  EXPECT_EQ(arm_name(factors, {0, 1, 0, 1}), "base+b+d");
  EXPECT_EQ(arm_name(factors, {1, 1, 0, 1}), "all-c");
  EXPECT_EQ(arm_name(factors, {1, 1, 1, 1}), "all");
  EXPECT_EQ(arm_name(on_off(1), {1}), "base+a");
  const std::vector<Factor> levels{{"threads", {"128", "256", "512"}}};
  EXPECT_EQ(arm_name(levels, {1}), "base+threads=256");
}

TEST(ArmName, DiffersForEveryCombination) {
  std::vector<Factor> factors = on_off(4);
  factors.push_back({"threads", {"128", "256", "512"}});
  std::set<std::string> names;
  const auto points = full_points(factors);
  for (const Levels& levels : points) names.insert(arm_name(factors, levels));
  EXPECT_EQ(names.size(), points.size());
  EXPECT_EQ(names.size(), 48U);
}

TEST(Points, OfEveryKind) {
  const auto factors = on_off(3);
  EXPECT_THAT(add_one_points(factors),
              ElementsAre(Levels{0, 0, 0}, Levels{1, 0, 0}, Levels{0, 1, 0}, Levels{0, 0, 1}));
  EXPECT_THAT(leave_one_out_points(factors),
              ElementsAre(Levels{0, 0, 0}, Levels{1, 1, 1}, Levels{0, 1, 1}, Levels{1, 0, 1},
                          Levels{1, 1, 0}));
  EXPECT_THAT(ladder_points(factors, {2, 0, 1}),
              ElementsAre(Levels{0, 0, 0}, Levels{0, 0, 1}, Levels{1, 0, 1}, Levels{1, 1, 1}));
  EXPECT_THROW(full_points(on_off(13)), UsageError);
}

TEST(Orders, AreDifferentAndTheSameForASeed) {
  const auto orders = ladder_orders(5, 7, 3);
  EXPECT_THAT(orders, SizeIs(8));
  EXPECT_THAT(std::set(orders.begin(), orders.end()), SizeIs(8));
  EXPECT_EQ(orders, ladder_orders(5, 7, 3));
  EXPECT_NE(orders, ladder_orders(5, 7, 4));
  EXPECT_THAT(ladder_orders(3, 100, 1), SizeIs(6));
}

TEST(RandomSubset, KeepsTheEnds) {
  const auto factors = on_off(5);
  const auto subset = random_subset(factors, full_points(factors), 6, 9);
  EXPECT_THAT(subset, SizeIs(8));
  EXPECT_EQ(subset.front(), Levels(5, 0));
  EXPECT_EQ(subset.back(), Levels(5, 1));
  EXPECT_EQ(subset, random_subset(factors, full_points(factors), 6, 9));
}

// Box, Hunter & Hunter, table 6.22.
TEST(Fraction, HalfOfFiveFactorsHasResolutionFive) {
  const auto generators = find_generators(5, 5);
  ASSERT_THAT(generators, SizeIs(1));
  EXPECT_EQ(generators[0].word, word("ABCD"));
  const Fraction fraction = describe_fraction(5, generators);
  EXPECT_EQ(fraction.resolution, 5);
  EXPECT_THAT(fraction.generators, ElementsAre("E = -ABCD"));
  EXPECT_THAT(fraction.relation, ElementsAre("-ABCDE"));
  EXPECT_THAT(fraction.aliases,
              ElementsAre("A = -BCDE", "B = -ACDE", "C = -ABDE", "D = -ABCE", "E = -ABCD",
                          "AB = -CDE", "AC = -BDE", "AD = -BCE", "AE = -BCD", "BC = -ADE",
                          "BD = -ACE", "BE = -ACD", "CD = -ABE", "CE = -ABD", "DE = -ABC"));
  EXPECT_THAT(fraction_points(5, generators), SizeIs(16));
}

TEST(Fraction, SixteenthOfSevenFactorsHasResolutionThree) {
  const auto generators = find_generators(7, 3);
  const Fraction fraction = describe_fraction(7, generators);
  EXPECT_EQ(fraction.resolution, 3);
  EXPECT_THAT(fraction.generators, ElementsAre("D = -AB", "E = -AC", "F = -BC", "G = ABC"));
  EXPECT_THAT(fraction.relation, SizeIs(15));
  // Three-letter words of the saturated design: seven, those of the Fano plane.
  EXPECT_THAT(
      std::vector<std::string>(fraction.relation.begin(), fraction.relation.begin() + 7),
      testing::UnorderedElementsAre("-ABD", "-ACE", "-BCF", "-DEF", "-CDG", "-BEG", "-AFG"));
  EXPECT_THAT(fraction.aliases, Contains(testing::StartsWith("A = -BD = -CE = -FG")));
  EXPECT_THAT(fraction_points(7, generators), SizeIs(8));
}

TEST(Fraction, StandardDesignsHaveTheirPublishedSizes) {
  const struct {
    std::size_t factors;
    std::size_t runs;
    int resolution;
    int reached;
  } designs[] = {{3, 4, 3, 3},    {4, 8, 4, 4},    {5, 8, 3, 3},  {6, 16, 4, 4}, {6, 32, 5, 6},
                 {7, 16, 4, 4},   {7, 64, 5, 7},   {8, 16, 4, 4}, {8, 64, 5, 5}, {9, 128, 5, 6},
                 {10, 128, 5, 5}, {11, 128, 5, 5}, {12, 16, 3, 3}};
  for (const auto& design : designs) {
    SCOPED_TRACE(design.factors);
    const auto generators = find_generators(design.factors, design.resolution);
    EXPECT_THAT(fraction_points(design.factors, generators), SizeIs(design.runs));
    EXPECT_EQ(describe_fraction(design.factors, generators).resolution, design.reached);
  }
}

TEST(Fraction, IsBalancedAndHoldsTheBase) {
  const auto points = fraction_points(8, find_generators(8, 4));
  EXPECT_THAT(points, Contains(Levels(8, 0)));
  for (std::size_t a = 0; a < 8; ++a) {
    for (std::size_t b = a + 1; b < 8; ++b) {
      const auto both = std::count_if(points.begin(), points.end(),
                                      [&](const Levels& l) { return l[a] == 1 && l[b] == 1; });
      EXPECT_EQ(both * 4, std::ssize(points));
    }
  }
}

TEST(Fraction, RefusesWhatItCannotDo) {
  EXPECT_THROW(find_generators(13, 3), UsageError);
  EXPECT_THROW(find_generators(5, 2), UsageError);
  EXPECT_TRUE(find_generators(4, 5).empty());
}

TEST(DesignJson, ComesBackAsItWas) {
  Design design;
  design.kinds = {DesignKind::kAddOne, DesignKind::kFractional};
  design.factors = on_off(2);
  design.points = {{"base", {0, 0}}, {"base+a", {1, 0}}};
  design.dropped = {{{"+b", {0, 1}}, "b requires a"}};
  design.orders = {{1, 0}};
  design.fraction = {3, {"C = -AB"}, {"-ABC"}, {"A = -BC"}};
  const auto json = to_json(design);
  const Design back = design_from_json(json);
  EXPECT_EQ(to_json(back), json);
  EXPECT_TRUE(back.has(DesignKind::kFractional));
  EXPECT_FALSE(back.has(DesignKind::kFull));
}

TEST(DesignJson, RefusesBrokenOnes) {
  Design design;
  design.kinds = {DesignKind::kAddOne};
  design.factors = on_off(2);
  design.points = {{"base", {0, 0}}};
  const auto good = to_json(design);
  auto missing = good;
  missing.erase("points");
  auto short_of_levels = good;
  short_of_levels["points"][0]["levels"] = {0};
  auto beyond = good;
  beyond["points"][0]["levels"] = {0, 2};
  auto order = good;
  order["orders"] = {{0, 7}};
  auto kind = good;
  kind["design"] = {"fulll"};
  for (const auto& broken : {missing, short_of_levels, beyond, order, kind}) {
    EXPECT_THROW(design_from_json(broken), UsageError) << broken;
  }
}

}  // namespace
}  // namespace msda
