#include <gtest/gtest.h>

#include <cstdint>

#include <msda/error.hpp>

#include "jit/occupancy.hpp"
#include "jit/sass.hpp"

namespace msda {
namespace {

constexpr std::int64_t kKiB = 1024;

TEST(Occupancy, IsWhatTheCalculatorOfTheToolkitSays) {
  const SmLimits h200 = sm_limits("sm_90a");
  EXPECT_EQ(occupancy(h200, 256, 63, 0).blocks, 4);
  EXPECT_EQ(occupancy(h200, 256, 63, 0).limit, "registers");
  EXPECT_EQ(occupancy(h200, 256, 32, 0).blocks, 8);
  EXPECT_EQ(occupancy(h200, 256, 32, 0).limit, "threads");
  EXPECT_DOUBLE_EQ(occupancy(h200, 256, 32, 0).share, 1);
  EXPECT_EQ(occupancy(h200, 32, 16, 0).limit, "blocks");
  EXPECT_EQ(occupancy(h200, 512, 64, 150 * kKiB).limit, "shared memory");
  EXPECT_EQ(occupancy(h200, 512, 64, 150 * kKiB).blocks, 1);
}

TEST(Occupancy, IsNoneForABlockThatDoesNotFit) {
  EXPECT_EQ(occupancy(sm_limits("sm_90"), 256, 32, 228 * kKiB).blocks, 0);
  EXPECT_EQ(occupancy(sm_limits("sm_90"), 1024, 128, 0).blocks, 0);
}

TEST(Occupancy, RefusesAnArchitectureThatIsNotKnown) {
  EXPECT_THROW(sm_limits("sm_42"), UsageError);
  EXPECT_THROW(sm_limits("hopper"), UsageError);
}

TEST(Sass, InstructionsBelongToTheirFunctions) {
  const auto functions = parse_sass(
      "\t\tFunction : _Z6kernelv\n"
      "\t.headerflags\t@\"EF_CUDA_SM90\"\n"
      "        /*0000*/                   LDC R1, c[0x0][0x28] ;   /* 0x00000a00ff017b82 */\n"
      "                                                            /* 0x000fc40000000800 */\n"
      "        /*0010*/              @!P0 LDG.E.128.CONSTANT R4, [R2.64] ; /* 0x0 */\n"
      "        /*0020*/                   EXIT ;\n"
      "\t\tFunction : other\n"
      "        /*0000*/                   EXIT ;\n");
  ASSERT_EQ(functions.size(), 2);
  EXPECT_EQ(functions[0].symbol, "_Z6kernelv");
  ASSERT_EQ(functions[0].instructions.size(), 3);
  EXPECT_EQ(opcode(functions[0].instructions[1]), "LDG.E.128.CONSTANT");
  EXPECT_EQ(opcode_counts(functions[0]).at("LDG"), 1);
  EXPECT_EQ(opcode_counts(functions[0], true).at("LDG.E.128.CONSTANT"), 1);
}

TEST(Occupancy, CountsWhatIsGivenInUnits) {
  const SmLimits h200 = sm_limits("sm_90a");
  // 33 registers of 32 threads are 5 units of 256: 7 blocks of fewer would fit.
  EXPECT_EQ(occupancy(h200, 256, 33, 0).blocks, 6);
  // Of each block the system has 1 KiB.
  EXPECT_EQ(occupancy(h200, 256, 32, 113 * kKiB).blocks, 2);
  EXPECT_EQ(occupancy(h200, 256, 32, 114 * kKiB).blocks, 1);
}

}  // namespace
}  // namespace msda
