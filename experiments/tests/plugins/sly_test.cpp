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

Record record_of(const ArmEntry& bad) { return record_between_honest(request_of_pages(30), bad); }

void expect_another_clock(const Record& bad) {
  EXPECT_EQ(bad.status, CellStatus::kCrashed) << bad.reason;
  EXPECT_THAT(bad.reason, HasSubstr("the clock that times it was changed"));
}

TEST(Sly, AnotherClockInThePlaceOfTheSystemsIsSeen) {
  expect_another_clock(record_of(sly("clock")));
}

TEST(Sly, AnotherClockIsSeenWhereBlocksHaveFewLaunches) {
  expect_another_clock(record_between_honest(request_of_pages(3), sly("clock")));
}

/// What asking takes is no measure of what two clocks may differ by.
TEST(Sly, AnotherClockThatIsSlowIsSeen) {
  GroupRequest request = request_of_pages(10);
  request.problem.problem.batch = 1;
  request.problem.problem.queries = 1500;  // some 200 us
  expect_another_clock(record_between_honest(request, sly("slow-clock")));
}

TEST(Sly, AHandlerThatWaitsForTheNextLaunchDoesNothing) {
  const Record bad = record_of(sly("handler"));
  EXPECT_EQ(bad.status, CellStatus::kWrong) << bad.reason;
  EXPECT_THAT(bad.reason, HasSubstr("what was timed"));
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
