// What a composition declares that it moves, against counters.
#include "counters/byte_claims.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/counted.hpp"

namespace msda {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

const nlohmann::json kManifest = {{"problems",
                                   {{{"name", "ledger-48"},
                                     {"channels", 32},
                                     {"types", {{"value", "fp16"}}},
                                     {"levels", {{92, 160}, {46, 80}, {23, 40}, {12, 20}}}}}}};

/// The problem that was profiled; `shared` as the arm has it.
Record record(std::int64_t shared) {
  Record result;
  result.traffic.read = 249'593'856;
  result.traffic.gathered = 6'064'177'152;
  result.resources.dynamic_shared_bytes = shared;
  return result;
}

CountedLaunch recorded(const std::string& arm) {
  for (const KernelCounters& kernel : counted::recorded_ablation()) {
    if (kernel.arm == arm) return {kernel, {}};
  }
  return {};
}

const ByteClaim& of(const std::vector<ByteClaim>& claims, MemoryStep step) {
  return *std::find_if(claims.begin(), claims.end(),
                       [&](const ByteClaim& claim) { return claim.step == step; });
}

TEST(ByteClaims, OfRecordedArmsSayWhatTheCachesTook) {
  const std::vector<double> levels = level_bytes(manifest_from_json(kManifest), "ledger-48");
  ASSERT_THAT(levels, SizeIs(4));
  EXPECT_EQ(levels.back(), 12 * 20 * 64);
  const auto base = byte_claims(recorded("base"), record(0), levels);
  EXPECT_EQ(of(base, MemoryStep::kDram).verdict, ByteVerdict::kConfirmed);
  EXPECT_EQ(of(base, MemoryStep::kL2ToL1).verdict, ByteVerdict::kAbsorbed);
  EXPECT_NEAR(of(base, MemoryStep::kL2ToL1).ratio(), 0.5, 0.02);
  EXPECT_EQ(of(base, MemoryStep::kShared).verdict, ByteVerdict::kConfirmed);
  // Two levels in shared memory: half of the gathers, and L1 has none of the other half.
  const auto resident = byte_claims(recorded("base+smem-levels"), record(74'240), levels);
  EXPECT_EQ(of(resident, MemoryStep::kL2ToL1).verdict, ByteVerdict::kConfirmed);
  EXPECT_NEAR(of(resident, MemoryStep::kL2ToL1).low, 3.03e9, 0.01e9);
  EXPECT_EQ(in_words(base), "DRAM confirmed, L2 to L1 absorbed (0.50x), shared memory confirmed");
}

TEST(ByteClaims, ConflictsInflateSharedMemory) {
  KernelCounters kernel = counted::kernel("a", 1e-3, 50, 50);
  kernel.values["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"] = 2000;
  kernel.values["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"] = 900;
  kernel.values["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"] = 100;
  const auto claims = byte_claims({kernel, {}}, record(0), {});
  ASSERT_THAT(claims, SizeIs(1));
  EXPECT_EQ(claims[0].verdict, ByteVerdict::kInflated);
  EXPECT_EQ(claims[0].ratio(), 2);
}

TEST(ByteClaims, AWarmCacheAbsorbsAndRereadingInflates) {
  const auto with_dram = [](double bytes, double before) {
    KernelCounters kernel = counted::kernel("a", 1e-3, 50, 50);
    kernel.values["dram__bytes.sum"] = bytes;
    KernelCounters prepass = kernel;
    prepass.part = "order";
    prepass.values["dram__bytes.sum"] = before;
    return byte_claims({kernel, {prepass}}, record(0), {}).front().verdict;
  };
  EXPECT_EQ(with_dram(10e6, 0), ByteVerdict::kAbsorbed);
  EXPECT_EQ(with_dram(250e6, 0), ByteVerdict::kConfirmed);
  EXPECT_EQ(with_dram(250e6, 250e6), ByteVerdict::kInflated);
}

TEST(ByteClaims, SayNothingOfWhatWasNotCounted) {
  EXPECT_THAT(byte_claims({counted::kernel("a", 1e-3, 50, 50), {}}, record(0), {}), IsEmpty());
  EXPECT_THAT(level_bytes(Manifest(), "ledger-48"), IsEmpty());
  EXPECT_THAT(level_bytes(manifest_from_json(kManifest), "other"), IsEmpty());
}

TEST(ByteClaims, OfAnArmWithoutSharedMemoryAreAllGathersAndAtMostTheInputsWithThem) {
  const std::vector<double> levels = level_bytes(manifest_from_json(kManifest), "ledger-48");
  const auto claims = byte_claims(recorded("base"), record(0), levels);
  EXPECT_EQ(of(claims, MemoryStep::kL2ToL1).low, 6'064'177'152);
  EXPECT_EQ(of(claims, MemoryStep::kL2ToL1).high, 6'064'177'152 + 249'593'856);
}

}  // namespace
}  // namespace msda
