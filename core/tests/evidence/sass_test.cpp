#include "evidence/sass.hpp"

#include <gtest/gtest.h>

namespace msda {
namespace {

constexpr const char* kNvdisasm =
    R"(	.headerflags	@"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS EF_CUDA_SM90"
	.section	.text._Z7prepassv,"ax",@progbits
	.align	128
.text._Z7prepassv:
        /*0000*/                   LDG.E.64 R2, desc[UR4][R2.64] ;
	.section	.text._Z6kernelv,"ax",@progbits
.text._Z6kernelv:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/                   S2R R0, SR_TID.X ;
.L_x_3:
        /*0020*/              @!P0 LDG.E.128.CONSTANT R4, desc[UR4][R2.64] ;
        /*0030*/             @!UP1 UTMALDG.4D [UR8], [UR4] ;
        /*0040*/                   LDGSTS.E.BYPASS.128 [R3], desc[UR4][R2.64] ;
        /*0050*/               @P1 BRA `(.L_x_3) ;
        /*0060*/                   EXIT ;
)";

constexpr const char* kCuobjdump = R"(
	code for sm_90a
		Function : _Z6kernelv
	.headerflags	@"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS EF_CUDA_SM90"
        /*0000*/                   LDC R1, c[0x0][0x28] ;                        /* 0x00000a00ff017b82 */
                                                                                 /* 0x000e220000000800 */
        /*0010*/                   SHFL.BFLY PT, R5, R4, 0x10, 0x1f ;            /* 0x0e001f0004057f89 */
        /*0020*/                   SHFL.IDX PT, R5, R4, RZ, 0x1f ;               /* 0x0e001f0004057f89 */
		..........
)";

TEST(Sass, CountsOpcodesAndModifiersOfAFunction) {
  const Numbers numbers = count_sass(parse_sass(kNvdisasm), "_Z6kernelv");
  const Numbers expected = {
      {"sass.LDC", 1},      {"sass.S2R", 1},           {"sass.LDG", 1},
      {"sass.LDG.E", 1},    {"sass.LDG.128", 1},       {"sass.LDG.CONSTANT", 1},
      {"sass.UTMALDG", 1},  {"sass.UTMALDG.4D", 1},    {"sass.LDGSTS", 1},
      {"sass.LDGSTS.E", 1}, {"sass.LDGSTS.BYPASS", 1}, {"sass.LDGSTS.128", 1},
      {"sass.BRA", 1},      {"sass.EXIT", 1}};
  EXPECT_EQ(numbers, expected);
}

TEST(Sass, CountsAllFunctionsWithoutAName) {
  EXPECT_EQ(count_sass(parse_sass(kNvdisasm), "").at("sass.LDG"), 2);
  EXPECT_EQ(count_sass(parse_sass(kNvdisasm), "_Z7prepassv").at("sass.LDG.64"), 1);
}

TEST(Sass, ReadsWhatCuobjdumpPrintsToo) {
  const Numbers numbers = count_sass(parse_sass(kCuobjdump), "_Z6kernelv");
  EXPECT_EQ(numbers.at("sass.SHFL"), 2);
  EXPECT_EQ(numbers.at("sass.SHFL.BFLY"), 1);
  EXPECT_EQ(numbers.size(), 4U);
}

TEST(Sass, FindsNothingInOtherText) {
  EXPECT_TRUE(count_sass(parse_sass(""), "").empty());
  EXPECT_TRUE(count_sass(parse_sass("/* a comment */ Hello\nLDG R1\n/*"), "").empty());
  EXPECT_TRUE(count_sass(parse_sass(kCuobjdump), "another").empty());
}

}  // namespace
}  // namespace msda
