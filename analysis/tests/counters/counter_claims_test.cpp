// Claims on hardware counters, against what a profiler left beside a run.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <msda/error.hpp>

#include "render/formats.hpp"
#include "support/claimed.hpp"
#include "support/counted.hpp"
#include "support/synthetic.hpp"

namespace msda {
namespace {

using testing::HasSubstr;

constexpr auto kCounter = Claim::Quantity::kCounter;
constexpr const char* kConflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum";

Claim claim_on(const std::string& arm, const std::string& value) {
  Claim claim = claimed::claim(arm, kCounter, value, parse_claimed(kCounter, value));
  claim.text = "no bank conflicts";
  claim.metric = kConflicts;
  return claim;
}

KernelCounters counted_conflicts(const std::string& arm, double conflicts) {
  KernelCounters kernel = counted::kernel(arm, 1e-3, 50, 50);
  kernel.values[kConflicts] = conflicts;
  return kernel;
}

CheckedClaim checked(const Claim& claim, const std::vector<KernelCounters>& kernels) {
  const auto blocks = synthetic::steady(1e-3);
  const Report report = make_report(
      nlohmann::json{{"claims", {to_json(claim)}}},
      {synthetic::baseline("base", blocks), synthetic::record("padded", blocks)}, {}, kernels);
  EXPECT_EQ(report.claims.size(), 1U);
  return report.claims.at(0);
}

TEST(CounterClaims, ZeroIsANumberThatIsConfirmedByNoneAlone) {
  EXPECT_EQ(checked(claim_on("padded", "0"), {counted_conflicts("padded", 0)}).verdict,
            ClaimVerdict::kConfirmed);
  const CheckedClaim larger = checked(claim_on("padded", "0"), {counted_conflicts("padded", 7)});
  EXPECT_EQ(larger.verdict, ClaimVerdict::kLarger);
  EXPECT_EQ(larger.measured, 7);
  EXPECT_FALSE(larger.interval_95);
  EXPECT_THAT(larger.remark, HasSubstr("of one launch, counted by ncu 2025.3.1"));
}

TEST(CounterClaims, MayHaveOneEnd) {
  const std::vector<KernelCounters> kernels{counted_conflicts("padded", 47e6)};
  EXPECT_EQ(checked(claim_on("padded", "at most 5e7"), kernels).verdict, ClaimVerdict::kConfirmed);
  EXPECT_EQ(checked(claim_on("padded", "at most 4e7"), kernels).verdict, ClaimVerdict::kLarger);
  EXPECT_EQ(checked(claim_on("padded", "at least 5e7"), kernels).verdict, ClaimVerdict::kSmaller);
  EXPECT_EQ(checked(claim_on("padded", "4e7..5e7"), kernels).verdict, ClaimVerdict::kConfirmed);
}

TEST(CounterClaims, WithoutAProfileHaveNoVerdict) {
  for (const auto& kernels : {std::vector<KernelCounters>{}, {counted_conflicts("base", 0)}}) {
    const CheckedClaim none = checked(claim_on("padded", "0"), kernels);
    EXPECT_EQ(name_of(none.verdict), "not profiled");
    EXPECT_THAT(none.reason, HasSubstr("`msda profile`"));
    EXPECT_FALSE(none.measured);
  }
  const CheckedClaim others =
      checked(claim_on("padded", "0"), {counted::kernel("padded", 1e-3, 50, 50)});
  EXPECT_EQ(others.verdict, ClaimVerdict::kNotProfiled);
  EXPECT_THAT(others.reason, HasSubstr("was not among the metrics"));
}

TEST(CounterClaims, OnWhatAChipLacksAreNotTestable) {
  KernelCounters kernel = counted::kernel("padded", 1e-3, 50, 50);
  kernel.missing = {kConflicts};
  const CheckedClaim lacking = checked(claim_on("padded", "0"), {kernel});
  EXPECT_EQ(lacking.verdict, ClaimVerdict::kNotTestable);
  EXPECT_THAT(lacking.reason, HasSubstr("on GPU X"));
}

TEST(CounterClaims, OnAProblemThatDidNotRunSaySo) {
  Claim claim = claim_on("padded", "0");
  claim.problem = "elsewhere";
  const CheckedClaim none = checked(claim, {counted_conflicts("padded", 0)});
  EXPECT_EQ(none.verdict, ClaimVerdict::kNotTestable);
  EXPECT_EQ(none.reason, "no problem was measured as the claim asks");
}

TEST(CounterClaims, OfOtherModesHaveTheirCounters) {
  Claim cold = claim_on("padded", "0");
  cold.mode = TimingMode::kCold;
  KernelCounters kernel = counted_conflicts("padded", 0);
  EXPECT_EQ(checked(cold, {kernel}).verdict, ClaimVerdict::kNotProfiled);
  kernel.mode = "cold";
  EXPECT_EQ(checked(cold, {kernel}).verdict, ClaimVerdict::kConfirmed);
  // A graph holds the kernels of warm launches.
  Claim graph = claim_on("padded", "0");
  graph.mode = TimingMode::kGraph;
  EXPECT_EQ(checked(graph, {counted_conflicts("padded", 0)}).verdict, ClaimVerdict::kConfirmed);
}

TEST(CounterClaims, StandInTheReports) {
  const auto blocks = synthetic::steady(1e-3);
  const Report report = make_report(nlohmann::json{{"claims", {to_json(claim_on("padded", "0"))}}},
                                    {synthetic::baseline("padded", blocks)}, {},
                                    {counted_conflicts("padded", 46'931'232)});
  const std::string text = to_markdown(report);
  EXPECT_THAT(text, HasSubstr("4.693e+07"));
  EXPECT_THAT(text, HasSubstr("Of 1 checks: 1 larger."));
  EXPECT_THAT(to_claims_csv(report), HasSubstr(fmt::format(",counter,{},0,", kConflicts)));
  const auto json = nlohmann::json::parse(to_json(report)).at("claims").at(0);
  EXPECT_EQ(json.at("verdict"), "larger");
}

TEST(CounterClaims, AreReadBackAsTheyWere) {
  const Claim claim = claim_from_json(to_json(claim_on("padded", "at least 3e6")));
  EXPECT_EQ(claim.metric, kConflicts);
  EXPECT_EQ(claim.range.low, 3e6);
}

TEST(ClaimedCounter, MayBeZeroAndNothingBelow) {
  EXPECT_EQ(parse_claimed(kCounter, "0").low, 0);
  EXPECT_EQ(parse_claimed(kCounter, "0").high, 0.5);
  EXPECT_EQ(parse_claimed(kCounter, "at most 0").high, 0);
  EXPECT_EQ(parse_claimed(kCounter, "80..90%").high, 90);
  for (const char* text : {"", "%", "few", "-1", "-1..3", "3..2", "at most", "5 MB"}) {
    EXPECT_THROW(parse_claimed(kCounter, text), UsageError) << text;
  }
}

}  // namespace
}  // namespace msda
