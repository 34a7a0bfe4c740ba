// Kernels of `backward`, `fused` and `fused-backward` that are right when they are verified and
// cheat when they are timed: none gets a time. Honest ones do, whatever is asked of them.
#include <algorithm>
#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operators/operator.hpp"
#include "plugins/records.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

ArmEntry rows_arm(const std::string& name, const std::string& op, const std::string& how,
                  const std::string& symbol = "rows_cheat") {
  ArmEntry arm = external_arm(name, external_library("rows"), symbol, how);
  arm.uses.front().parameters["signature"] = "msda-c-2";
  arm.uses.front().parameters["operator"] = op;
  return arm;
}

/// Two images, which a mask pads where the operator has one; levels have as many points as they
/// like.
GroupRequest request_of(const std::string& op, TimingMode mode) {
  GroupRequest request;
  request.experiment = "rows";
  request.mode = mode;
  Problem& problem = request.problem.problem;
  problem = tiny_problem().problem;
  request.problem.op = op;
  problem.batch = 2;
  problem.queries = 40;
  problem.level_points = {4, 2};
  problem.points = 4;
  problem.padding = op != "backward";
  request.baseline = "honest";
  request.measure.blocks = 10;
  request.measure.samples = 10;
  request.measure.warmup = 3;
  return request;
}

void ask_for(ProblemSpec& spec, const std::vector<std::string>& outputs) {
  const auto tensors = find_operator(spec.op).tensors();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].role != TensorSpec::Role::kOutput) continue;
    if (std::ranges::count(outputs, tensors[i].name) == 0) spec.problem.unasked |= 1U << i;
  }
}

struct Cheat {
  const char* how;     ///< the library's option
  const char* of;      ///< the operators that it is one of: "f", "b", "F" (fused-backward)
  const char* reason;  ///< matches a part of the verdict's
};

constexpr const char* kTimed = "what was timed: ";
constexpr const char* kOld = "is that of the inputs which lay there before";
/// What is remembered by a part of a tensor that changes may be of other changes.
constexpr const char* kOldOrOther =
    "is that of the inputs which lay there before|is not that of its inputs";
constexpr const char* kNotWritten = "NaN or were not written";

constexpr Cheat kCheats[] = {
    {"period", "fbF", kTimed},
    {"every-third", "fbF", kTimed},
    {"now-and-then", "fbF", kTimed},
    {"pointers", "fbF", kOld},
    {"by-logits", "fbF", kOldOrOther},
    {"by-references", "fbF", kOldOrOther},
    {"by-grad-output", "fbF", kTimed},
    {"half", "fbF", kTimed},
    {"no-last-row", "fbF", ""},
    {"last-image", "fbF", kTimed},
    {"no-grad-value", "bF", kTimed},
    {"grad-value-alone", "bF", kTimed},
    {"grad-value-by-pointers", "bF", kOld},
    {"references-by-pointers", "F", kOld},
    {"no-references", "F", kTimed},
    {"references-alone", "F", kTimed},
    {"never-cleared", "bF", kNotWritten},
    {"clears-poison", "bF", kTimed},
    {"clears-what-it-adds-to", "F", kTimed},
    {"old-offsets", "fF", ""},
    {"old-logits", "fF", ""},
    {"old-values", "fF", "with the signs of all values changed in place: "},
    {"scribble", "fF", "it wrote to its input `offsets`"},
    {"scribble-mask", "fF", ""},
    // What it wrote is gone where a watched query's inputs are put back: then its results say so.
    {"scribble-references", "fF",
     "it wrote to its input `reference_points`|is not that of its inputs|relative L2 error"},
    {"beside", "fbF", "4 bytes beside the "},
    {"no-mask", "fF", ""},
    {"even-points", "fbF", "relative L2 error"},
};

struct Group {
  const char* op;
  char letter;
  TimingMode mode;
};

void PrintTo(const Group& group, std::ostream* stream) {
  *stream << group.op << " in mode " << name_of(group.mode);
}

class RowsTest : public testing::TestWithParam<Group> {};

TEST_P(RowsTest, WhoLeavesWorkOutHasNoTimeAndTheHonestArmsHave) {
  const Group& group = GetParam();
  GroupRequest request = request_of(group.op, group.mode);
  request.arms.push_back(rows_arm("honest", group.op, ""));
  for (const Cheat& cheat : kCheats) {
    if (std::string(cheat.of).find(group.letter) == std::string::npos) continue;
    request.arms.push_back(rows_arm(cheat.how, group.op, cheat.how));
  }
  request.arms.push_back(rows_arm("last", group.op, ""));
  const auto records = records_of(request);
  for (const Cheat& cheat : kCheats) {
    if (!records.contains(cheat.how)) continue;
    const Record& bad = records.at(cheat.how);
    EXPECT_EQ(bad.status, CellStatus::kWrong) << cheat.how << ": " << bad.reason;
    EXPECT_THAT(bad.reason, ContainsRegex(cheat.reason)) << cheat.how;
    EXPECT_TRUE(bad.samples.empty()) << cheat.how;
  }
  for (const char* name : {"honest", "last"}) {
    EXPECT_EQ(records.at(name).status, CellStatus::kOk) << records.at(name).reason;
    EXPECT_EQ(records.at(name).samples.size(), 10U);
  }
}

INSTANTIATE_TEST_SUITE_P(OnTheCpu, RowsTest,
                         testing::Values(Group{"fused", 'f', TimingMode::kWarm},
                                         Group{"backward", 'b', TimingMode::kWarm},
                                         Group{"fused-backward", 'F', TimingMode::kWarm}));

/// Nothing but a sum over queries is there to be looked at.
TEST(Rows, AGradientOfTheValuesAloneIsWatchedAsWell) {
  for (const std::string op : {"backward", "fused-backward"}) {
    GroupRequest request = request_of(op, TimingMode::kWarm);
    ask_for(request.problem, {"grad_value"});
    request.arms = {rows_arm("honest", op, ""), rows_arm("pointers", op, "pointers"),
                    rows_arm("by-grad-output", op, "by-grad-output")};
    const auto records = records_of(request);
    EXPECT_EQ(records.at("honest").status, CellStatus::kOk) << records.at("honest").reason;
    for (const char* name : {"pointers", "by-grad-output"}) {
      EXPECT_EQ(records.at(name).status, CellStatus::kWrong) << op << ", " << name;
      EXPECT_THAT(records.at(name).reason, HasSubstr(kTimed));
    }
  }
}

/// What a model may ask for, in few launches of many inputs.
TEST(Rows, HonestKernelsAreNeverAccused) {
  struct Asked {
    const char* op;
    std::vector<std::string> outputs;
    References references;
    Distribution distribution;
    int sets;
  };
  References boxes;
  boxes.coordinates = 4;
  boxes.anchors = 1;
  const std::vector<Asked> all = {
      {"fused", {"output"}, {}, Distribution::kOutside, 1},
      {"fused", {"output"}, boxes, Distribution::kLocal, 3},
      {"backward", {"grad_value"}, {}, Distribution::kBorder, 3},
      {"backward", {"grad_attention_weights"}, {}, Distribution::kOutside, 2},
      {"fused-backward", {"grad_value"}, boxes, Distribution::kSame, 2},
      {"fused-backward", {"grad_reference_points"}, {}, Distribution::kOutside, 3},
      {"fused-backward", {"grad_value", "grad_logits"}, boxes, Distribution::kClustered, 1}};
  for (const Asked& asked : all) {
    GroupRequest request = request_of(asked.op, TimingMode::kWarm);
    request.problem.problem.references = asked.references;
    request.problem.generation.distribution = asked.distribution;
    ask_for(request.problem, asked.outputs);
    request.measure.input_sets = asked.sets;
    request.measure.blocks = 2;
    request.arms = {rows_arm("honest", asked.op, "")};
    for (request.process = 0; request.process < 4; ++request.process) {
      const Record record = records_of(request).at("honest");
      EXPECT_EQ(record.status, CellStatus::kOk) << asked.op << ": " << record.reason;
    }
  }
}

TEST(Rows, WhatCachesHoldMakesNoDifference) {
  GroupRequest request = request_of("fused-backward", TimingMode::kCold);
  request.measure.blocks = 2;
  for (const std::string how : {"honest", "pointers", "half"}) {
    request.arms.push_back(rows_arm(how, request.problem.op, how));
  }
  for (const auto& [name, record] : records_of(request)) {
    EXPECT_EQ(record.status, name == "honest" ? CellStatus::kOk : CellStatus::kWrong)
        << name << ": " << record.reason;
  }
}

TEST(Rows, WorkThatGoesOnAfterTheLaunchIsNotWaitedFor) {
  for (const std::string op : {"fused", "backward", "fused-backward"}) {
    GroupRequest request = request_of(op, TimingMode::kWarm);
    request.arms = {rows_arm("honest", op, ""), rows_arm("thread", op, "thread")};
    const Record thread = records_of(request).at("thread");
    // The last thread may find its tensors freed, which ends a worker that has come to its end.
    if (thread.status == CellStatus::kCrashed) {
      EXPECT_THAT(thread.reason, HasSubstr("in phase 'teardown'")) << op;
    } else {
      EXPECT_EQ(thread.status, CellStatus::kWrong) << op << ": " << thread.reason;
    }
    EXPECT_TRUE(thread.samples.empty()) << op;
  }
}

TEST(Rows, WorkThatIsDoneBeforehandIsShownAsSuch) {
  for (const std::string op : {"fused", "backward", "fused-backward"}) {
    GroupRequest request = request_of(op, TimingMode::kWarm);
    request.arms = {rows_arm("honest", op, ""), rows_arm("ahead", op, "", "rows_ahead")};
    const Record ahead = records_of(request).at("ahead");
    ASSERT_EQ(ahead.status, CellStatus::kOk) << ahead.reason;
    ASSERT_EQ(ahead.parts.size(), 2U);
    EXPECT_TRUE(ahead.parts.front().outside);
  }
}

}  // namespace
}  // namespace msda::test
