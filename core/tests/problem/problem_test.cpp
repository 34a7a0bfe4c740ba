#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <utility>

#include <msda/error.hpp>

#include <msda/operators/forward.hpp>
#include <msda/operators/fused.hpp>
#include "operators/operator.hpp"
#include "problem/validate.hpp"
#include "support/problems.hpp"

namespace msda {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Problem ledger() {
  return in_type(DType::kFloat16,
                 make_problem({.batch = 48,
                               .queries = 15422,
                               .points = 8,
                               .levels = {{92, 160}, {46, 80}, {23, 40}, {12, 20}}}));
}

Problem padded_ledger() {
  Problem problem = ledger();
  problem.layout = ValueLayout::kZeroBorder;
  return problem;
}

/// The message of the UsageError that body throws; "" when it throws none.
std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const UsageError& e) {
    return e.what();
  }
  return "";
}

TEST(Problem, PlainLevelsFollowEachOther) {
  const Problem problem = ledger();
  EXPECT_THAT(problem.level_starts(), ElementsAre(0, 14720, 18400, 19320));
  EXPECT_EQ(problem.spatial_size(), 19560);
  EXPECT_EQ(problem.level_pitch(3), 20);
  EXPECT_EQ(problem.level_pixels(3), 240);
}

TEST(Problem, BorderAddsTwoRowsAndColumnsToEachLevel) {
  const Problem problem = padded_ledger();
  EXPECT_THAT(problem.level_starts(), ElementsAre(0, 15228, 19164, 20214));
  EXPECT_EQ(problem.spatial_size(), 20522);
  EXPECT_EQ(problem.level_pitch(3), 22);
  EXPECT_EQ(problem.level_pixels(3), 14 * 22);
}

TEST(Problem, CountsElementsBytesAndOperations) {
  const Problem problem = ledger();
  EXPECT_EQ(elements(problem, forward::kValue), 48LL * 19560 * 32);
  EXPECT_EQ(elements(problem, forward::kWeights), 48LL * 15422 * 4 * 8);
  EXPECT_EQ(elements(problem, forward::kLocations), 2 * elements(problem, forward::kWeights));
  EXPECT_EQ(elements(problem, forward::kOutput), 48LL * 15422 * 32);
  EXPECT_EQ(total_bytes(problem, forward::kTensors),
            2 * (elements(problem, forward::kValue) + elements(problem, forward::kLocations) +
                 elements(problem, forward::kWeights) + elements(problem, forward::kOutput)));
  EXPECT_EQ(find_operator("forward").traffic(problem).gathered, 48LL * 15422 * 32 * 4 * 32 * 2);
  EXPECT_EQ(find_operator("forward").traffic(problem).flops,
            elements(problem, forward::kOutput) * 512);  // 32 points x 16
}

TEST(Problem, EachTensorHasItsOwnType) {
  Problem problem = ledger();
  const std::int64_t half = total_bytes(problem, forward::kTensors);
  problem.types.location = DType::kFloat32;
  EXPECT_EQ(total_bytes(problem, forward::kTensors),
            half + 2 * elements(problem, forward::kLocations));
}

TEST(Problem, DescribesShapeTypesAndBorder) {
  Problem problem = ledger();
  EXPECT_EQ(describe(problem), "B=48 Q=15422 H=1 C=32 L=4 P=8 fp16");
  problem.layout = ValueLayout::kZeroBorder;
  EXPECT_EQ(describe(problem), "B=48 Q=15422 H=1 C=32 L=4 P=8 fp16 zero-border");
  problem.types.location = DType::kFloat32;
  EXPECT_THAT(describe(problem), HasSubstr("value=fp16 location=fp32 weight=fp16 output=fp16"));
}

TEST(ValidateProblem, AcceptsBothLayouts) {
  EXPECT_NO_THROW(validate(ledger(), forward::kTensors));
  EXPECT_NO_THROW(validate(padded_ledger(), forward::kTensors));
}

TEST(ValidateProblem, NamesTheSizeThatIsNotPositive) {
  using Member = std::pair<std::int64_t Problem::*, const char*>;
  for (const auto& [member, name] :
       {Member{&Problem::batch, "batch is 0"}, Member{&Problem::queries, "queries is 0"},
        Member{&Problem::heads, "heads is 0"}, Member{&Problem::channels, "channels is 0"},
        Member{&Problem::points, "points is 0"}}) {
    Problem problem = ledger();
    problem.*member = 0;
    EXPECT_THAT(message_of([&] { validate(problem, forward::kTensors); }), HasSubstr(name));
  }
  Problem problem = ledger();
  problem.levels[2].width = -3;
  EXPECT_THAT(message_of([&] { validate(problem, forward::kTensors); }),
              HasSubstr("levels[2].width is -3"));
}

TEST(ValidateProblem, BoundsTheNumberOfLevels) {
  Problem problem = ledger();
  problem.levels.clear();
  EXPECT_THAT(message_of([&] { validate(problem, forward::kTensors); }),
              HasSubstr("levels has 0 entries"));
  problem.levels.assign(static_cast<std::size_t>(kMaxLevels) + 1, Level{1, 1});
  EXPECT_THAT(message_of([&] { validate(problem, forward::kTensors); }),
              HasSubstr("levels has 9 entries"));
}

TEST(ValidateProblem, NamesTheTensorThatOverflows) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 40;
  Problem problem = ledger();
  problem.levels = {{kHuge, kHuge}};
  EXPECT_THAT(message_of([&] { validate(problem, forward::kTensors); }),
              AllOf(HasSubstr("pixels"), HasSubstr("does not fit in 63 bits")));
  problem = ledger();
  problem.channels = kHuge << 6U;
  EXPECT_THAT(message_of([&] { validate(problem, forward::kTensors); }),
              HasSubstr("value: batch=48"));
  problem = ledger();
  problem.queries = kHuge;
  problem.points = kHuge;
  EXPECT_THAT(message_of([&] { validate(problem, forward::kTensors); }),
              HasSubstr("locations: batch=48"));
}

TEST(ValidateProblem, BorderOfTheLargestLevelDoesNotWrap) {
  Problem problem = padded_ledger();
  problem.levels = {{1, std::numeric_limits<std::int64_t>::max()}};
  EXPECT_THAT(message_of([&] { validate(problem, forward::kTensors); }),
              HasSubstr("levels: width"));
}

TEST(ValidateLevelStarts, AcceptsWhatTheLevelsImply) {
  EXPECT_EQ(message_of([] {
              validate_level_starts(ledger(), {0, 14720, 18400, 19320}, 19560);
            }),
            "");
  EXPECT_EQ(message_of([] {
              validate_level_starts(padded_ledger(), {0, 15228, 19164, 20214}, 20522);
            }),
            "");
}

TEST(ValidateLevelStarts, RefusesALevelThatEndsBeyondTheTensor) {
  const std::string message = message_of([] {
    validate_level_starts(ledger(), {0, 14720, 18400, 20320}, 20522);
  });
  EXPECT_THAT(message, HasSubstr("level 3 (12x20) starts at 20320 instead of 19320: it would end "
                                 "at 20560, beyond spatial_size 20522"));
  EXPECT_THAT(message, HasSubstr("starts 0, 14720, 18400, 19320 with spatial_size 19560"));
  EXPECT_THAT(message, HasSubstr("starts 0, 15228, 19164, 20214 with spatial_size 20522"));
  EXPECT_THAT(message, Not(HasSubstr("level 2 (")));
}

TEST(ValidateLevelStarts, RefusesWrongCountsAndSizes) {
  EXPECT_THAT(message_of([] {
                validate_level_starts(ledger(), {0, 14720, 18400}, 19560);
              }),
              HasSubstr("3 entries for 4 levels"));
  EXPECT_THAT(message_of([] {
                validate_level_starts(ledger(), {0, 14720, 18400, 19320}, 20522);
              }),
              HasSubstr("the levels have 19560 pixels, but spatial_size is 20522"));
}

TEST(ValidateLevelStarts, SurvivesAStartNearTheEndOfTheRange) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(message_of([] {
                validate_level_starts(ledger(), {0, 14720, 18400, kMax}, 19560);
              }),
              HasSubstr("level 3 (12x20)"));
}

TEST(ValidateProblem, OperationsThatDoNotFitAreRefusedThoughAllTensorsDo) {
  Problem problem = make_problem({.queries = std::int64_t{1} << 30,
                                  .channels = 1 << 14,
                                  .points = 1 << 12,
                                  .levels = {{1, 1}}});
  EXPECT_EQ(message_of([&] { validate(problem, forward::kTensors); }), "");  // 2^62 of them
  problem.points *= 2;
  EXPECT_THAT(message_of([&] { validate(problem, forward::kTensors); }),
              AllOf(HasSubstr("operations"), HasSubstr("does not fit in 63 bits")));
}

TEST(ValidateProblem, MasksAreForPixelsWhoseNumbersLeaveRoomForFlags) {
  Problem problem = make_problem({.levels = {{1, (std::int64_t{1} << 28) - 1}}});
  problem.padding = true;
  EXPECT_EQ(message_of([&] { validate(problem, fused::kTensors); }), "");
  problem.levels[0].width += 1;
  EXPECT_THAT(message_of([&] { validate(problem, fused::kTensors); }),
              HasSubstr("an image has 268435456 pixels; masks are for 268435455 at most"));
}

}  // namespace
}  // namespace msda
