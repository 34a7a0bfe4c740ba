#include "claims/claims.hpp"

#include <limits>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <msda/error.hpp>

#include "render/formats.hpp"
#include "synthetic.hpp"

namespace msda {
namespace {

using synthetic::baseline;
using synthetic::record;
using synthetic::scaled;
using synthetic::steady;
using synthetic::without_time;
using testing::HasSubstr;
using testing::Not;

constexpr auto kS = Claim::Quantity::kSpeedup;
constexpr auto kT = Claim::Quantity::kTime;
constexpr auto kL = Claim::Quantity::kSpeedOfLight;
constexpr auto kE = Claim::Quantity::kError;

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

constexpr double kNoEnd = std::numeric_limits<double>::infinity();

struct Case {
  Claim::Quantity quantity;
  double claimed_low;
  double claimed_high;
  double low;
  double high;
  ClaimVerdict verdict;
};

std::ostream& operator<<(std::ostream& stream, const Case& c) {
  return stream << c.claimed_low << ".." << c.claimed_high << " against " << c.low << ".." << c.high
                << ": " << name_of(c.verdict);
}

class Judge : public testing::TestWithParam<Case> {};

TEST_P(Judge, Verdict) {
  const Case& c = GetParam();
  EXPECT_EQ(name_of(judge(c.quantity, {c.claimed_low, c.claimed_high}, Interval{c.low, c.high})),
            name_of(c.verdict));
}

// 1.45..1.55 is accepted from 1.43564 to 1.5655.
INSTANTIATE_TEST_SUITE_P(
    Faster, Judge,
    testing::Values(Case{kS, 1.45, 1.55, 1.49, 1.51, ClaimVerdict::kConfirmed},
                    Case{kS, 1.45, 1.55, 1.40, 1.4357, ClaimVerdict::kConfirmed},
                    Case{kS, 1.45, 1.55, 1.40, 1.4356, ClaimVerdict::kSmaller},
                    Case{kS, 1.45, 1.55, 1.5654, 1.60, ClaimVerdict::kConfirmed},
                    Case{kS, 1.45, 1.55, 1.5656, 1.60, ClaimVerdict::kLarger},
                    Case{kS, 1.45, 1.55, 1.43, 1.57, ClaimVerdict::kUndecided},
                    Case{kS, 1.45, 1.55, 0.999, 1.45, ClaimVerdict::kUndecided},
                    Case{kS, 1.45, 1.55, 1.001, 1.45, ClaimVerdict::kConfirmed},
                    Case{kS, 1.45, 1.55, 0.990, 1.010, ClaimVerdict::kNoEffect},
                    Case{kS, 1.45, 1.55, 0.990, 1.011, ClaimVerdict::kSmaller},
                    Case{kS, 1.45, 1.55, 0.989, 1.010, ClaimVerdict::kNotMet},
                    Case{kS, 1.45, 1.55, 0.95, 0.991, ClaimVerdict::kNotMet},
                    Case{kS, 1.45, 1.55, 0.95, 0.989, ClaimVerdict::kOpposite}));

// 0.45..0.55 is accepted from 0.44554 to 0.5555.
INSTANTIATE_TEST_SUITE_P(
    Slower, Judge,
    testing::Values(Case{kS, 0.45, 0.55, 0.49, 0.51, ClaimVerdict::kConfirmed},
                    Case{kS, 0.45, 0.55, 0.5554, 0.60, ClaimVerdict::kConfirmed},
                    Case{kS, 0.45, 0.55, 0.5556, 0.60, ClaimVerdict::kSmaller},
                    Case{kS, 0.45, 0.55, 0.40, 0.4456, ClaimVerdict::kConfirmed},
                    Case{kS, 0.45, 0.55, 0.40, 0.4454, ClaimVerdict::kLarger},
                    Case{kS, 0.45, 0.55, 0.44, 0.56, ClaimVerdict::kUndecided},
                    Case{kS, 0.45, 0.55, 0.55, 1.001, ClaimVerdict::kUndecided},
                    Case{kS, 0.45, 0.55, 0.991, 1.0099, ClaimVerdict::kNoEffect},
                    Case{kS, 0.45, 0.55, 0.95, 1.0099, ClaimVerdict::kSmaller},
                    Case{kS, 0.45, 0.55, 0.95, 1.0101, ClaimVerdict::kNotMet},
                    Case{kS, 0.45, 0.55, 1.0101, 1.1, ClaimVerdict::kOpposite},
                    // "At most 1x": equal confirms it, and there is no larger.
                    Case{kS, 0, 1, 0.01, 0.02, ClaimVerdict::kConfirmed},
                    Case{kS, 0, 1, 0.999, 1.001, ClaimVerdict::kConfirmed},
                    Case{kS, 0, 1, 0.999, 1.02, ClaimVerdict::kUndecided},
                    Case{kS, 0, 1, 1.02, 1.03, ClaimVerdict::kOpposite}));

// A claim next to no effect cannot be told from it within the threshold.
INSTANTIATE_TEST_SUITE_P(
    Tiny, Judge,
    testing::Values(Case{kS, 1.0075, 1.0085, 0.999, 1.001, ClaimVerdict::kConfirmed},
                    Case{kS, 1.0075, 1.0085, 0.989, 1.005, ClaimVerdict::kUndecided},
                    Case{kS, 1.0075, 1.0085, 0.97, 0.98, ClaimVerdict::kOpposite},
                    Case{kS, 1.0075, 1.0085, 1.02, 1.03, ClaimVerdict::kLarger}));

// "1.0x": no difference is claimed, so there is no direction.
INSTANTIATE_TEST_SUITE_P(NoDifference, Judge,
                         testing::Values(Case{kS, 0.95, 1.05, 0.99, 1.04, ClaimVerdict::kConfirmed},
                                         Case{kS, 0.95, 1.05, 1.07, 1.10, ClaimVerdict::kFaster},
                                         Case{kS, 0.95, 1.05, 0.80, 0.94, ClaimVerdict::kSlower},
                                         Case{kS, 0.95, 1.05, 0.80, 1.10,
                                              ClaimVerdict::kUndecided}));

// 100..200 is accepted from 99.01 to 202.
INSTANTIATE_TEST_SUITE_P(TimesAndShares, Judge,
                         testing::Values(Case{kT, 100, 200, 150, 160, ClaimVerdict::kConfirmed},
                                         Case{kT, 100, 200, 90, 99.1, ClaimVerdict::kConfirmed},
                                         Case{kT, 100, 200, 90, 98.9, ClaimVerdict::kFaster},
                                         Case{kT, 100, 200, 202, 210, ClaimVerdict::kConfirmed},
                                         Case{kT, 100, 200, 202.1, 210, ClaimVerdict::kSlower},
                                         Case{kT, 100, 200, 98, 203, ClaimVerdict::kUndecided},
                                         // "At most", accepted to 202, and "at least", from 99.01.
                                         Case{kT, 0, 200, 190, 201, ClaimVerdict::kConfirmed},
                                         Case{kT, 0, 200, 190, 203, ClaimVerdict::kUndecided},
                                         Case{kT, 0, 200, 203, 204, ClaimVerdict::kSlower},
                                         Case{kT, 100, kNoEnd, 99.1, 300, ClaimVerdict::kConfirmed},
                                         Case{kT, 100, kNoEnd, 98, 300, ClaimVerdict::kUndecided},
                                         Case{kL, 0.8, 0.9, 0.85, 0.86, ClaimVerdict::kConfirmed},
                                         Case{kL, 0.8, 0.9, 0.5, 0.6, ClaimVerdict::kSmaller},
                                         Case{kL, 0.8, 0.9, 0.95, 1.2, ClaimVerdict::kLarger},
                                         Case{kL, 0.8, 0.9, 0.7, 1.2, ClaimVerdict::kUndecided}));

TEST(Judging, WithoutAnIntervalNothingIsDecided) {
  EXPECT_EQ(judge(kS, {1.45, 1.55}, std::nullopt), ClaimVerdict::kUndecided);
}

Claim claim(const std::string& arm, Claim::Quantity quantity, const std::string& value,
            ClaimedRange range = {}) {
  Claim claim;
  claim.text = "it is so";
  claim.source = "a paper";
  claim.arms = {arm};
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
  over_half.over = {"half"};
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

TEST(CheckClaims, ASpeedupOverSeveralArmsIsOverTheFastestThatIsRight) {
  Claim ahead = claim("quarter", Claim::Quantity::kSpeedup, "at least 1x",
                      {1, std::numeric_limits<double>::infinity()});
  ahead.over = {"base", "half", "broken", "absent"};
  Claim behind = claim("half", Claim::Quantity::kSpeedup, "at least 1x",
                       {1, std::numeric_limits<double>::infinity()});
  behind.over = {"base", "quarter"};
  Claim alone = ahead;
  alone.over = {"half"};
  Claim nobody = ahead;
  nobody.over = {"broken", "absent"};
  const Report report = report_of({ahead, behind, alone, nobody});
  const std::vector<CheckedClaim>& claims = report.claims;
  ASSERT_EQ(claims.size(), 4U);
  EXPECT_EQ(claims[0].verdict, ClaimVerdict::kConfirmed);
  EXPECT_EQ(claims[0].over, "half");
  EXPECT_NEAR(claims[0].measured.value(), 2, 0.01);
  EXPECT_EQ(claims[0].remark, "not compared: broken (wrong), absent (not run)");
  EXPECT_EQ(claims[1].verdict, ClaimVerdict::kOpposite);
  EXPECT_EQ(claims[1].over, "quarter");
  EXPECT_NEAR(claims[1].measured.value(), 0.5, 0.01);
  EXPECT_EQ(claims[2].over, "") << "a claim over one arm says so itself";
  EXPECT_EQ(claims[3].verdict, ClaimVerdict::kNotTestable);
  EXPECT_THAT(claims[3].reason, HasSubstr("broken is wrong: NaN in row 3"));
  EXPECT_THAT(to_markdown(report), HasSubstr("at least 1x over half, the fastest of 4"));
  const nlohmann::json json = nlohmann::json::parse(to_json(report)).at("claims").at(0);
  EXPECT_EQ(json.at("over"), "half");
  EXPECT_EQ(json.at("claim").at("over"), nlohmann::json(ahead.over));
  EXPECT_THAT(to_claims_csv(report), HasSubstr("\"the fastest of base, half, broken, absent\""));
}

TEST(CheckClaims, IntervalsOverSeveralArmsHoldAtOnce) {
  Claim alone = claim("half", Claim::Quantity::kSpeedup, "2x", {1.5, 2.5});
  alone.over = {"base"};
  Claim among = alone;
  among.over = {"slow", "base"};
  const auto blocks = steady(1e-3, 1, 8);
  const Report report =
      make_report({{"claims", {to_json(alone), to_json(among)}}},
                  {baseline("base", blocks), record("half", scaled(blocks, 0.5, 0.001)),
                   record("slow", scaled(blocks, 2, 0.001))});
  const Interval narrow = report.claims.at(0).interval_95.value();
  const Interval wide = report.claims.at(1).interval_95.value();
  EXPECT_EQ(report.claims.at(1).measured, report.claims.at(0).measured);
  EXPECT_LT(wide.low, narrow.low);
  EXPECT_GT(wide.high, narrow.high);
}

TEST(CheckClaims, ARatioIsPairedByBlocks) {
  // The machine drifts by 4x from block to block; the ratio inside blocks does not.
  const std::vector<SampleBlock> drifting{{0, 0, {1e-3}}, {0, 1, {2e-3}}, {0, 2, {4e-3}}};
  Claim over_a = claim("b", Claim::Quantity::kSpeedup, "1.5x", {1.45, 1.55});
  over_a.over = {"a"};
  const nlohmann::json claims = nlohmann::json::array({to_json(over_a)});
  const Report report =
      make_report({{"claims", claims}}, {baseline("base", drifting), record("a", drifting),
                                         record("b", scaled(drifting, 1 / 1.5, 0.001))});
  EXPECT_EQ(report.claims.at(0).verdict, ClaimVerdict::kConfirmed);
  EXPECT_LT(report.claims.at(0).interval_95.value().high, 1.52);
}

TEST(CheckClaims, OneBlockLeavesItUndecided) {
  const nlohmann::json claims =
      nlohmann::json::array({to_json(claim("b", Claim::Quantity::kSpeedup, "2x", {1.5, 2.5})),
                             to_json(claim("b", Claim::Quantity::kTime, "1 s", {0.5, 1.5}))});
  const Report report =
      make_report({{"claims", claims}}, {baseline("a", {{0, 0, {2}}}), record("b", {{0, 0, {1}}})});
  for (const CheckedClaim& checked : report.claims) {
    EXPECT_EQ(checked.verdict, ClaimVerdict::kUndecided);
    EXPECT_TRUE(checked.measured);
    EXPECT_FALSE(checked.interval_95);
  }
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
  ASSERT_TRUE(report.claims[3].interval_95);
  EXPECT_NEAR(report.claims[3].interval_95->low, 0.5, 0.01);
  EXPECT_EQ(report.claims[3].replicates, 8);
  EXPECT_EQ(nlohmann::json::parse(to_json(report))["claims"][3]["measured_95"]["over"], "blocks");
  const std::string text = to_markdown(report);
  EXPECT_THAT(text, HasSubstr("1.000 ms \\[1.000, 1.000\\]"));
  EXPECT_THAT(text, HasSubstr("50.0% \\[50.0, 50.0\\]"));
  EXPECT_EQ(report.claims[4].verdict, ClaimVerdict::kSmaller);
}

TEST(CheckClaims, RatesIntensityAndErrors) {
  // 8 Mflop and 4 MB in a millisecond, with an error of 5.6e-4.
  const Report report = report_of(
      {claim("base", Claim::Quantity::kThroughput, "8 GFLOP/s", {7.5e9, 8.5e9}),
       claim("half", Claim::Quantity::kBandwidth, "4 GB/s", {3.5e9, 4.5e9}),
       claim("base", Claim::Quantity::kIntensity, "2 FLOP/B", {1.5, 2.5}),
       claim("base", kE, "at most 1e-3", {0, 1e-3}), claim("base", kE, "1e-4", {0.5e-4, 1.5e-4})});
  ASSERT_EQ(report.claims.size(), 5U);
  EXPECT_EQ(report.claims[0].verdict, ClaimVerdict::kConfirmed);
  EXPECT_NEAR(*report.claims[0].measured, 8e9, 1e7);
  EXPECT_EQ(report.claims[1].verdict, ClaimVerdict::kLarger);
  EXPECT_EQ(report.claims[2].verdict, ClaimVerdict::kConfirmed);
  EXPECT_EQ(report.claims[3].verdict, ClaimVerdict::kConfirmed);
  EXPECT_EQ(report.claims[4].verdict, ClaimVerdict::kLarger);
  const std::string text = to_markdown(report);
  EXPECT_THAT(text, HasSubstr("8.0 GFLOP/s \\[8.0, 8.0\\]"));
  EXPECT_THAT(text, HasSubstr("5.6e-04"));
}

TEST(CheckClaims, OfSeveralArmsTheBestCounts) {
  Claim best = claim("half", kS, "4.0x", {3.95, 4.05});
  best.arms = {"half", "quarter", "broken"};
  Claim time = claim("half", kT, "250 us", {249.5e-6, 250.5e-6});
  time.arms = {"half", "quarter"};
  const Report report = report_of({best, time, claim("quarter", kS, "4.0x", {3.95, 4.05})});
  EXPECT_EQ(report.claims[0].verdict, ClaimVerdict::kConfirmed);
  EXPECT_NEAR(*report.claims[0].measured, 4, 0.01);
  EXPECT_THAT(report.claims[0].remark, HasSubstr("broken is wrong: NaN in row 3"));
  EXPECT_EQ(report.claims[1].verdict, ClaimVerdict::kConfirmed);
  // The choice is paid for: the same arm alone has a narrower interval.
  EXPECT_LT(report.claims[0].interval_95->low, report.claims[2].interval_95->low);
  EXPECT_THAT(to_markdown(report), HasSubstr("best of half, quarter"));
}

TEST(CheckClaims, AnOutcomeIsReproducedOrNot) {
  const Report report = report_of({claim("broken", Claim::Quantity::kOutcome, "wrong"),
                                   claim("broken", Claim::Quantity::kOutcome, "hung"),
                                   claim("half", Claim::Quantity::kOutcome, "hung")});
  EXPECT_EQ(report.claims[0].verdict, ClaimVerdict::kConfirmed);
  EXPECT_EQ(report.claims[1].verdict, ClaimVerdict::kNotReproduced);
  EXPECT_THAT(report.claims[1].reason, HasSubstr("broken is wrong: NaN in row 3"));
  EXPECT_EQ(report.claims[2].verdict, ClaimVerdict::kNotReproduced);
  EXPECT_THAT(to_markdown(report), HasSubstr("not reproduced"));
}

TEST(CheckClaims, OutputsAreIdenticalOrNot) {
  const auto blocks = steady(1e-3, 1, 8);
  Record base = baseline("base", blocks);
  Record same = record("same", blocks);
  Record other = record("other", blocks);
  base.output_hash = same.output_hash = "aa";
  other.output_hash = "bb";
  const auto identical = [](std::vector<std::string> arms) {
    Claim claim = msda::claim(arms.front(), Claim::Quantity::kOutcome, "identical");
    claim.arms = std::move(arms);
    return to_json(claim);
  };
  const nlohmann::json claims = nlohmann::json::array(
      {identical({"same"}), identical({"same", "other"}), identical({"untold"})});
  const Report report =
      make_report({{"claims", claims}}, {base, same, other, record("untold", blocks)});
  EXPECT_EQ(report.claims.at(0).verdict, ClaimVerdict::kConfirmed);
  EXPECT_EQ(report.claims.at(1).verdict, ClaimVerdict::kNotMet);
  EXPECT_THAT(report.claims.at(1).reason, HasSubstr("other bits"));
  EXPECT_THAT(report.claims.at(1).reason, HasSubstr("other"));
  EXPECT_EQ(report.claims.at(2).verdict, ClaimVerdict::kNotTestable);
  EXPECT_THAT(to_markdown(report), HasSubstr("same, other"));
}

/// A claim that half takes 671 us on a GPU where base takes 1342.
Claim from_elsewhere() {
  Claim claim = msda::claim("half", kT, "671 us", {670.5e-6, 671.5e-6});
  claim.measured_on = "h100";
  claim.against = Claim::Reference{"base", "1342 us", {1341.5e-6, 1342.5e-6}};
  return claim;
}

TEST(CheckClaims, AFigureOfAnotherGpuIsComparedAsARatio) {
  const Report report = report_of({from_elsewhere()});
  const CheckedClaim& checked = report.claims.at(0);
  EXPECT_EQ(checked.verdict, ClaimVerdict::kConfirmed);
  EXPECT_NEAR(*checked.measured, 2, 0.01);
  EXPECT_NEAR(checked.as_ratio.value().low, 1341.5 / 671.5, 1e-9);
  EXPECT_THAT(checked.remark, HasSubstr("measured on h100, where base had 1342 us"));
  EXPECT_THAT(to_markdown(report), HasSubstr("671 us of 1342 us for base"));
}

TEST(CheckClaims, AFigureOfAnotherGpuAloneSaysNothing) {
  Claim alone = from_elsewhere();
  alone.against.reset();
  const CheckedClaim checked = report_of({alone}).claims.at(0);
  EXPECT_EQ(checked.verdict, ClaimVerdict::kNotTestable);
  EXPECT_THAT(checked.reason, HasSubstr("it was measured on h100"));
}

TEST(CheckClaims, AFigureOfTheSameGpuIsComparedAsItIs) {
  const auto blocks = steady(671e-6, 1, 8);
  const Report report = make_report({{"claims", nlohmann::json::array({to_json(from_elsewhere())})},
                                     {"device", {{"name", "NVIDIA H100 80GB HBM3"}}}},
                                    {baseline("base", blocks), record("half", blocks)});
  EXPECT_EQ(report.claims.at(0).verdict, ClaimVerdict::kConfirmed);
  EXPECT_FALSE(report.claims.at(0).as_ratio);
  EXPECT_NEAR(*report.claims.at(0).measured, 671e-6, 1e-9);
}

TEST(CheckClaims, SaysWhyAClaimIsNotTestable) {
  Claim elsewhere = claim("half", Claim::Quantity::kSpeedup, "2x", {1.5, 2.5});
  elsewhere.problem = "another";
  Claim left_out = claim("half", Claim::Quantity::kSpeedup, "2x", {1.5, 2.5});
  left_out.left_out = "half is left out";
  const Report report =
      report_of({claim("broken", Claim::Quantity::kSpeedup, "2x", {1.5, 2.5}),
                 claim("absent", Claim::Quantity::kSpeedup, "2x", {1.5, 2.5}), elsewhere,
                 claim("half", Claim::Quantity::kNotTestable, "needs a profiler"), left_out});
  ASSERT_EQ(report.claims.size(), 5U);
  for (const CheckedClaim& checked : report.claims) {
    EXPECT_EQ(checked.verdict, ClaimVerdict::kNotTestable);
  }
  EXPECT_THAT(report.claims[0].reason, HasSubstr("NaN in row 3"));
  EXPECT_THAT(report.claims[1].reason, HasSubstr("absent was not run"));
  EXPECT_THAT(report.claims[2].reason, HasSubstr("no problem was measured"));
  EXPECT_EQ(report.claims[3].reason, "needs a profiler");
  EXPECT_EQ(report.claims[4].reason, "half is left out");
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
  EXPECT_THAT(to_terminal(report, true), HasSubstr("\x1b[32mconfirmed [1]\x1b[0m"));
  EXPECT_THAT(to_terminal(report, false), Not(HasSubstr("\x1b[")));
  const std::string csv = to_claims_csv(report);
  EXPECT_THAT(csv,
              HasSubstr("it is so,a paper,half,,speedup,,\"'+100%\",1.99,2.01,,,,,captured,warm,"));
  EXPECT_THAT(csv, HasSubstr(",blocks,8,confirmed,,,on another GPU\r\n"));
  EXPECT_THAT(
      csv, HasSubstr("half,,not-testable,,,,,,,,,,warm,,,,,,not testable,needs a profiler,,\r\n"));
  const nlohmann::json claims = nlohmann::json::parse(to_json(report)).at("claims");
  ASSERT_EQ(claims.size(), 2U);
  EXPECT_EQ(claims[0].at("verdict"), "confirmed");
  EXPECT_EQ(claims[1].at("reason"), "needs a profiler");
}

TEST(ClaimJson, RoundTrips) {
  Claim before = claim("half", Claim::Quantity::kTime, "724 us", {1, 2});
  before.mode = TimingMode::kCold;
  before.over = {"other"};
  before.problem = "small";
  before.note = "note";
  before.left_out = "reason";
  const Claim after = claim_from_json(to_json(before));
  EXPECT_EQ(to_json(after), to_json(before));
  EXPECT_EQ(to_json(after).at("arm"), "half");
  EXPECT_EQ(to_json(after).at("over"), "other");
  before = from_elsewhere();
  before.arms = {"half", "quarter"};
  before.over = {"base", "other"};
  before.range.high = std::numeric_limits<double>::infinity();
  const Claim best = claim_from_json(nlohmann::json::parse(to_json(before).dump()));
  EXPECT_EQ(best.arms.size(), 2U);
  EXPECT_EQ(best.over, before.over);
  EXPECT_EQ(best.range.high, std::numeric_limits<double>::infinity());
  EXPECT_EQ(best.against.value().value, "1342 us");
  EXPECT_EQ(best.measured_on, "h100");
}

TEST(ClaimJson, ErrorsNameTheField) {
  const auto good = to_json(claim("half", kT, "724 us", {1, 2}));
  const auto refusal = [](const nlohmann::json& json) -> std::string {
    try {
      claim_from_json(json);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "was read";
  };
  for (const char* name : {"text", "arm", "quantity", "value", "low", "high"}) {
    auto json = good;
    json.erase(name);
    EXPECT_EQ(refusal(json), fmt::format("claim lacks field '{}'", name));
  }
  auto json = good;
  json["quantity"] = "weight";
  EXPECT_THAT(refusal(json), HasSubstr("claim field 'quantity' must be speedup, time"));
  json = good;
  json["arm"] = 5;
  EXPECT_EQ(refusal(json), "claim field 'arm' must be a string, not 5");
  EXPECT_THAT(refusal(5), HasSubstr("claim must be a JSON object"));
}

}  // namespace
}  // namespace msda
