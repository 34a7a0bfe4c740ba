#include "claims.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <msda/error.hpp>

#include "report.hpp"
#include "synthetic.hpp"

namespace msda {
namespace {

using synthetic::baseline;
using synthetic::record;
using synthetic::scaled;
using synthetic::steady;
using synthetic::without_time;
using testing::HasSubstr;

TEST(ClaimedValue, StandsForAllNumbersThatRoundToIt) {
  const ClaimedRange ratio = parse_claimed_speedup("4.4x");
  EXPECT_DOUBLE_EQ(ratio.low, 4.35);
  EXPECT_DOUBLE_EQ(ratio.high, 4.45);
  const ClaimedRange gain = parse_claimed_speedup("+5.3%");
  EXPECT_DOUBLE_EQ(gain.low, 1.0525);
  EXPECT_DOUBLE_EQ(gain.high, 1.0535);
  const ClaimedRange loss = parse_claimed_speedup("-2.1%");
  EXPECT_DOUBLE_EQ(loss.low, 0.9785);
  EXPECT_DOUBLE_EQ(loss.high, 0.9795);
  const ClaimedRange plain = parse_claimed_speedup("0.75");
  EXPECT_DOUBLE_EQ(plain.low, 0.745);
  const ClaimedRange time = parse_claimed_time("724 us");
  EXPECT_DOUBLE_EQ(time.low, 723.5e-6);
  EXPECT_DOUBLE_EQ(time.high, 724.5e-6);
}

TEST(ClaimedValue, RangesAreTakenAsTheyAre) {
  const ClaimedRange ratio = parse_claimed_speedup("0..1x");
  EXPECT_DOUBLE_EQ(ratio.low, 0);
  EXPECT_DOUBLE_EQ(ratio.high, 1);
  const ClaimedRange gain = parse_claimed_speedup("+20..30%");
  EXPECT_DOUBLE_EQ(gain.low, 1.2);
  EXPECT_DOUBLE_EQ(gain.high, 1.3);
  const ClaimedRange share = parse_claimed_share("80..90%");
  EXPECT_DOUBLE_EQ(share.low, 0.8);
  EXPECT_DOUBLE_EQ(share.high, 0.9);
  EXPECT_DOUBLE_EQ(parse_claimed_time("0.7..0.8 ms").high, 0.8e-3);
}

TEST(ClaimedValue, RefusesWhatIsNone) {
  for (const char* text : {"", "fast", "x", "5%", "1.2..x", "3..2x", "-2x", "1e3x", "inf"}) {
    EXPECT_THROW(parse_claimed_speedup(text), UsageError) << text;
  }
  for (const char* text : {"724", "us", "-3 us", "7 h", "0..0 s"}) {
    EXPECT_THROW(parse_claimed_time(text), UsageError) << text;
  }
  for (const char* text : {"0.8", "80", "-3%"}) {
    EXPECT_THROW(parse_claimed_share(text), UsageError) << text;
  }
}

struct Case {
  const char* claimed;
  double ratio, low, high;
  ClaimVerdict verdict;
};

TEST(JudgeSpeedup, EveryVerdict) {
  const Case cases[] = {
      {"4.4x", 4.41, 4.40, 4.42, ClaimVerdict::kConfirmed},
      {"4.4x", 4.49, 4.48, 4.50, ClaimVerdict::kConfirmed},  // inside the widened range
      {"4.4x", 2.0, 1.9, 2.1, ClaimVerdict::kSmaller},
      {"4.4x", 6.0, 5.9, 6.1, ClaimVerdict::kLarger},
      {"4.4x", 0.5, 0.4, 0.6, ClaimVerdict::kOpposite},
      {"4.4x", 1.0, 0.995, 1.005, ClaimVerdict::kNoEffect},
      {"4.4x", 4.6, 4.4, 4.8, ClaimVerdict::kUndecided},
      {"0.5x", 0.5, 0.49, 0.51, ClaimVerdict::kConfirmed},
      {"0.5x", 0.9, 0.89, 0.91, ClaimVerdict::kSmaller},
      {"0.5x", 0.2, 0.19, 0.21, ClaimVerdict::kLarger},
      {"0.5x", 1.5, 1.4, 1.6, ClaimVerdict::kOpposite},
      {"+5.3%", 1.02, 1.015, 1.025, ClaimVerdict::kSmaller},
      {"-2.1%", 1.1, 1.05, 1.15, ClaimVerdict::kOpposite},
      {"0..1x", 0.3, 0.29, 0.31, ClaimVerdict::kConfirmed},
      {"0..1x", 1.3, 1.29, 1.31, ClaimVerdict::kOpposite},
      {"0.9..1.1x", 1.3, 1.29, 1.31, ClaimVerdict::kLarger},
      {"0.9..1.1x", 0.3, 0.29, 0.31, ClaimVerdict::kSmaller},
  };
  for (const Case& c : cases) {
    const RatioEstimate measured{c.ratio, Interval{c.low, c.high}, Replication::kBlocks, 5};
    EXPECT_EQ(name_of(judge_speedup(parse_claimed_speedup(c.claimed), measured)),
              name_of(c.verdict))
        << c.claimed << " against " << c.ratio;
  }
  EXPECT_EQ(judge_speedup({2, 3}, {2.5, std::nullopt, Replication::kNone, 1}),
            ClaimVerdict::kUndecided);
}

Claim claim(const std::string& arm, Claim::Quantity quantity, const std::string& value,
            ClaimedRange range = {}) {
  Claim claim;
  claim.text = "it is so";
  claim.source = "a paper";
  claim.arm = arm;
  claim.quantity = quantity;
  claim.value = value;
  claim.range = range;
  return claim;
}

Report report_of(const std::vector<Claim>& claims) {
  nlohmann::json list = nlohmann::json::array();
  for (const Claim& one : claims) list.push_back(to_json(one));
  const auto blocks = steady(1e-3, 1, 8);
  nlohmann::json manifest = {
      {"claims", list},
      {"ceilings", {{"dram_bytes_per_second", 8e9}, {"gather_bytes_per_second", 1e15}}}};
  return make_report(std::move(manifest),
                     {baseline("base", blocks), record("half", scaled(blocks, 0.5, 0.001)),
                      record("quarter", scaled(blocks, 0.25, 0.001)),
                      without_time("broken", CellStatus::kWrong, "NaN in row 3")});
}

TEST(CheckClaims, ComparesWithTheBaselineOrAnotherArm) {
  Claim over_half = claim("quarter", Claim::Quantity::kSpeedup, "2.0x", {1.95, 2.05});
  over_half.over = "half";
  const Report report =
      report_of({claim("quarter", Claim::Quantity::kSpeedup, "4.0x", {3.95, 4.05}), over_half,
                 claim("half", Claim::Quantity::kSpeedup, "3.0x", {2.95, 3.05})});
  ASSERT_EQ(report.claims.size(), 3U);
  EXPECT_EQ(report.claims[0].verdict, ClaimVerdict::kConfirmed);
  EXPECT_EQ(report.claims[1].verdict, ClaimVerdict::kConfirmed);
  EXPECT_NEAR(*report.claims[1].measured, 2, 0.01);
  EXPECT_TRUE(report.claims[1].interval_95);
  EXPECT_EQ(report.claims[2].verdict, ClaimVerdict::kSmaller);
}

TEST(CheckClaims, TimesAndShares) {
  const Report report =
      report_of({claim("base", Claim::Quantity::kTime, "1.0 ms", {0.95e-3, 1.05e-3}),
                 claim("half", Claim::Quantity::kTime, "1.0 ms", {0.95e-3, 1.05e-3}),
                 claim("base", Claim::Quantity::kTime, "1 us", {0.5e-6, 1.5e-6}),
                 claim("base", Claim::Quantity::kSpeedOfLight, "50%", {0.45, 0.55}),
                 claim("base", Claim::Quantity::kSpeedOfLight, "80..90%", {0.8, 0.9})});
  ASSERT_EQ(report.claims.size(), 5U);
  EXPECT_EQ(report.claims[0].verdict, ClaimVerdict::kConfirmed);
  EXPECT_EQ(report.claims[1].verdict, ClaimVerdict::kFaster);
  EXPECT_EQ(report.claims[2].verdict, ClaimVerdict::kSlower);
  EXPECT_EQ(report.claims[3].verdict, ClaimVerdict::kConfirmed);
  EXPECT_NEAR(*report.claims[3].measured, 0.5, 0.01);
  EXPECT_EQ(report.claims[4].verdict, ClaimVerdict::kSmaller);
}

TEST(CheckClaims, SaysWhyAClaimIsNotTestable) {
  Claim elsewhere = claim("half", Claim::Quantity::kSpeedup, "2x", {1.5, 2.5});
  elsewhere.problem = "another";
  const Report report =
      report_of({claim("broken", Claim::Quantity::kSpeedup, "2x", {1.5, 2.5}),
                 claim("absent", Claim::Quantity::kSpeedup, "2x", {1.5, 2.5}), elsewhere,
                 claim("half", Claim::Quantity::kNotTestable, "needs a profiler")});
  ASSERT_EQ(report.claims.size(), 4U);
  for (const CheckedClaim& checked : report.claims) {
    EXPECT_EQ(checked.verdict, ClaimVerdict::kNotTestable);
  }
  EXPECT_THAT(report.claims[0].reason, HasSubstr("NaN in row 3"));
  EXPECT_THAT(report.claims[1].reason, HasSubstr("absent was not run"));
  EXPECT_THAT(report.claims[2].reason, HasSubstr("no problem was measured"));
  EXPECT_EQ(report.claims[3].reason, "needs a profiler");
}

TEST(CheckClaims, StandInEveryFormat) {
  Claim noted = claim("half", Claim::Quantity::kSpeedup, "+100%", {1.99, 2.01});
  noted.note = "on another GPU";
  const Report report =
      report_of({noted, claim("half", Claim::Quantity::kNotTestable, "needs a profiler")});
  for (const std::string& text : {to_terminal(report, false), to_markdown(report)}) {
    EXPECT_THAT(text, HasSubstr("Claims"));
    EXPECT_THAT(text, HasSubstr("a paper"));
    EXPECT_THAT(text, HasSubstr("+100%"));
    EXPECT_THAT(text, HasSubstr("confirmed"));
    EXPECT_THAT(text, HasSubstr("on another GPU"));
    EXPECT_THAT(text, HasSubstr("1 not testable"));
    EXPECT_THAT(text, HasSubstr("needs a profiler"));
  }
  const nlohmann::json claims = to_json(report).at("claims");
  ASSERT_EQ(claims.size(), 2U);
  EXPECT_EQ(claims[0].at("verdict"), "confirmed");
  EXPECT_EQ(claims[1].at("reason"), "needs a profiler");
}

TEST(ClaimJson, RoundTrips) {
  Claim before = claim("half", Claim::Quantity::kTime, "724 us", {1, 2});
  before.mode = TimingMode::kCold;
  before.over = "other";
  before.problem = "small";
  before.note = "note";
  const Claim after = claim_from_json(to_json(before));
  EXPECT_EQ(to_json(after), to_json(before));
  EXPECT_THROW(claim_from_json({{"text", "x"}}), UsageError);
}

}  // namespace
}  // namespace msda
