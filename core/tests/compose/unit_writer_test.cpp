#include "compose/unit_writer.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <msda/slot_list.cuh>

#include "input/input.hpp"

namespace msda {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const Registry& registry() {
  static const Registry kRegistry({MSDA_BINARY_DIR "/lib/msda/variants"});
  return kRegistry;
}

/// Fails the test where the slot has none.
PassKernel prepass_of(const ComposedUnit& composed, int slot) {
  for (const PassKernel& pass : composed.passes) {
    if (pass.when == kBefore && pass.slot == slot) return pass;
  }
  ADD_FAILURE() << "no pre-pass of slot " << slot;
  return {};
}

TEST(UnitWriter, NamesTheFilledSlotAndItsParameters) {
  const Composition composition(registry(), {{"vector-loads", {{"width", std::int64_t{8}}}}});
  Problem problem = preset("ledger-48");
  problem.types = Types::all(DType::kFloat16);
  const ComposedUnit composed = write_unit(composition, problem);
  const std::string& text = composed.unit.text;
  EXPECT_THAT(text, HasSubstr("#include <vector_loads/mapping.cuh>"));
  EXPECT_THAT(text, HasSubstr("static constexpr long long width = 8;"));
  EXPECT_THAT(
      text, HasSubstr("using Mapping = msda::vector_loads::Mapping<K, vector_loads_parameters>;"));
  EXPECT_THAT(text, HasSubstr("plugin 'vector-loads' does not satisfy msda::MappingPolicy"));
  EXPECT_THAT(text, HasSubstr("using Value = __half;"));
  EXPECT_THAT(text, HasSubstr("level == 0 ? 0 : level == 1 ? 14720 : level == 2 ? 18400 : 19320"));
}

TEST(UnitWriter, AnOperatorThatBorrowsASkeletonFillsItsSlot) {
  const Composition plain(registry(), {{"vector-loads", {}}});
  Problem problem = preset("ddetr-decoder");
  problem.references = {.coordinates = 4, .anchors = 1};
  const ComposedUnit fused = write_unit(plain.computing(find_operator("fused")), problem);
  const std::string& text = fused.unit.text;
  EXPECT_THAT(text, HasSubstr("#include <fused/points.cuh>"));
  EXPECT_THAT(text, HasSubstr("using Points = msda::fused::Points<K, fused_parameters>;"));
  EXPECT_THAT(text, HasSubstr("static constexpr int coordinates = 4;"));
  EXPECT_THAT(text, HasSubstr("operator 'fused' does not satisfy msda::PointsPolicy"));
  EXPECT_THAT(fused.main_kernel, HasSubstr("fused_direct_with_vector_loads"));
  EXPECT_THAT(write_unit(plain, problem).unit.text, testing::Not(HasSubstr("fused")));
}

TEST(UnitWriter, AWholeKernelFillsTheOneSlotOfItsSkeleton) {
  const Composition composition(registry(), {{"tensor-core-attempt", {}}});
  Problem problem = preset("ddetr-decoder");
  problem.types = Types::all(DType::kFloat16);
  const ComposedUnit composed = write_unit(composition, problem);
  EXPECT_THAT(composed.unit.text, HasSubstr("#include <msda/skeleton/whole.cuh>"));
  EXPECT_THAT(composed.unit.text, HasSubstr("using Kernel = msda::tensor_core_attempt::Kernel<K, "
                                            "tensor_core_attempt_parameters>;"));
  EXPECT_EQ(composed.main_kernel, "msda::whole::kernel<unit::whole_with_tensor_core_attempt>");
  EXPECT_THAT(composed.slots, testing::ElementsAre("kernel"));
}

TEST(UnitWriter, ASymbolNamesThePartsAndWhatIsNotDefaultInThem) {
  const auto symbol = [](const std::vector<Use>& uses) {
    return write_unit({registry(), uses}, preset("ddetr-decoder")).main_kernel;
  };
  EXPECT_EQ(symbol({}), "msda::direct::kernel<unit::direct_defaults>");
  EXPECT_EQ(symbol({{"corner-pair", {{"threads", std::int64_t{512}}}},
                    {"smem-levels", {{"budget", std::int64_t{76}}}}}),
            "msda::direct::kernel<unit::direct_with_corner_pair_512_and_smem_levels_76>");
  const std::string prepass =
      prepass_of(write_unit({registry(), {{"spatial-order", {}}, {"vector-loads", {}}}},
                            preset("ddetr-decoder")),
                 kOrder)
          .expression;
  EXPECT_THAT(prepass, HasSubstr("prepass<unit::direct_with_spatial_order_and_vector_loads, "));
}

TEST(UnitWriter, ALongSymbolIsCutAndStillItsOwn) {
  const auto symbol = [](std::int64_t points) {
    const Composition composition(registry(),
                                  {{"corner-pair", {{"threads", std::int64_t{512}}}},
                                   {"mixed-precision", {}},
                                   {"shared-metadata", {{"packed", true}}},
                                   {"smem-levels", {{"budget", std::int64_t{76}}}},
                                   {"work-redistribution", {{"waves", std::int64_t{2}}}},
                                   {"loop-unrolling", {{"points", points}, {"alternate", true}}}});
    return write_unit(composition, preset("ddetr-decoder")).main_kernel;
  };
  constexpr std::string_view kAround = "msda::direct::kernel<unit::>";
  EXPECT_EQ(symbol(4).size(), kAround.size() + 96);
  EXPECT_NE(symbol(4), symbol(8));
}

TEST(UnitWriter, NamesPrepassesByTheirOptimizationOrElseTheirSlot) {
  const Composition composition(registry(), {{"spatial-order", {}}, {"vector-loads", {}}});
  const ComposedUnit composed = write_unit(composition, preset("ddetr-decoder"));
  EXPECT_EQ(prepass_of(composed, kOrder).name, "spatial-order");
  EXPECT_EQ(prepass_of(composed, kLayout).name, "layout");
  EXPECT_TRUE(write_unit({registry(), {}}, preset("ddetr-decoder")).passes.empty());
}

TEST(UnitWriter, OneUnitServesAllBatchesAndQueries) {
  const Composition composition(registry(), {});
  Problem problem = preset("ddetr-decoder");
  const std::string text = write_unit(composition, problem).unit.text;
  problem.batch = 17;
  problem.queries = 5;
  EXPECT_EQ(write_unit(composition, problem).unit.text, text);
}

TEST(UnitWriter, SettlesWhatFollowsFromTheProblem) {
  const auto unit = [](std::int64_t rows, std::int64_t columns, const std::string& problem) {
    const Composition composition(registry(),
                                  {{"strip-order", {{"rows", rows}, {"columns", columns}}}});
    return write_unit(composition, preset(problem)).unit.text;
  };
  const auto has = [](int rows, int columns) {
    return AllOf(HasSubstr(fmt::format("rows = {};", rows)),
                 HasSubstr(fmt::format("columns = {};", columns)));
  };
  EXPECT_THAT(unit(8, 0, "bevformer-sca"), has(8, 263));  // 152 rows in the proportions of level 0
  EXPECT_THAT(unit(32, 0, "bevformer-sca"), has(30, 263)) << "32 leave 24 rows";
  EXPECT_THAT(unit(8, 200, "bevformer-sca"), has(8, 200));
  EXPECT_THAT(unit(8, 0, "ddetr-encoder"), has(8, 134)) << "level 0's width";
  EXPECT_THAT(unit(64, 0, "ddetr-decoder"), has(15, 20)) << "more rows than there are";
}

TEST(UnitWriter, CarriesTheDeviceHeaders) {
  bool found = false;
  for (const UnitHeader& header : device_headers()) {
    found = found || header.path == "msda/skeleton/direct.cuh";
    EXPECT_THAT(header.text, HasSubstr("#pragma once")) << header.path;
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace msda
