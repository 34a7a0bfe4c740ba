// The ways in which a variant for a GPU can go wrong, each beside two good ones; as
// bad_plugins_test.cpp for the CPU.
#include <algorithm>
#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <msda/operators/forward.hpp>
#include "measure/device_input.hpp"
#include "runner/supervise/supervisor.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

struct BadGpuPlugin {
  const char* variant;
  const char* behaviour;
  CellStatus status;
  const char* phase;
  const char* reason;
};

void PrintTo(const BadGpuPlugin& bad, std::ostream* stream) { *stream << bad.behaviour; }

std::string name_of_bad(const testing::TestParamInfo<BadGpuPlugin>& info) {
  std::string name = info.param.behaviour;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

constexpr const char* kDevice = "gpu-fixture";
constexpr const char* kHost = "gpu-kernel-fixture";

constexpr BadGpuPlugin kBadGpuPlugins[] = {
    {kDevice, "spin", CellStatus::kHung, "verify", "killed"},
    {kDevice, "trap", CellStatus::kCrashed, "verify", "cuda"},
    {kDevice, "far", CellStatus::kCrashed, "verify", "illegal memory access"},
    {kDevice, "beside", CellStatus::kWrong, "verify", "bytes beside the output were written"},
    {kDevice, "unwritten", CellStatus::kWrong, "verify", "not written"},
    {kDevice, "noise", CellStatus::kWrong, "verify", "gave other bits"},
    {kHost, "late", CellStatus::kWrong, "verify", "not written"},
    {kHost, "refused", CellStatus::kFailed, "verify", "invalid"},
    {kHost, "exhaust-memory", CellStatus::kFailed, "prepare", "out of memory"},
};

/// Words of 16 bytes from the last output of the problem to the bytes behind it.
std::int64_t words_of_output(const Problem& problem) {
  return elements(problem, forward::kOutput) *
         static_cast<std::int64_t>(size_of(problem.types.output)) / 16;
}

ArmEntry bad_arm(const BadGpuPlugin& bad, const Problem& problem) {
  Use use{bad.variant, {{"behaviour", std::string(bad.behaviour)}}};
  if (std::string(bad.behaviour) == "beside") use.parameters["distance"] = words_of_output(problem);
  return {"bad", {std::move(use)}, bad.behaviour};
}

class BadGpuPluginTest : public testing::TestWithParam<BadGpuPlugin> {};

TEST_P(BadGpuPluginTest, EndsWithItsVerdictAndHarmsNoOther) {
  GroupRequest request;
  request.experiment = "bad";
  request.problem = tiny_problem();
  request.baseline = "first";
  request.measure.blocks = 3;
  request.measure.samples = 2;
  const Timeouts::Seconds limit(5);
  request.measure.timeouts.verify = request.measure.timeouts.measure = limit;
  request.arms = {{"first", {}, "direct"},
                  bad_arm(GetParam(), request.problem.problem),
                  {"last", {}, "direct"}};
  Supervisor supervisor({program(), "cuda:0", {gpu_fixture_directory()}, false});
  std::map<std::string, Record> records;
  supervisor.run(request, {"first", "bad", "last"},
                 [&](const Record& record) { records[record.arm] = record; });
  const Record& bad = records.at("bad");
  EXPECT_EQ(bad.status, GetParam().status) << bad.reason;
  EXPECT_EQ(bad.phase, GetParam().phase) << bad.reason;
  EXPECT_THAT(bad.reason, testing::HasSubstr(GetParam().reason));
  for (const char* arm : {"first", "last"}) {
    EXPECT_EQ(records.at(arm).status, CellStatus::kOk) << records.at(arm).reason;
    EXPECT_EQ(records.at(arm).samples.size(), 3U);
  }
}

INSTANTIATE_TEST_SUITE_P(OnAGpu, BadGpuPluginTest, testing::ValuesIn(kBadGpuPlugins), name_of_bad);

}  // namespace
}  // namespace msda::test
