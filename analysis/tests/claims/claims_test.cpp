// What a run says to the claims of its experiment.
#include "claims/claims.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/claimed.hpp"

namespace msda {
namespace {

using claimed::claim;
using claimed::from_elsewhere;
using claimed::kE;
using claimed::kS;
using claimed::kT;
using claimed::report_of;
using synthetic::baseline;
using synthetic::record;
using synthetic::scaled;
using synthetic::steady;
using testing::HasSubstr;
using testing::Not;

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
  EXPECT_EQ(claims[3].reason, "no arm is there to compare quarter with");
  EXPECT_EQ(claims[3].remark, "not compared: broken (wrong), absent (not run)");
  EXPECT_THAT(to_markdown(report), HasSubstr("at least 1x over half, the fastest of 4"));
  EXPECT_THAT(to_markdown(report), HasSubstr("at least 1x over the fastest of 2"));
  const nlohmann::json json = nlohmann::json::parse(to_json(report)).at("claims").at(0);
  EXPECT_EQ(json.at("over"), "half");
  EXPECT_EQ(json.at("claim").at("over"), nlohmann::json(ahead.over));
  EXPECT_THAT(to_claims_csv(report), HasSubstr("\"the fastest of base, half, broken, absent\""));
}

TEST(CheckClaims, ARatioStandsBesideTheErrorsThatItIsHadAt) {
  Record better = record("better", steady(1e-3));
  better.outputs.front().relative_l2 = 2e-4;
  Claim ahead = claim("better", Claim::Quantity::kSpeedup, "2x", {1.95, 2.05});
  Claim over_arm = ahead;
  over_arm.over = {"base"};
  const nlohmann::json manifest = {{"claims", {to_json(ahead), to_json(over_arm)}}};
  const Report report = make_report(manifest, {baseline("base", steady(2e-3)), better});
  for (const CheckedClaim& checked : report.claims) {
    EXPECT_EQ(checked.error, 2e-4);
    EXPECT_EQ(checked.over_error, 5.6e-4);
  }
  EXPECT_THAT(to_markdown(report), HasSubstr("| 2.0e-04 / 5.6e-04 |"));
  better.outputs.front().relative_l2 = 7e-4;
  EXPECT_THAT(to_markdown(make_report(manifest, {baseline("base", steady(2e-3)), better})),
              HasSubstr("| 7.0e-04 (bound 1.0e-03) / 5.6e-04 |"));
}

TEST(CheckClaims, AFigureOfSomethingElseIsMeasuredAndNotJudged) {
  Claim lost = claim("half", Claim::Quantity::kSpeedup, "2x", {1.95, 2.05});
  lost.not_comparable = "its program writes 1 of 256 outputs";
  const Report report = report_of({lost});
  ASSERT_EQ(report.claims.size(), 1U);
  EXPECT_EQ(report.claims[0].verdict, ClaimVerdict::kNotComparable);
  EXPECT_NEAR(report.claims[0].measured.value(), 2, 0.01);
  EXPECT_EQ(report.claims[0].reason, lost.not_comparable);
  EXPECT_THAT(to_markdown(report), HasSubstr("1 not comparable"));
  EXPECT_THAT(to_markdown(report), HasSubstr(lost.not_comparable));
}

TEST(CheckClaims, AFigureThatNobodyMeasuredSaysWhereWhatIsMeasuredLies) {
  Claim expected = claim("half", Claim::Quantity::kSpeedup, "1.5x", {1.45, 1.55});
  expected.estimate = "a roadmap expects it";
  const Report report = report_of({expected});
  ASSERT_EQ(report.claims.size(), 1U);
  EXPECT_EQ(report.claims[0].verdict, ClaimVerdict::kEstimate);
  EXPECT_EQ(report.claims[0].reason, expected.estimate);
  EXPECT_EQ(report.claims[0].remark, "what is measured is: larger");
  EXPECT_THAT(to_markdown(report), HasSubstr("1 estimate"));
}

TEST(CheckClaims, AModeThatWasNotMeasuredIsNotThatOfAnother) {
  Claim cold = claim("half", Claim::Quantity::kSpeedup, "2x", {1.95, 2.05});
  cold.mode = TimingMode::kCold;
  const CheckedClaim checked = report_of({cold}).claims.at(0);
  EXPECT_EQ(checked.verdict, ClaimVerdict::kNotTestable);
  EXPECT_EQ(checked.mode, TimingMode::kCold);
}

TEST(CheckClaims, OfSeveralArmsTheLeastErrorIsTheBest) {
  Claim error = claim("rough", Claim::Quantity::kError, "1e-3", {0.95e-3, 1.05e-3});
  error.arms = {"rough", "fine"};
  Record rough = record("rough", steady(1e-3));
  Record fine = record("fine", steady(1e-3));
  rough.outputs.front().relative_l2 = 2e-3;
  fine.outputs.front().relative_l2 = 1e-3;
  const Report report =
      make_report(nlohmann::json{{"claims", nlohmann::json::array({to_json(error)})}},
                  {baseline("base", steady(1e-3)), rough, fine});
  EXPECT_NEAR(report.claims.at(0).measured.value(), 1e-3, 1e-12);
}

TEST(CheckClaims, WhatCannotBeComparedStandsOnce) {
  Claim lost = claim("half", Claim::Quantity::kSpeedup, "2x", {1.95, 2.05});
  lost.not_comparable = "its program writes 1 of 256 outputs";
  Claim open = claim("half", Claim::Quantity::kSpeedup, "2x", {1.95, 2.05});
  std::vector<Record> records;
  for (const char* problem : {"p", "q"}) {
    for (Record one : {baseline("base", steady(1e-3)), record("half", steady(0.5e-3))}) {
      one.problem = problem;
      one.cell = cell_name(problem, one.arm, one.mode);
      records.push_back(one);
    }
  }
  const Report report =
      make_report(nlohmann::json{{"claims", {to_json(lost), to_json(open)}}}, records);
  EXPECT_EQ(report.claims.size(), 1U + 2U);
}

TEST(CheckClaims, IntervalsOverSeveralArmsHoldAtOnce) {
  Claim alone = claim("half", Claim::Quantity::kSpeedup, "2x", {1.5, 2.5});
  alone.over = {"base"};
  Claim among = alone;
  among.over = {"slow", "base"};
  const auto blocks = steady(1e-3, 1, 8);
  const Report report =
      make_report(nlohmann::json{{"claims", {to_json(alone), to_json(among)}}},
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
  const Report report = make_report(nlohmann::json{{"claims", claims}},
                                    {baseline("base", drifting), record("a", drifting),
                                     record("b", scaled(drifting, 1 / 1.5, 0.001))});
  EXPECT_EQ(report.claims.at(0).verdict, ClaimVerdict::kConfirmed);
  EXPECT_LT(report.claims.at(0).interval_95.value().high, 1.52);
}

TEST(CheckClaims, OneBlockLeavesItUndecided) {
  const nlohmann::json claims =
      nlohmann::json::array({to_json(claim("b", Claim::Quantity::kSpeedup, "2x", {1.5, 2.5})),
                             to_json(claim("b", Claim::Quantity::kTime, "1 s", {0.5, 1.5}))});
  const Report report = make_report(nlohmann::json{{"claims", claims}},
                                    {baseline("a", {{0, 0, {2}}}), record("b", {{0, 0, {1}}})});
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
  // The first process ended with a crash of another arm before `same` was verified.
  const auto process = [](int number, const char* input, const char* output) {
    ProcessRun run;
    run.process = number;
    run.inputs = {input};
    run.output = output;
    return run;
  };
  base.processes = {process(0, "in", "first"), process(1, "other in", "aa")};
  same.processes = {process(1, "other in", "aa")};
  other.processes = {process(0, "in", "first"), process(1, "other in", "bb")};
  Record once = record("once", blocks);
  once.processes = {process(0, "in", "bb"), process(1, "other in", "aa")};
  Record elsewhere = record("elsewhere", blocks);
  elsewhere.processes = {process(1, "in", "aa")};
  const auto identical = [](std::vector<std::string> arms) {
    Claim claim = claimed::claim(arms.front(), Claim::Quantity::kOutcome, "identical");
    claim.arms = std::move(arms);
    return to_json(claim);
  };
  const nlohmann::json claims = nlohmann::json::array(
      {identical({"same"}), identical({"same", "other"}), identical({"untold"}),
       identical({"once"}), identical({"elsewhere"}), identical({"same", "untold"})});
  const Report report = make_report(nlohmann::json{{"claims", claims}},
                                    {base, same, other, record("untold", blocks), once, elsewhere});
  EXPECT_EQ(report.claims.at(0).verdict, ClaimVerdict::kConfirmed);
  EXPECT_EQ(report.claims.at(1).verdict, ClaimVerdict::kNotMet);
  EXPECT_THAT(report.claims.at(1).reason, HasSubstr("other bits"));
  EXPECT_THAT(report.claims.at(1).reason, HasSubstr("other"));
  EXPECT_EQ(report.claims.at(2).verdict, ClaimVerdict::kNotTestable);
  EXPECT_EQ(report.claims.at(3).verdict, ClaimVerdict::kNotMet);
  EXPECT_EQ(report.claims.at(4).verdict, ClaimVerdict::kNotTestable);
  EXPECT_EQ(report.claims.at(5).verdict, ClaimVerdict::kNotTestable);
  EXPECT_THAT(to_markdown(report), HasSubstr("same, other"));
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

TEST(CheckClaims, ARateOfAnotherGpuIsARatioOfRates) {
  Claim rate = from_elsewhere();
  rate.quantity = Claim::Quantity::kThroughput;
  rate.value = "12 GFLOP/s";
  rate.range = {11.5e9, 12.5e9};
  rate.against->range = {5.5e9, 6.5e9};
  const CheckedClaim checked = report_of({rate}).claims.at(0);
  EXPECT_DOUBLE_EQ(checked.as_ratio.value().low, 11.5 / 6.5);
  EXPECT_DOUBLE_EQ(checked.as_ratio.value().high, 12.5 / 5.5);
  EXPECT_EQ(checked.verdict, ClaimVerdict::kConfirmed);
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
  const Report report =
      make_report(nlohmann::json{{"claims", nlohmann::json::array({to_json(from_elsewhere())})},
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
      csv,
      HasSubstr("half,,not-testable,,,,,,,,,,warm,,,,,,,,not testable,needs a profiler,,\r\n"));
  const nlohmann::json claims = nlohmann::json::parse(to_json(report)).at("claims");
  ASSERT_EQ(claims.size(), 2U);
  EXPECT_EQ(claims[0].at("verdict"), "confirmed");
  EXPECT_EQ(claims[1].at("reason"), "needs a profiler");
}

TEST(CheckClaims, AnArmThatWasInterruptedLeavesItsOutcomeOpen) {
  const Claim hung = claim("lost", Claim::Quantity::kOutcome, "hung");
  const Report report = make_report(
      nlohmann::json{{"claims", {to_json(hung)}}},
      {baseline("base", steady(1e-3)),
       synthetic::without_time("lost", CellStatus::kInterrupted, "somebody killed the worker")});
  EXPECT_EQ(report.claims.at(0).verdict, ClaimVerdict::kNotTestable);
  EXPECT_EQ(report.claims.at(0).reason, "lost is interrupted: somebody killed the worker");
}

}  // namespace
}  // namespace msda
