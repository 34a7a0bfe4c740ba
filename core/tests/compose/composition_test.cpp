#include "compose/composition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <msda/plugin.hpp>

#include "compose/skeleton.hpp"
#include "input/input.hpp"

namespace msda {
namespace {

using ::testing::HasSubstr;

const Registry& registry() {
  static const Registry kRegistry({MSDA_BINARY_DIR "/lib/msda/variants"});
  return kRegistry;
}

std::string refusal(const std::vector<Use>& uses) {
  try {
    const Composition composition(registry(), uses);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

DeviceInfo gpu() {
  DeviceInfo info;
  info.id = "cuda:0";
  info.kind = DeviceKind::kCuda;
  info.compute_capability = 90;
  return info;
}

TEST(Composition, EmptyIsTheSkeletonWithItsDefaults) {
  const Composition composition(registry(), {});
  EXPECT_EQ(composition.describe(), "direct defaults");
  EXPECT_EQ(composition.devices(), std::vector{DeviceKind::kCuda});
  EXPECT_EQ(composition.kernel(), nullptr);
}

TEST(Composition, DescribesEveryParameter) {
  const Composition composition(registry(), {{"vector-loads", {{"width", std::int64_t{4}}}}});
  EXPECT_EQ(composition.describe(), "vector-loads{threads=256,width=4}");
}

TEST(Skeleton, KnowsASlotByItsFormerName) {
  EXPECT_EQ(skeleton("specialised").find("handover"), skeleton("specialised").find("pipeline"));
}

TEST(Skeleton, SaysWhichSlotHasTheFormerMeaningOfAName) {
  Plugin plugin;
  plugin.variant = std::make_shared<Optimization>(
      VariantInfo{.name = "old", .summary = "", .parameters = {}},
      Optimization::Slot{.skeleton = "direct", .slot = "pipeline", .type = "", .header = ""});
  EXPECT_THAT(slot_error(plugin), HasSubstr("what fetches points fills 'point-fetch'"));
}

TEST(Composition, RefusesTwoOptimizationsForOneSlot) {
  EXPECT_THAT(refusal({{"vector-loads", {}}, {"thread-per-channel", {}}}),
              HasSubstr("'vector-loads' and 'thread-per-channel' both fill slot 'mapping'"));
}

TEST(Composition, RefusesAKernelBesideAnythingElse) {
  EXPECT_THAT(
      refusal({{"vector-loads", {}}, {"cpu-scalar", {}}}),
      HasSubstr("'cpu-scalar' is a whole kernel and cannot be combined with 'vector-loads'"));
}

TEST(Composition, RefusesTwoSkeletons) {
  EXPECT_THAT(refusal({{"tensor-core-attempt", {}}, {"vector-loads", {}}}),
              HasSubstr("'tensor-core-attempt' is for skeleton 'whole' and 'vector-loads' for "
                        "'direct'"));
}

TEST(Composition, TakesTheSkeletonThatExtendsAnother) {
  const Composition both(registry(), {{"handover", {}}, {"thread-per-channel", {}}});
  EXPECT_EQ(both.skeleton(), "specialised");
  EXPECT_EQ(Composition(registry(), {{"thread-per-channel", {}}}).skeleton(), "direct");
  EXPECT_THAT(refusal({{"handover", {}}, {"tensor-core-attempt", {}}}),
              HasSubstr("one composition has one skeleton"));
  EXPECT_THAT(refusal({{"handover", {}}, {"work-stealing", {}}}), HasSubstr("do not combine"));
}

TEST(Composition, APlacementStandsBesideAnyCode) {
  const Use split{"batch-split", {{"devices", std::int64_t{3}}}};
  const Composition composed(registry(), {{"vector-loads", {}}, split});
  EXPECT_EQ(composed.device_count(), 3);
  EXPECT_EQ(composed.describe(),
            "vector-loads{threads=256,width=0} + batch-split{devices=3,output=written}");
  EXPECT_EQ(composed.on_one_device().describe(), "vector-loads{threads=256,width=0}");
  EXPECT_EQ(Composition(registry(), {split}).describe(),
            "direct defaults + batch-split{devices=3,output=written}");
  EXPECT_NE(Composition(registry(), {{"cpu-scalar", {}}, split}).kernel(), nullptr);
  EXPECT_EQ(Composition(registry(), {}).device_count(), 1);
  EXPECT_THAT(refusal({split, split}), HasSubstr("both say which devices a call runs on"));
}

TEST(Composition, ABatchHasAnImageForEachDevice) {
  const Composition composition(registry(), {{"batch-split", {{"devices", std::int64_t{3}}}}});
  Problem problem = preset("ddetr-encoder");
  problem.batch = 2;
  EXPECT_EQ(composition.unsupported(problem, gpu()),
            "batch-split: a batch of 2 has no image for each of 3 devices");
  problem.batch = 7;
  EXPECT_EQ(composition.unsupported(problem, gpu()), std::nullopt);
  EXPECT_EQ(composition.largest_share(problem).batch, 3);
  DeviceInfo cpu = gpu();
  cpu.id = "cpu";
  cpu.kind = DeviceKind::kCpu;
  const Composition kernel(registry(), {{"cpu-scalar", {}}, {"batch-split", {}}});
  EXPECT_THAT(kernel.unsupported(problem, cpu).value_or(""), HasSubstr("split over GPUs"));
}

TEST(Composition, KnowsWhatOnlyCopies) {
  EXPECT_EQ(Composition(registry(), {{"staging-copy", {}}}).op().name(), "copy");
  EXPECT_EQ(Composition(registry(), {{"handover", {}}}).op().name(), "forward");
}

TEST(Composition, RefusesUnknownNamesAndParameters) {
  EXPECT_THAT(refusal({{"vector-load", {}}}), HasSubstr("vector-loads"));
  EXPECT_THAT(refusal({{"vector-loads", {{"widht", std::int64_t{4}}}}}), HasSubstr("width"));
  EXPECT_THAT(refusal({{"vector-loads", {{"width", std::int64_t{3}}}}}), HasSubstr("3"));
}

TEST(Composition, SaysWhyItCannotRun) {
  Problem problem = preset("ddetr-decoder");
  problem.channels = 12;
  const Composition wide(registry(), {{"vector-loads", {{"width", std::int64_t{8}}}}});
  EXPECT_EQ(wide.unsupported(problem, gpu()),
            "vector-loads: 12 channels are not a multiple of width 8");
  problem.types = Types::all(DType::kFloat16);
  DeviceInfo turing = gpu();
  turing.compute_capability = 75;
  for (const char* variant : {"tensor-core-attempt", "tile-bins"}) {
    const Composition products(registry(), {{variant, {}}});
    EXPECT_EQ(products.unsupported(problem, gpu()), std::nullopt);
    EXPECT_THAT(products.unsupported(problem, turing).value_or(""),
                HasSubstr("needs compute capability 8.0"));
  }
  const Composition cpu(registry(), {{"cpu-scalar", {}}});
  EXPECT_EQ(cpu.unsupported(problem, gpu()), "runs on cpu, not on cuda:0");
}

TEST(Composition, RoundsAsCoarselyAsTheCoarsestOfItsParts) {
  Problem problem = preset("ddetr-decoder");
  problem.types = Types::all(DType::kBFloat16);
  EXPECT_EQ(Composition(registry(), {}).arithmetic(problem), Arithmetic{});
  const Composition mixed(
      registry(), {{"mixed-precision", {{"sums", std::string("half")}}}, {"vector-loads", {}}});
  const Arithmetic arithmetic = mixed.arithmetic(problem);
  EXPECT_EQ(arithmetic.weights, (Rounding{kBf16, 1}));
  EXPECT_EQ(arithmetic.sums, (Rounding{kBf16, 0}));
  EXPECT_EQ(arithmetic.coordinates, Arithmetic{}.coordinates);
}

}  // namespace
}  // namespace msda
