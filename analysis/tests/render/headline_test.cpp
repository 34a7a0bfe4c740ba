#include "render/words/words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/synthetic.hpp"

namespace msda {
namespace {

using synthetic::baseline;
using synthetic::record;
using synthetic::scaled;
using synthetic::steady;
using synthetic::without_time;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string headline_of(const std::vector<Record>& records) {
  return headline(make_report(nlohmann::json::object(), records).tables.at(0));
}

const std::vector<SampleBlock> kThreeProcesses = steady(1e-3, 3, 4);

TEST(Headline, NamesTheFastestItsRatioAndTheNextOne) {
  EXPECT_EQ(
      headline_of({baseline("base", kThreeProcesses),
                   record("vec", scaled(kThreeProcesses, 0.25, 0)),
                   record("pair", scaled(kThreeProcesses, 0.5, 0))}),
      "vec is the fastest: 4.000x the speed of base, which takes 1.000 ms (95% interval 4.000x to "
      "4.000x, 3 "
      "processes, for the best of 2). Every other arm takes at least 2.000x its time; the next, "
      "pair, 2.000x.");
}

TEST(Headline, TheBaselineMayBeTheFastest) {
  EXPECT_THAT(headline_of({baseline("base", kThreeProcesses),
                           record("vec", scaled(kThreeProcesses, 2, 0))}),
              StartsWith("The baseline base is the fastest. vec takes 2.000x its time"));
}

TEST(Headline, FirstPlaceIsSharedAsLongAsTheNextIsNotSignificantlySlower) {
  const auto blocks = steady(1e-3, 1, 6);
  EXPECT_THAT(headline_of({baseline("base", blocks), record("a", scaled(blocks, 0.5, 0.001)),
                           record("b", scaled(blocks, 0.53, 0.2))}),
              AllOf(StartsWith("a and b are the fastest and indistinguishable: 1.9"),
                    HasSubstr(" to 2.000x the speed of base, which takes 1.000 ms (a: interval ")));
}

TEST(Headline, DoesNotClaimWhatIsUndecided) {
  const auto noisy = scaled(steady(1e-3, 1, 6), 0.97, 0.2);
  EXPECT_THAT(headline_of({baseline("base", steady(1e-3, 1, 6)), record("vec", noisy)}),
              AllOf(HasSubstr("No arm is significantly faster"), HasSubstr("6 blocks")));
}

/// Six arms around 3% faster: the best of them is told from the baseline by itself, and not when it
/// is known to be picked.
Report many_that_are_faster_alone() {
  const auto blocks = steady(1e-3, 1, 6);
  std::vector<Record> records{baseline("base", blocks)};
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
    records.push_back(record(name, scaled(blocks, 0.97, 0.025)));
  }
  return make_report(nlohmann::json::object(), records);
}

TEST(Headline, ArmsThatAreFasterOneByOneAreNotDenied) {
  const Report report = many_that_are_faster_alone();
  const Table& table = report.tables.at(0);
  ASSERT_EQ(table.rows.at(1).verdict, "faster");
  EXPECT_THAT(
      headline(table),
      StartsWith("Each compared alone with the baseline base, 6 of 6 arms are faster; with the "
                 "intervals that hold for the best of several, none is: the best estimate "
                 "is a with 1.03"));
}

TEST(Headline, EqualIsSaidSo) {
  EXPECT_THAT(
      headline_of(
          {baseline("base", kThreeProcesses), record("vec", scaled(kThreeProcesses, 0.999, 0))}),
      StartsWith("No arm beats the baseline base: the fastest, vec, is equal to it within 1%"));
}

TEST(Headline, OneBlockGivesNoInterval) {
  EXPECT_THAT(
      headline_of({baseline("base", steady(2e-3, 1, 1)), record("vec", steady(1e-3, 1, 1))}),
      HasSubstr(
          "No arm is significantly faster than the baseline base: the best estimate is vec with "
          "2.000x its speed (one block, so no interval)."));
}

TEST(Headline, CountsArmsWithoutATime) {
  EXPECT_THAT(
      headline_of({baseline("base", kThreeProcesses), without_time("a", CellStatus::kWrong, "x"),
                   without_time("b", CellStatus::kSkipped, "y"),
                   without_time("c", CellStatus::kSkipped, "y")}),
      AllOf(StartsWith("base is the only arm with a time: 1.000 ms."),
            HasSubstr("Without a time: 1 wrong, 2 skipped.")));
  EXPECT_EQ(headline_of({without_time("a", CellStatus::kHung, "x")}), "No arm has a time: 1 hung.");
}

TEST(Headline, TwoArmsOfTheSameCodeAreOneArm) {
  Record again = record("again", scaled(kThreeProcesses, 1.01, 0));
  again.composition = "base";
  EXPECT_EQ(
      headline_of({baseline("base", kThreeProcesses), again}),
      "base and again are one arm, the same composition twice: there is nothing to compare. base "
      "takes 1.000 ms.");
}

TEST(Headline, ArmsThatWereVerifiedAndNotTimedAreRight) {
  auto base = without_time("base", CellStatus::kOk, "");
  base.baseline = true;
  base.outputs.front().relative_l2 = 2e-4;
  const Report report = make_report(
      nlohmann::json::object(), {base, without_time("a", CellStatus::kOk, ""),
                                 without_time("b", CellStatus::kWrong, "beyond the tolerance")});
  EXPECT_EQ(headline(report.tables.at(0)), "No arm has a time: 2 right, 1 wrong.");
  EXPECT_EQ(report.tables[0].rows[0].verdict, "right");
  EXPECT_EQ(headline_of({without_time("a", CellStatus::kOk, "")}),
            "The arm is right; this device verifies and measures no time.");
  EXPECT_THAT(to_markdown(report), HasSubstr("| base | 2.0e-04 | right |"));
}

TEST(Headline, WithoutTheBaselinesTimeTheFastestIsByMedian) {
  auto base = without_time("base", CellStatus::kCrashed, "signal 11");
  base.baseline = true;
  EXPECT_THAT(
      headline_of({base, record("a", scaled(kThreeProcesses, 2, 0)), record("b", kThreeProcesses)}),
      StartsWith("b is the fastest, 1.000 ms; the baseline has no time to compare with. "
                 "a takes 2.000x its time"));
}

TEST(Headline, NamesAFewOfManyThatShareTheFirstPlace) {
  const auto blocks = steady(1e-3, 1, 6);
  std::vector<Record> records{baseline("base", blocks)};
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    records.push_back(record(name, scaled(blocks, 0.5, 0.001)));
  }
  EXPECT_THAT(headline_of(records),
              StartsWith("a, b and 3 more are the fastest and indistinguishable"));
}

}  // namespace
}  // namespace msda
