// Kernels that are right when they are verified and cheat when they are timed: none gets a time,
// and the honest arm beside them keeps its own.
#include <algorithm>
#include <map>
#include <ostream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/records.hpp"
#include "statistics/statistics.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

GroupRequest request_of(std::vector<ArmEntry> arms) {
  GroupRequest request;
  request.experiment = "cheats";
  request.problem = tiny_problem();
  request.problem.problem.queries = 40;
  request.baseline = arms.front().name;
  request.measure.blocks = 12;
  request.measure.samples = 10;
  request.measure.warmup = 3;
  request.arms = std::move(arms);
  return request;
}

struct Cheat {
  const char* how;     ///< the library's option
  const char* reason;  ///< matches a part of the verdict's
};

void PrintTo(const Cheat& cheat, std::ostream* stream) { *stream << cheat.how; }

class CheatTest : public testing::TestWithParam<Cheat> {};

TEST_P(CheatTest, IsWrongAndTheHonestArmIsNot) {
  const auto library = external_library("cheats");
  const auto records = records_of(request_of({external_arm("honest", library, "cheat", "honest"),
                                              external_arm("bad", library, "cheat", GetParam().how),
                                              external_arm("last", external_library("external"))}));
  const Record& bad = records.at("bad");
  EXPECT_EQ(bad.status, CellStatus::kWrong) << bad.reason;
  EXPECT_THAT(bad.reason, ContainsRegex(GetParam().reason));
  EXPECT_TRUE(bad.samples.empty());
  for (const char* name : {"honest", "last"}) {
    EXPECT_EQ(records.at(name).status, CellStatus::kOk) << records.at(name).reason;
    EXPECT_EQ(records.at(name).samples.size(), 12U);
  }
}

constexpr const char* kNothing = "is not that of its inputs";
constexpr const char* kOld = "is that of the inputs which lay there before";

constexpr Cheat kCheats[] = {
    {"period", kNothing},
    {"every-third", kNothing},
    {"one-in-a-hundred", kNothing},
    {"by-time", ""},
    {"no-poison", kNothing},
    {"pointers", kOld},
    {"sample", "is that of the inputs which lay there before|is not that of its inputs"},
    {"half", kNothing},
    {"one-behind", "what was timed: "},
    {"scribble", "it wrote to its input `value`"},
    {"scribble-later", "it wrote to its input `weights`"},
};

INSTANTIATE_TEST_SUITE_P(OnTheCpu, CheatTest, testing::ValuesIn(kCheats), [](const auto& info) {
  std::string name = info.param.how;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(Cheats, WorkThatGoesOnAfterTheLaunchIsNotWaitedFor) {
  const auto records = records_of(
      request_of({external_arm("thread", external_library("cheats"), "cheat", "thread")}));
  EXPECT_EQ(records.at("thread").status, CellStatus::kWrong) << records.at("thread").reason;
}

/// Of the arms "honest" and "bad", whose option is `how`.
std::map<std::string, Record> records_beside_honest(const char* how) {
  const auto library = external_library("cheats");
  return records_of(request_of({external_arm("honest", library, "cheat", "honest"),
                                external_arm("bad", library, "cheat", how)}));
}

/// What reads all its inputs in each launch finds that they are others: contents do not come back.
TEST(Cheats, ToRememberOutputsByAllOfTheContentSavesNothing) {
  const auto records = records_beside_honest("content");
  const Record& record = records.at("bad");
  ASSERT_EQ(record.status, CellStatus::kOk) << record.reason;
}

/// A part of its output is another before nearly each launch, as drawn; where none is, it is wrong.
TEST(Cheats, ToLeaveAnOutputThatIsStillThereSavesNothing) {
  const auto records = records_beside_honest("still-there");
  const Record& record = records.at("bad");
  if (record.status == CellStatus::kWrong) {
    EXPECT_THAT(record.reason, HasSubstr("what was timed: "));
    return;
  }
  ASSERT_EQ(record.status, CellStatus::kOk) << record.reason;
  EXPECT_GT(median_seconds(record.samples).value(),
            0.7 * median_seconds(records.at("honest").samples).value());
}

TEST(Cheats, ThreadsThatAreLeftSpinningAreSaid) {
  const auto library = external_library("cheats");
  GroupRequest request = request_of({external_arm("honest", library, "cheat", "honest"),
                                     external_arm("spin", library, "cheat", "spin")});
  request.problem.problem.queries = 2000;  // some milliseconds in all, on a busy machine too
  const auto records = records_of(request);
  const Record& honest = records.at("honest");
  ASSERT_EQ(honest.status, CellStatus::kOk) << honest.reason;
  EXPECT_GT(honest.processes.front().foreign_processors.at("spin"), 0.05);
  // It is one thread, and what that did while nothing was timed does not count.
  EXPECT_LT(honest.processes.front().foreign_processors.at("spin"), 1.1);
  EXPECT_TRUE(records.at("spin").processes.front().foreign_processors.empty());
}

TEST(Cheats, WhoIsWrongBesideThreadsOfAnotherArmIsToldSo) {
  const auto records = records_beside_honest("scribbler");
  const Record& honest = records.at("honest");
  EXPECT_EQ(honest.status, CellStatus::kWrong);
  EXPECT_THAT(honest.reason, HasSubstr("it wrote to its input `weights`; threads that `bad` left"));
}

TEST(Cheats, WorkThatIsDoneBeforehandIsShownAsSuch) {
  const auto library = external_library("cheats");
  const auto records = records_of(request_of({external_arm("honest", library, "cheat", "honest"),
                                              external_arm("ahead", library, "ahead")}));
  const Record& record = records.at("ahead");
  ASSERT_EQ(record.status, CellStatus::kOk) << record.reason;
  ASSERT_EQ(record.parts.size(), 2U);
  EXPECT_TRUE(record.parts.front().outside);
}

}  // namespace
}  // namespace msda::test
