// What variants say of themselves: what they refuse, how they settle parameters, what they round
// and what their kernels are to be seen doing. Each promise has a problem on either side of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <msda/operators/backward.hpp>

#include "compose/composition.hpp"
#include "support/problems.hpp"

namespace msda {
namespace {

using ::testing::ElementsAre;
using Values = std::map<std::string, ParameterValue>;

const Registry& registry() {
  static const Registry kRegistry({MSDA_BINARY_DIR "/lib/msda/variants"});
  return kRegistry;
}

DeviceInfo gpu(int capability = 90) {
  DeviceInfo info;
  info.id = "cuda:0";
  info.kind = DeviceKind::kCuda;
  info.compute_capability = capability;
  return info;
}

ParameterValue number(std::int64_t value) { return value; }
ParameterValue text(const char* value) { return std::string(value); }

Composition alone(const char* variant, const Values& values = {}) {
  return Composition(registry(), {{variant, values}});
}

/// Why the variant refuses the problem, without its name before it; "" where it takes it.
std::string refusal(const char* variant, const Values& values, const Problem& problem,
                    int capability = 90) {
  const auto reason = alone(variant, values).unsupported(problem, gpu(capability));
  return reason ? reason->substr(std::string_view(variant).size() + 2) : "";
}

std::vector<std::string> evidence(const char* variant, const Values& values,
                                  const Problem& problem = simulated_problem()) {
  const Composition composition = alone(variant, values);
  const Part& part = composition.parts().front();
  return part.plugin->variant->evidence(problem, part.parameters);
}

Parameters settled_in(const char* variant, const Values& values, const Problem& problem) {
  return settled(alone(variant, values).parts().front(), problem);
}

Problem with_channels(std::int64_t channels) {
  Problem problem = simulated_problem();
  problem.channels = channels;
  return problem;
}

Problem halves() { return in_type(DType::kFloat16, simulated_problem()); }

Problem with_level_points() {
  Problem problem = halves();
  problem.level_points = {4, 2};
  return problem;
}

TEST(Refusals, OfChannelsThatBlocksDoNotShareEvenly) {
  EXPECT_EQ(refusal("channel-split", {}, with_channels(24)), "");
  EXPECT_EQ(refusal("channel-split", {}, with_channels(20)),
            "20 channels are not a multiple of 8 per block");
  const Values wide = {{"channels", number(4)}, {"width", number(8)}};
  EXPECT_EQ(refusal("channel-split", wide, with_channels(32)),
            "4 channels per block are not a multiple of width 8");
}

TEST(Refusals, OfBothSidesOfARowInLanesThatDoNotDivideAWarp) {
  EXPECT_EQ(refusal("corner-pair", {}, with_channels(64)), "");
  EXPECT_EQ(refusal("corner-pair", {}, with_channels(24)),
            "both sides of a row would take 12 lanes, which do not divide a warp of 32");
}

TEST(Refusals, OfReadingMeanwhileWhereNoCopyIsUnderWay) {
  const Values words = {{"meanwhile", text("global")}, {"copy", text("words")}};
  EXPECT_EQ(refusal("smem-levels", words, simulated_problem()),
            "meanwhile: global needs copy: bulk; other copies are complete before the first tile");
  const Values bulk = {{"meanwhile", text("global")}, {"copy", text("bulk")}};
  EXPECT_EQ(refusal("smem-levels", bulk, simulated_problem()), "");
}

TEST(Refusals, OfClustersBeforeHopper) {
  EXPECT_EQ(refusal("distributed-smem", {}, simulated_problem(), 90), "");
  EXPECT_EQ(refusal("distributed-smem", {}, simulated_problem(), 89),
            "clusters need compute capability 9.0");
  const Values two = {{"cluster", number(2)}};
  EXPECT_EQ(refusal("staging-copy", {}, simulated_problem(), 89), "");
  EXPECT_EQ(refusal("staging-copy", two, simulated_problem(), 90), "");
  EXPECT_EQ(refusal("staging-copy", two, simulated_problem(), 89),
            "clusters need compute capability 9.0");
}

TEST(Refusals, OfACopyBetweenTwoTypes) {
  Problem problem = halves();
  EXPECT_EQ(refusal("staging-copy", {}, problem), "");
  problem.types.output = DType::kFloat32;
  EXPECT_EQ(refusal("staging-copy", {}, problem),
            "values and output are of different types: it copies, and converts nothing");
}

TEST(Refusals, OfWhatTensorCoresDoNotMultiply) {
  EXPECT_EQ(refusal("tensor-core-attempt", {}, halves()), "");
  EXPECT_EQ(refusal("tensor-core-attempt", {}, simulated_problem()),
            "tensor cores multiply fp16 or bf16 values here; fp32 would be rounded to tf32");
  EXPECT_EQ(refusal("tensor-core-attempt", {}, with_level_points()),
            "a warp takes as many points of each level, and these differ here");
}

TEST(Refusals, OfWhatTexturesDoNotHold) {
  EXPECT_EQ(refusal("texture", {}, in_type(DType::kBFloat16, simulated_problem())),
            "textures have no bf16 texels");
  EXPECT_EQ(refusal("texture", {}, with_channels(30)),
            "a texel holds 4 channels, and 30 are no multiple of it");
  Problem problem = with_channels(32);
  problem.heads = 8;
  problem.batch = 32;
  EXPECT_EQ(refusal("texture", {}, problem), "");
  problem.batch = 33;
  EXPECT_EQ(refusal("texture", {}, problem), "B*H*C/4 is 2112 layers; a texture has at most 2048");
}

TEST(Refusals, OfBlendingInThirtyTwoBitsWhatIsToBlendInSixteen) {
  EXPECT_EQ(refusal("mixed-precision", {}, halves()), "");
  EXPECT_EQ(refusal("mixed-precision", {}, simulated_problem()),
            "values are fp32: there is no 16-bit blend");
}

TEST(Refusals, OfThreadsThatAMultiprocessorHasNot) {
  const auto lanes = [](std::int64_t threads, std::int64_t blocks) {
    return refusal("row-lanes", {{"threads", number(threads)}, {"blocks", number(blocks)}},
                   simulated_problem());
  };
  EXPECT_EQ(lanes(1024, 2), "");
  EXPECT_EQ(lanes(1024, 3), "a multiprocessor has 2048 threads at most");
  EXPECT_EQ(lanes(48, 1), "48 threads are no whole warps");
}

TEST(Refusals, OfLevelsThatAreTooLongForVectorCodeOnEitherAxis) {
  constexpr std::int64_t kLongest = std::int64_t{1} << 22;
  DeviceInfo cpu;
  cpu.id = "cpu";
  const auto takes = [&](std::int64_t height, std::int64_t width) {
    Problem problem = tiny_problem();
    problem.levels = {{height, width}};
    return !alone("cpu-simd").unsupported(problem, cpu);
  };
  EXPECT_TRUE(takes(1, kLongest));
  EXPECT_TRUE(takes(kLongest, 1));
  EXPECT_FALSE(takes(1, kLongest + 1));
  EXPECT_FALSE(takes(kLongest + 1, 1));
}

/// 250 pixels, in a first level of 20 columns; a grid of its proportions would have 22.
Problem of_pixels() {
  return make_problem({.queries = 250, .heads = 2, .levels = {{10, 20}, {5, 10}}});
}

TEST(StripOrder, TakesTheColumnsOfTheFirstLevelWhereQueriesAreThePixels) {
  const Parameters own = settled_in("strip-order", {}, of_pixels());
  EXPECT_EQ(own.get<std::int64_t>("columns"), 20);
  EXPECT_EQ(own.get<std::int64_t>("rows"), 6);  // two strips, and 10 queries behind them
  Problem other = of_pixels();
  other.queries = 242;
  EXPECT_EQ(settled_in("strip-order", {}, other).get<std::int64_t>("columns"), 22);
}

TEST(StripOrder, RefusesQueriesThatAreNotTwoRows) {
  const Values wide = {{"columns", number(125)}};
  EXPECT_EQ(refusal("strip-order", wide, of_pixels()), "");
  EXPECT_EQ(refusal("strip-order", {{"columns", number(126)}}, of_pixels()),
            "250 queries are not 2 rows of 126 columns");
  // Given for a larger problem, as where evidence is counted on a small one.
  EXPECT_EQ(settled_in("strip-order", {{"columns", number(126)}}, of_pixels())
                .get<std::int64_t>("columns"),
            20);
}

Arithmetic arithmetic_of(const char* variant, const Values& values, const Problem& problem) {
  return alone(variant, values).arithmetic(problem);
}

TEST(Roundings, OfSumsOfABatchInTheStoredType) {
  const auto sums = [](const char* type) {
    return arithmetic_of("mixed-precision", {{"sums", text(type)}}, halves()).sums;
  };
  EXPECT_EQ(sums("fp32"), (Rounding{kFp16, 16}));  // four corners of four points
  EXPECT_EQ(sums("pairs"), (Rounding{kFp16, 32}));
  EXPECT_EQ(sums("half"), (Rounding{kFp16, 0}));
  const Values half = {{"half-coordinates", true}};
  EXPECT_EQ(arithmetic_of("mixed-precision", half, halves()).coordinates, (Rounding{kFp16, 3}));
}

TEST(Roundings, OfWeightsThatTensorCoresMultiply) {
  const Problem bf16 = in_type(DType::kBFloat16, simulated_problem());
  EXPECT_EQ(arithmetic_of("tensor-core-attempt", {}, bf16).weights, (Rounding{kBf16, 1}));
  EXPECT_EQ(arithmetic_of("tile-bins", {}, bf16).weights, (Rounding{kBf16, 1}));
  EXPECT_EQ(arithmetic_of("tile-bins", {}, simulated_problem()), Arithmetic());
}

TEST(Roundings, OfFractionsThatATextureUnitKeepsInEightBits) {
  EXPECT_EQ(arithmetic_of("texture", {}, halves()).fraction_step, 2.0 / 256);
}

TEST(Roundings, OfValuesInEightBits) {
  const Arithmetic whole = arithmetic_of("int8-value", {}, halves());
  EXPECT_EQ(whole.value_step, 1.0 / 127);
  EXPECT_EQ(whole.weights, (Rounding{kFp16, 1}));
  EXPECT_EQ(whole.sums, (Rounding{kFp16, 16}));
  const Arithmetic real = arithmetic_of("fp8-value", {}, halves());
  EXPECT_EQ(real.values, (Rounding{kE4m3, 1}));
  EXPECT_EQ(real.value_step, 2 * kE4m3.smallest / 448);
}

TEST(Roundings, OfSumsInFixedPointGrowWithWhatAPixelMayGet) {
  const auto steps = [](const char* variant, Problem problem, std::int64_t queries) {
    problem.queries = queries;
    return 0.98 * arithmetic_of(variant, {}, problem).accumulation_step;
  };
  // 4 points of each query; in 16 bits a contribution has 22 bits at most.
  EXPECT_DOUBLE_EQ(steps("fixed-sums", simulated_problem(), 1000), 4000 * 0x1p-31);
  EXPECT_DOUBLE_EQ(steps("fixed-sums", halves(), 1000), 4000 * 0x1p-31);
  EXPECT_DOUBLE_EQ(steps("fixed-sums", halves(), 10), 0x1p-22);
  EXPECT_DOUBLE_EQ(steps("shared-fixed", simulated_problem(), 1000), 4 * 4000 * 0x1p-31);
  EXPECT_DOUBLE_EQ(steps("shared-fixed", halves(), 1000), 4000 * 0x1p-31);
  EXPECT_DOUBLE_EQ(steps("shared-fixed", halves(), 10), 0x1p-22);
}

TEST(Roundings, OfAdditionsInTheStoredTypeThatComeInAnyOrder) {
  const Composition native = alone("native-sums");
  EXPECT_EQ(native.arithmetic(halves()).accumulation, (Rounding{kFp16, 0}));
  const auto name = [](backward::Tensor tensor) { return backward::kTensors[tensor].name; };
  EXPECT_FALSE(native.deterministic(name(backward::kGradValue)));
  EXPECT_TRUE(native.deterministic(name(backward::kGradWeights)));
  EXPECT_TRUE(alone("fixed-sums").deterministic(name(backward::kGradValue)));
}

TEST(Shown, ByHintsAreTheOnesThatWereAskedFor) {
  EXPECT_THAT(evidence("l2-hints", {}), ElementsAre("value.evict-last > 0", "streaming > 0"));
  // All of the two levels pass by L1: none of the values is asked to stay.
  EXPECT_THAT(evidence("l2-hints", {{"bypass-l1", number(2)}, {"stream", text("cg")}}),
              ElementsAre("value.no-allocate > 0", "weights.l2 > 0"));
  EXPECT_THAT(
      evidence("l2-hints",
               {{"value", text("cg")}, {"bypass-l1", number(1)}, {"stream-past-l1", true}}),
      ElementsAre("value.no-allocate > 0", "value.l2 > 0", "streaming > 0", "weights.once > 0"));
}

TEST(Shown, ByValuesInEightBitsIsTheInstructionThatBlendsThem) {
  EXPECT_THAT(evidence("int8-value", {}),
              ElementsAre("prepass.workspace.layout.stores > 0", "fma2 > 0"));
  EXPECT_THAT(evidence("int8-value", {{"blend", text("columns")}}),
              ElementsAre("prepass.workspace.layout.stores > 0", "dot2 > 0"));
}

TEST(Shown, ByHeadsThatAreKeptTogether) {
  EXPECT_THAT(evidence("smem-levels", {}), ElementsAre("shared.source.loads > 0"));
  EXPECT_THAT(evidence("smem-levels", {{"heads", number(2)}}),
              ElementsAre("shared.source.loads > 0", "tiles.heads > 1"));
  EXPECT_THAT(evidence("distributed-smem", {{"heads", number(2)}}),
              ElementsAre("shared.source.remote-loads > 0", "tiles.heads > 1"));
}

TEST(Placements, SayHowRowsComeToTheFirstDevice) {
  EXPECT_EQ(alone("batch-split").gather(), Placement::Gather::kWritten);
  EXPECT_EQ(alone("batch-split", {{"output", text("copied")}}).gather(),
            Placement::Gather::kCopied);
}

}  // namespace
}  // namespace msda
