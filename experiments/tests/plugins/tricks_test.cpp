// Kernels that give right outputs and reach for more: the process, its environment, its events, the
// memory of others. None gets what it wants, and no honest arm pays for it.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <ostream>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/records.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

ArmEntry trick(const std::string& name, const std::string& how) {
  return external_arm(name, external_library("tricks"), "trick", how);
}

GroupRequest request_of(std::vector<ArmEntry> arms) {
  GroupRequest request;
  request.experiment = "tricks";
  request.problem = tiny_problem();
  request.problem.problem.batch = 2;
  request.problem.problem.queries = 40;
  request.baseline = arms.front().name;
  request.measure.blocks = 6;
  request.measure.samples = 10;
  request.measure.timeouts.verify = request.measure.timeouts.measure = Timeouts::Seconds(5);
  request.arms = std::move(arms);
  return request;
}

struct Trick {
  const char* how;  ///< the library's option
  CellStatus status;
  const char* reason;  ///< matches a part of it
};

void PrintTo(const Trick& trick, std::ostream* stream) { *stream << trick.how; }

class TrickTest : public testing::TestWithParam<Trick> {};

/// Some virtual machines let a process read the time-stamp counter whatever it has asked for.
bool time_stamps_can_be_forbidden() {
#if defined(__x86_64__)
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
    _exit(__builtin_ia32_rdtsc() == 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status);
#else
  return false;
#endif
}

TEST_P(TrickTest, EndsWithItsVerdictAndHarmsNoOther) {
  if (GetParam().how == std::string_view("no-clock") && !time_stamps_can_be_forbidden())
    GTEST_SKIP() << "this machine forbids no time stamps";
  const ArmEntry arm = trick("bad", GetParam().how);
  const Record bad = record_between_honest(request_of({arm}), arm);
  EXPECT_EQ(bad.status, GetParam().status) << bad.reason;
  EXPECT_THAT(bad.reason, testing::ContainsRegex(GetParam().reason));
}

constexpr Trick kTricks[] = {
    {"where-inputs-are-writable", CellStatus::kWrong, "is not that of its inputs"},
    // Rows of queries, or all outputs of a set: what is looked at first is drawn.
    {"last-image", CellStatus::kWrong,
     "is not that of its inputs|what was timed: relative L2 error"},
    {"clock", CellStatus::kOk, ""},
    {"environment", CellStatus::kOk, ""},
    {"twin", CellStatus::kOk, ""},
    {"end-of-thread", CellStatus::kCrashed, ""},
    {"close-all", CellStatus::kCrashed, ""},
    {"seal", CellStatus::kCrashed, ""},
    {"seal-once", CellStatus::kOk, ""},  // behind the last launch of a step, whose end opens it
    {"no-clock", CellStatus::kCrashed, ""},
};

INSTANTIATE_TEST_SUITE_P(OnTheCpu, TrickTest, testing::ValuesIn(kTricks), [](const auto& info) {
  std::string name = info.param.how;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(Tricks, TheEnvironmentOfOtherArmsStaysAsItWas) {
  const auto records = records_of(
      request_of({trick("honest", "environment-of-others"), trick("bad", "environment")}));
  EXPECT_EQ(records.at("honest").status, CellStatus::kOk) << records.at("honest").reason;
}

TEST(Tricks, ChildrenThatAreLeftSpinningAreSaid) {
  GroupRequest request =
      request_of({external_arm("honest", external_library("external")), trick("bad", "children")});
  request.problem.problem.queries = 2000;
  const auto records = records_of(request);
  const Record& honest = records.at("honest");
  ASSERT_EQ(honest.status, CellStatus::kOk) << honest.reason;
  EXPECT_GT(honest.processes.front().foreign_processors.at("bad"), 0.05);
}

}  // namespace
}  // namespace msda::test
