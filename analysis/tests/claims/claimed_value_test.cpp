// What the written number of a claim stands for.
#include <limits>

#include <gtest/gtest.h>

#include <msda/error.hpp>

#include "results/claim.hpp"
#include "support/claimed.hpp"

namespace msda {
namespace {

using claimed::kE;
using claimed::kL;
using claimed::kS;
using claimed::kT;

TEST(ClaimedValue, StandsForAllNumbersThatRoundToIt) {
  const ClaimedRange ratio = parse_claimed(kS, "4.4x");
  EXPECT_DOUBLE_EQ(ratio.low, 4.35);
  EXPECT_DOUBLE_EQ(ratio.high, 4.45);
  const ClaimedRange gain = parse_claimed(kS, "+5.3%");
  EXPECT_DOUBLE_EQ(gain.low, 1.0525);
  EXPECT_DOUBLE_EQ(gain.high, 1.0535);
  const ClaimedRange loss = parse_claimed(kS, "-2.1%");
  EXPECT_DOUBLE_EQ(loss.low, 0.9785);
  EXPECT_DOUBLE_EQ(loss.high, 0.9795);
  const ClaimedRange plain = parse_claimed(kS, "0.75");
  EXPECT_DOUBLE_EQ(plain.low, 0.745);
  const ClaimedRange time = parse_claimed(kT, "724 us");
  EXPECT_DOUBLE_EQ(time.low, 723.5e-6);
  EXPECT_DOUBLE_EQ(time.high, 724.5e-6);
}

TEST(ClaimedValue, RangesAreTakenAsTheyAre) {
  const ClaimedRange ratio = parse_claimed(kS, "0..1x");
  EXPECT_DOUBLE_EQ(ratio.low, 0);
  EXPECT_DOUBLE_EQ(ratio.high, 1);
  const ClaimedRange gain = parse_claimed(kS, "+20..30%");
  EXPECT_DOUBLE_EQ(gain.low, 1.2);
  EXPECT_DOUBLE_EQ(gain.high, 1.3);
  const ClaimedRange share = parse_claimed(kL, "80..90%");
  EXPECT_DOUBLE_EQ(share.low, 0.8);
  EXPECT_DOUBLE_EQ(share.high, 0.9);
  EXPECT_DOUBLE_EQ(parse_claimed(kT, "0.7..0.8 ms").high, 0.8e-3);
}

TEST(ClaimedValue, OfEachQuantityHasItsUnits) {
  EXPECT_DOUBLE_EQ(parse_claimed(Claim::Quantity::kThroughput, "23 TFLOP/s").low, 22.5e12);
  EXPECT_DOUBLE_EQ(parse_claimed(Claim::Quantity::kBandwidth, "473 GB/s").high, 473.5e9);
  EXPECT_DOUBLE_EQ(parse_claimed(Claim::Quantity::kIntensity, "48..50 FLOP/B").low, 48);
  EXPECT_DOUBLE_EQ(parse_claimed(kE, "2e-4").low, 1.5e-4);
  EXPECT_DOUBLE_EQ(parse_claimed(kE, "2.4e-2").high, 2.45e-2);
  EXPECT_DOUBLE_EQ(parse_claimed(kE, "0.02").high, 0.025);
}

TEST(ClaimedValue, MayHaveOneEnd) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(parse_claimed(kS, "at most 1.5x").low, 0);
  EXPECT_EQ(parse_claimed(kS, "at most 1.5x").high, 1.5);
  EXPECT_EQ(parse_claimed(kS, "at most +5%").low, 0);
  EXPECT_DOUBLE_EQ(parse_claimed(kS, "at most +5%").high, 1.05);
  EXPECT_EQ(parse_claimed(kS, "at least 2x").high, infinity);
  EXPECT_DOUBLE_EQ(parse_claimed(kT, "at least 3 us").low, 3e-6);
  EXPECT_EQ(parse_claimed(kE, "at most 1e-3").high, 1e-3);
}

TEST(ClaimedValue, RefusesWhatIsNone) {
  for (const char* text :
       {"", "fast", "x", "5%", "1.2..x", "3..2x", "-2x", "1e3x", "inf", "0x", "-100%"}) {
    EXPECT_THROW(parse_claimed(kS, text), UsageError) << text;
  }
  for (const char* text : {"724", "us", "-3 us", "7 h", "0..0 s", "0 us"}) {
    EXPECT_THROW(parse_claimed(kT, text), UsageError) << text;
  }
  for (const char* text :
       {"at most", "at most 1..2x", "at mostly 2x", "atmost 2x", "at most -2x"}) {
    EXPECT_THROW(parse_claimed(kS, text), UsageError) << text;
  }
  EXPECT_THROW(parse_claimed(Claim::Quantity::kOutcome, "hangs"), UsageError);
  for (const char* text : {"0.8", "80", "-3%", "0%"}) {
    EXPECT_THROW(parse_claimed(kL, text), UsageError) << text;
  }
}

}  // namespace
}  // namespace msda
