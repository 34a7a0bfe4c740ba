#include "design/space.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <msda/error.hpp>

namespace msda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

/// mapping: wide (threads 128, 256), pair (threads 256, 512; rows 1, 2), plain; blend: none, half.
SearchSpace space(std::vector<SpaceRule> rules = {}) {
  return {{{"mapping", {"wide", "pair", "plain"}, {}, {}},
           {"mapping.threads", {"128", "256", "512"}, 0, {{0, 1}, {1, 2}, {}}},
           {"mapping.rows", {"1", "2"}, 0, {{}, {0, 1}, {}}},
           {"blend", {"none", "half"}, {}, {}}},
          std::move(rules)};
}

TEST(SearchSpace, CountsTheParametersOfEachAlternativeOnly) {
  EXPECT_EQ(space().size(), (2U + 2U * 2U + 1U) * 2U);
}

TEST(SearchSpace, NumbersEveryPointOnceAndFindsItsNumberAgain) {
  const SearchSpace all = space();
  std::set<Levels> seen;
  for (std::uint64_t number = 0; number < all.size(); ++number) {
    const Levels levels = all.at(number);
    EXPECT_TRUE(seen.insert(levels).second) << all.describe(levels);
    EXPECT_EQ(all.number_of(levels), number);
  }
}

TEST(SearchSpace, LeavesParametersOfOtherAlternativesInactive) {
  const SearchSpace all = space();
  for (std::uint64_t number = 0; number < all.size(); ++number) {
    const Levels levels = all.at(number);
    EXPECT_EQ(levels[1] == kInactive, levels[0] == 2);
    EXPECT_EQ(levels[2] == kInactive, levels[0] != 1);
    EXPECT_FALSE(levels[0] == 0 && levels[1] == 2) << "a value that this alternative lacks";
  }
}

TEST(SearchSpace, DescribesAPointByWhatIsActive) {
  EXPECT_EQ(space().describe({1, 2, 0, 1}), "mapping=pair(threads=512,rows=1) blend=half");
  EXPECT_EQ(space().describe({2, kInactive, kInactive, 0}), "mapping=plain blend=none");
}

TEST(SearchSpace, ExcludesWhatMatchesARuleWithoutThen) {
  const SearchSpace ruled = space({{{{0, {1}}, {3, {1}}}, {}, "no half pairs"}});
  EXPECT_EQ(ruled.broken_rule({1, 2, 0, 1}), 0U);
  EXPECT_EQ(ruled.broken_rule({1, 2, 0, 0}), std::nullopt);
  EXPECT_EQ(ruled.broken_rule({0, 1, kInactive, 1}), std::nullopt);
}

TEST(SearchSpace, RequiresThenWhereWhenHolds) {
  const SearchSpace ruled = space({{{{3, {1}}}, {{0, {0, 1}}}, "half requires a mapping"}});
  EXPECT_EQ(ruled.broken_rule({2, kInactive, kInactive, 1}), 0U);
  EXPECT_EQ(ruled.broken_rule({0, 0, kInactive, 1}), std::nullopt);
  EXPECT_EQ(ruled.broken_rule({2, kInactive, kInactive, 0}), std::nullopt);
}

TEST(SearchSpace, NeighboursDifferInOneDecision) {
  EXPECT_THAT(
      space().neighbours({0, 0, kInactive, 0}),
      UnorderedElementsAre(Levels{0, 1, kInactive, 0},              // another value
                           Levels{1, 1, 0, 0}, Levels{1, 1, 1, 0},  // nearest threads, each row
                           Levels{2, kInactive, kInactive, 0},      // no parameters
                           Levels{0, 0, kInactive, 1}));            // the other decision
}

TEST(SearchSpace, NeighboursKeepAParameterThatTheOtherAlternativeHas) {
  const auto near = space().neighbours({1, 1, 1, 1});
  EXPECT_THAT(near, testing::Contains(Levels{0, 1, kInactive, 1}));
  EXPECT_THAT(near, testing::Not(testing::Contains(Levels{0, 0, kInactive, 1})));
}

TEST(SearchSpace, ComesBackFromItsJson) {
  const SearchSpace ruled = space({{{{0, {1}}}, {{3, {0}}}, "pair requires none"}});
  const SearchSpace read = space_from_json(to_json(ruled));
  EXPECT_EQ(read.size(), ruled.size());
  for (std::uint64_t number = 0; number < ruled.size(); ++number) {
    EXPECT_EQ(read.describe(read.at(number)), ruled.describe(ruled.at(number)));
    EXPECT_EQ(read.broken_rule(read.at(number)), ruled.broken_rule(ruled.at(number)));
  }
  EXPECT_EQ(read.rules().front().text, "pair requires none");
}

TEST(SearchSpace, RefusesJsonThatDoesNotFit) {
  nlohmann::json json = to_json(space());
  json["factors"][1]["allowed"][0] = {7};
  EXPECT_THROW(space_from_json(json), UsageError);
  json = to_json(space());
  json["factors"][0].erase("levels");
  EXPECT_THROW(space_from_json(json), UsageError);
  json = to_json(space());
  json["rules"].push_back(
      {{"when", {{{"factor", 9}, {"levels", {0}}}}}, {"then", {}}, {"text", ""}});
  EXPECT_THROW(space_from_json(json), UsageError);
}

TEST(SearchSpace, RefusesWhatCannotBeNumbered) {
  const std::vector<SpaceFactor> many(60, {"f", {"off", "on"}, {}, {}});
  EXPECT_THROW(SearchSpace(many, {}), UsageError);
  EXPECT_THROW(SearchSpace({{"empty", {}, {}, {}}}, {}), UsageError);
}

}  // namespace
}  // namespace msda
