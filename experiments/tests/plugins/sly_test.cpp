// Kernels that ask the system, or the program itself, what they need not do, and kernels that leave
// their process in a state which stays: none has a time for it, and none costs another arm its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/records.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

using testing::HasSubstr;

ArmEntry sly(const std::string& how, const std::string& symbol = "sly") {
  return external_arm("bad", external_library("sly"), symbol, how);
}

/// Of the bad arm between two honest ones, which must have their times.
Record record_of(const ArmEntry& bad) {
  GroupRequest request;
  request.experiment = "sly";
  request.problem = tiny_problem();
  request.problem.problem.batch = 2;
  request.problem.problem.queries = 200;  // several pages
  request.baseline = "honest";
  request.measure.blocks = 6;
  request.measure.samples = 30;
  request.measure.warmup = 3;
  request.arms = {external_arm("honest", external_library("external")), bad,
                  external_arm("last", external_library("cheats"), "cheat", "honest")};
  const auto records = records_of(request);
  for (const char* name : {"honest", "last"}) {
    EXPECT_EQ(records.at(name).status, CellStatus::kOk) << name << ": " << records.at(name).reason;
    EXPECT_EQ(records.at(name).samples.size(), 6U) << name;
  }
  return records.at("bad");
}

TEST(Sly, AnotherClockInThePlaceOfTheSystemsIsSeen) {
  const Record bad = record_of(sly("clock"));
  EXPECT_EQ(bad.status, CellStatus::kCrashed) << bad.reason;
  EXPECT_THAT(bad.reason, HasSubstr("the clock that times it was changed"));
}

TEST(Sly, OneNumberOfAQueryDoesNotTellWhetherItIsAnother) {
  const Record bad = record_of(sly("first-location"));
  EXPECT_EQ(bad.status, CellStatus::kWrong) << bad.reason;
  EXPECT_THAT(bad.reason, HasSubstr("what was timed: after a launch the output of query"));
}

/// Whose handler it is that a write between launches should call, it is not called.
TEST(Sly, PagesThatWereWrittenToTellNothing) {
  const Record bad = record_of(sly("pages"));
  EXPECT_EQ(bad.status, CellStatus::kCrashed) << bad.reason;
  EXPECT_THAT(bad.reason, HasSubstr("SIGSEGV"));
}

TEST(Sly, AnOutputOfBeforeIsNoneWherePrepareIsToldOfOtherInputs) {
  const Record bad = record_of(sly("", "announced"));
  EXPECT_EQ(bad.status, CellStatus::kOk) << bad.reason;
}

TEST(Sly, AProcessWithoutThreadsIsLeftToWhoMadeItSo) {
  const Record bad = record_of(sly("no-threads"));
  EXPECT_EQ(bad.status, CellStatus::kFailed) << bad.reason;
}

TEST(Sly, AProcessWithoutLargePagesIsLeftToWhoMadeItSo) {
  const Record bad = record_of(sly("no-huge-pages"));
  EXPECT_EQ(bad.status, CellStatus::kFailed) << bad.reason;
  EXPECT_THAT(bad.reason, HasSubstr("it changed for good THP_enabled of its process from 1 to 0"));
}

}  // namespace
}  // namespace msda::test
