// Kernels whose work is done when somebody looks, and was not in what was timed: none has a time
// for it, and none costs another arm its own.
#include <algorithm>
#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/records.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

Record record_of(const ArmEntry& bad) { return record_between_honest(request_of_pages(10), bad); }

struct Late {
  const char* how;  ///< the library's option
  CellStatus status;
  const char* reason;  ///< a part of it
};

void PrintTo(const Late& late, std::ostream* stream) { *stream << late.how; }

class LateTest : public testing::TestWithParam<Late> {};

TEST_P(LateTest, EndsWithItsVerdictAndHarmsNoOther) {
  const Record bad =
      record_of(external_arm("bad", external_library("late"), "late", GetParam().how));
  if (bad.reason.find("error 9") != std::string::npos) GTEST_SKIP() << "nobody serves pages here";
  EXPECT_EQ(bad.status, GetParam().status) << bad.reason;
  EXPECT_THAT(bad.reason, testing::HasSubstr(GetParam().reason));
}

constexpr Late kLate[] = {
    {"closed", CellStatus::kCrashed, "SIGSEGV"},
    {"served", CellStatus::kFailed, "pages of its output `output` are not there"},
    {"first-numbers", CellStatus::kWrong, "what was timed: "},
};

INSTANTIATE_TEST_SUITE_P(OnTheCpu, LateTest, testing::ValuesIn(kLate), [](const auto& info) {
  std::string name = info.param.how;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(Late, APrepareThatDoesLessWhileItIsTimedIsSeen) {
  const Record bad = record_of(external_arm("bad", external_library("late"), "unseen"));
  EXPECT_EQ(bad.status, CellStatus::kWrong) << bad.reason;
  EXPECT_THAT(bad.reason, testing::HasSubstr("is that of the inputs which lay there before"));
}

/// What comes before a launch may leave nothing of the system's code in the caches.
TEST(Late, APrepareBeforeAShortLaunchIsNoOtherClock) {
  const Record honest = record_of(external_arm("bad", external_library("cheats"), "ahead"));
  EXPECT_EQ(honest.status, CellStatus::kOk) << honest.reason;
}

}  // namespace
}  // namespace msda::test
