// The ways in which a variant for the CPU can go wrong, each beside two good ones: it ends with its
// own verdict, and they are measured as if it were not there.
#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/supervise/supervisor.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

struct BadPlugin {
  const char* behaviour;
  CellStatus status;
  const char* phase;   ///< where it ends
  const char* reason;  ///< a part of it
};

void PrintTo(const BadPlugin& bad, std::ostream* stream) { *stream << bad.behaviour; }

class BadPluginTest : public testing::TestWithParam<BadPlugin> {
 protected:
  /// Runs good, bad, good; the bad one goes wrong after `good_launches`.
  std::map<std::string, Record> run(std::int64_t good_launches) const {
    GroupRequest request;
    request.experiment = "bad";
    request.problem = tiny_problem();
    request.baseline = "first";
    request.measure.blocks = 3;
    request.measure.samples = 2;
    request.measure.warmup = 1;
    const Timeouts::Seconds limit(1);
    request.measure.timeouts = {limit, limit, limit, limit};
    request.arms = {fixture_arm("first", "good"),
                    fixture_arm("bad", GetParam().behaviour, good_launches),
                    fixture_arm("last", "good")};
    Supervisor supervisor({program(), "cpu", {fixture_directory()}, false});
    std::map<std::string, Record> records;
    supervisor.run(request, {"first", "bad", "last"},
                   [&](const Record& record) { records[record.arm] = record; });
    return records;
  }

  static void expect_unharmed(const Record& record) {
    EXPECT_EQ(record.status, CellStatus::kOk) << record.reason;
    EXPECT_EQ(record.samples.size(), 3U);
    EXPECT_LT(record.worst_output().relative_l2, 1e-5);
  }
};

TEST_P(BadPluginTest, EndsWithItsVerdictAndHarmsNoOther) {
  auto records = run(0);
  const Record& bad = records.at("bad");
  EXPECT_EQ(bad.status, GetParam().status) << bad.reason;
  EXPECT_EQ(bad.phase, GetParam().phase) << bad.reason;
  EXPECT_THAT(bad.reason, testing::HasSubstr(GetParam().reason));
  expect_unharmed(records.at("first"));
  expect_unharmed(records.at("last"));
}

/// In other words as a test's name may be.
std::string name_of_bad(const testing::TestParamInfo<BadPlugin>& info) {
  std::string name = info.param.behaviour;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

constexpr BadPlugin kBadPlugins[] = {
    {"spin", CellStatus::kHung, "verify", "no sign of life for 1 s; killed"},
    {"hang", CellStatus::kHung, "verify", "no sign of life for 1 s; killed"},
    {"crash", CellStatus::kCrashed, "verify", "signal SIGABRT"},
    {"crash-in-prepare", CellStatus::kCrashed, "prepare", "signal SIGABRT"},
    {"crash-in-destructor", CellStatus::kCrashed, "teardown", "signal SIGABRT"},
    {"overflow-stack", CellStatus::kCrashed, "verify", "signal SIGSEGV"},
    {"write-far", CellStatus::kCrashed, "verify", "signal SIGSEGV"},
    {"write-beside", CellStatus::kWrong, "verify", "4 bytes beside the output were written"},
    {"unwritten", CellStatus::kWrong, "verify", "not written"},
    {"late", CellStatus::kWrong, "verify", "not written"},
    {"noise", CellStatus::kWrong, "verify", "gave other bits"},
    {"wrong", CellStatus::kWrong, "verify", "relative L2 error"},
    {"zero-row", CellStatus::kWrong, "verify", "element (b 0, q 0, h 0, c "},
    // It writes what is right as long as the output is poisoned.
    {"cheat", CellStatus::kWrong, "measure", "what was timed: "},
    {"throw", CellStatus::kFailed, "verify", "thrown by the fixture"},
    {"throw-int", CellStatus::kFailed, "verify", "not a std::exception"},
    {"exit", CellStatus::kCrashed, "verify", "exit code 7"},
#if !defined(__SANITIZE_ADDRESS__)  // which ends a process that asks for too much
    {"exhaust-memory", CellStatus::kFailed, "prepare", "bad_alloc"},
#endif
};

INSTANTIATE_TEST_SUITE_P(OnTheCpu, BadPluginTest, testing::ValuesIn(kBadPlugins), name_of_bad);

class BadWhileTimedTest : public BadPluginTest {};

/// Two launches verify an arm, one warms it up.
constexpr std::int64_t kBeforeTiming = 3;

TEST_P(BadWhileTimedTest, HasNoTime) {
  auto records = run(kBeforeTiming);
  const Record& bad = records.at("bad");
  EXPECT_EQ(bad.status, GetParam().status) << bad.reason;
  // Of three launches that differ in a bit, the last one that is timed may have the right bits.
  const std::string later =
      GetParam().behaviour == std::string("noise") ? "verify again" : "measure";
  EXPECT_THAT(bad.phase, testing::AnyOf(GetParam().phase, later)) << bad.reason;
  // A launch that is watched while it is timed may show it first.
  const bool is_output = GetParam().status == CellStatus::kWrong;
  const std::string watched = is_output ? "is not that of its inputs" : GetParam().reason;
  EXPECT_THAT(bad.reason,
              testing::AnyOf(testing::HasSubstr(GetParam().reason), testing::HasSubstr(watched)));
  expect_unharmed(records.at("first"));
  expect_unharmed(records.at("last"));
}

constexpr BadPlugin kBadWhileTimed[] = {
    {"spin", CellStatus::kHung, "measure", "no sign of life for 1 s; killed"},
    {"overflow-stack", CellStatus::kCrashed, "measure", "signal SIGSEGV"},
    {"throw", CellStatus::kFailed, "measure", "thrown by the fixture"},
    {"unwritten", CellStatus::kWrong, "measure", "not written"},
    {"write-beside", CellStatus::kWrong, "measure", "4 bytes beside the output were written"},
    {"noise", CellStatus::kWrong, "measure", "other bits"},
    {"wrong", CellStatus::kWrong, "measure", "element (b 0, q 0, h 0, c 0)"},
    {"zero-row", CellStatus::kWrong, "measure", "element (b 0, q 0, h 0, c "},
};

INSTANTIATE_TEST_SUITE_P(OnTheCpu, BadWhileTimedTest, testing::ValuesIn(kBadWhileTimed),
                         name_of_bad);

}  // namespace
}  // namespace msda::test
