// Arms whose mechanism did not show, and arms that are one: marked wherever a person reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "claims/claims.hpp"
#include "render/document.hpp"
#include "render/formats.hpp"
#include "render/tables/matrix.hpp"
#include "render/text/text.hpp"
#include "support/synthetic.hpp"

namespace msda {
namespace {

using synthetic::baseline;
using synthetic::record;
using synthetic::scaled;
using synthetic::steady;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Record with_evidence(Record record, Evidence::Status status,
                     std::vector<std::string> missing = {}) {
  record.evidence = Evidence{status, std::move(missing), "", {}};
  return record;
}

Record with_code(Record record, const std::string& hash) {
  record.resources.code_hash = hash;
  return record;
}

Claim claim(const std::string& arm, const std::string& over) {
  Claim claim;
  claim.text = "twice as fast";
  claim.source = "a paper";
  claim.arms = {arm};
  if (!over.empty()) claim.over = {over};
  claim.quantity = Claim::Quantity::kSpeedup;
  claim.value = "2.0x";
  claim.range = {1.95, 2.05};
  return claim;
}

/// "hollow" is as fast as claimed and vacuous; "twin" has the code of "half".
Report report() {
  const auto blocks = steady(1e-3, 1, 8);
  const auto halves = scaled(blocks, 0.5, 0.001);
  const nlohmann::json claims = {to_json(claim("half", "")), to_json(claim("hollow", "")),
                                 to_json(claim("half", "hollow"))};
  const Record hollow =
      with_evidence(record("hollow", scaled(blocks, 0.4, 0.001)), Evidence::Status::kVacuous,
                    {"prefetch: rows.prefetched > 0, but it is 0"});
  return make_report(
      nlohmann::json{{"claims", claims}},
      {with_code(baseline("base", blocks), "aa"),
       with_code(with_evidence(record("half", halves), Evidence::Status::kShown), "bb"), hollow,
       with_code(record("twin", halves), "bb")});
}

TEST(VacuousArms, AreMarkedInTheTableWithWhatIsMissing) {
  const std::string text = to_markdown(report());
  EXPECT_THAT(text, HasSubstr("faster, no effect"));
  EXPECT_THAT(text, HasSubstr("hollow: no evidence that the optimization took effect"));
  EXPECT_THAT(text, HasSubstr("but it is 0"));
}

TEST(VacuousArms, AreMarkedWhereTheirNameStands) {
  const Report of = report();
  const Document document = document_of(of);
  EXPECT_THAT(document.sections.front().headline, HasSubstr("hollow (no effect)"));
  ASSERT_FALSE(document.matrices.empty());
  std::vector<std::string> names;
  for (const MatrixRow& row : document.matrices.front().rows) names.push_back(row.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("base", "half", "hollow (no effect)", "twin"));
  EXPECT_THAT(document.warnings, testing::Contains(HasSubstr("captured/hollow/warm")));
}

TEST(VacuousArms, GiveClaimsNoVerdictOnEitherSide) {
  const Report of = report();
  ASSERT_EQ(of.claims.size(), 3U);
  EXPECT_EQ(of.claims[0].verdict, ClaimVerdict::kConfirmed);
  for (const std::size_t i : {1U, 2U}) {
    EXPECT_EQ(of.claims[i].verdict, ClaimVerdict::kNotTestable);
    EXPECT_FALSE(of.claims[i].measured);
    EXPECT_THAT(of.claims[i].reason, HasSubstr("hollow has no effect: prefetch"));
  }
}

/// All arms have corner-pair, which shows in none; "both" misses something of its own as well.
Report report_with_idle_base() {
  const auto blocks = steady(1e-3, 1, 8);
  const auto vacuous = [](Record of, std::vector<std::string> missing) {
    return with_evidence(std::move(of), Evidence::Status::kVacuous, std::move(missing));
  };
  nlohmann::json claims = {to_json(claim("half", "")), to_json(claim("both", ""))};
  Claim time = claim("half", "");
  time.quantity = Claim::Quantity::kTime;
  claims.push_back(to_json(time));
  return make_report(
      nlohmann::json{{"claims", claims}},
      {vacuous(baseline("base", blocks), {"corner-pair: run-bytes > 80, but it is 64.2"}),
       vacuous(record("half", scaled(blocks, 0.5, 0.001)),
               {"corner-pair: run-bytes > 80, but it is 64"}),
       vacuous(record("both", scaled(blocks, 0.5, 0.001)),
               {"corner-pair: run-bytes > 80, but it is 64", "prefetch: nothing to fetch"}),
       record("unchecked", blocks)});
}

TEST(VacuousArms, AreNotThoseThatShareWithAllWhatShowsInNone) {
  const Report of = report_with_idle_base();
  const Table& table = of.tables.front();
  EXPECT_THAT(table.idle, testing::ElementsAre("corner-pair: run-bytes > 80, but it is 64.2"));
  EXPECT_FALSE(find_row(table, "base")->is_vacuous());
  EXPECT_FALSE(find_row(table, "half")->is_vacuous());
  EXPECT_THAT(find_row(table, "both")->missing, testing::ElementsAre("prefetch: nothing to fetch"));
  const std::string text = to_markdown(of);
  EXPECT_THAT(
      text,
      HasSubstr(
          "No arm shows evidence of what all arms have in common, so that it cannot explain a "
          "difference: corner-pair"));
  EXPECT_THAT(text, Not(HasSubstr("half: no evidence that the optimization took effect")));
}

TEST(VacuousArms, ShareAllTheSameWhatAClaimOnOneOfThemIsAbout) {
  const Report of = report_with_idle_base();
  ASSERT_EQ(of.claims.size(), 3U);
  EXPECT_EQ(of.claims[0].verdict, ClaimVerdict::kConfirmed);
  EXPECT_THAT(of.claims[1].reason, HasSubstr("both has no effect: prefetch"));
  EXPECT_EQ(of.claims[2].verdict, ClaimVerdict::kNotTestable) << "a time, not a ratio";
}

TEST(VacuousArms, AreNoneThatNameNoVariant) {
  const auto blocks = steady(1e-3, 1, 8);
  const Record best = with_evidence(record("best", scaled(blocks, 0.5, 0.001)),
                                    Evidence::Status::kVacuous, {"persistent: it is 1"});
  Claim fast = claim("best", "");
  fast.quantity = Claim::Quantity::kTime;
  fast.range = {0, 0.6e-3};
  const Report of =
      make_report(nlohmann::json{{"claims", {to_json(fast)}},
                                 {"arms",
                                  {{{"name", "base"}, {"uses", {{{"variant", "vector-loads"}}}}},
                                   {{"name", "best"}, {"uses", nlohmann::json::array()}}}}},
                  {baseline("base", blocks), best});
  EXPECT_THAT(to_markdown(of), Not(HasSubstr("no effect")));
  EXPECT_EQ(of.claims.at(0).verdict, ClaimVerdict::kConfirmed);
}

TEST(VacuousArms, AreToldToPrograms) {
  const std::string csv = to_csv(report());
  EXPECT_THAT(csv, HasSubstr(",vacuous,\"prefetch: rows.prefetched > 0, but it is 0\","));
  EXPECT_THAT(csv, HasSubstr(",shown,,"));
  const auto json = nlohmann::json::parse(to_json(report()));
  EXPECT_EQ(json["tables"][0]["rows"][2]["vacuous"], true);
  EXPECT_EQ(json["tables"][0]["rows"][1]["vacuous"], false);
}

TEST(LargeErrors, AreExplainedWhereTheVerdictStands) {
  const auto blocks = steady(1e-3, 1, 8);
  Record coarse = record("coarse", scaled(blocks, 0.999, 0.0001));
  coarse.outputs.front().relative_l2 = 2.3e-2;
  coarse.outputs.front().tolerance = 5e-2;
  const std::string text = to_markdown(make_report(Manifest(), {baseline("base", blocks), coarse}));
  EXPECT_THAT(text, HasSubstr("equal, larger error"));
  EXPECT_THAT(text, HasSubstr("coarse: the error is 41 times the baseline's. It is right"));
}

TEST(SameCode, IsToldOfTheLaterOfTwoCompositions) {
  const Report of = report();
  const std::vector<Row>& rows = of.tables.front().rows;
  EXPECT_EQ(rows[0].same_code_as, "");
  EXPECT_EQ(rows[1].same_code_as, "");
  EXPECT_EQ(rows[3].same_code_as, "half");
  EXPECT_THAT(to_markdown(of),
              AllOf(HasSubstr("faster, same code"), HasSubstr("they are one arm")));
}

TEST(SameCode, IsNoNewsOfTheSameComposition) {
  const auto blocks = steady(1e-3, 1, 8);
  Record again = with_code(record("again", blocks), "aa");
  again.composition = "base";
  const Report of = make_report(Manifest(), {with_code(baseline("base", blocks), "aa"), again});
  EXPECT_EQ(of.tables.front().rows[1].same_code_as, "");
  EXPECT_THAT(to_markdown(of), Not(HasSubstr("same code")));
}

TEST(ArmsOnSeveralDevices, AreMarkedAndHaveTheLightOfAllOfThem) {
  const auto blocks = steady(1e-3, 1, 8);
  Record one = record("one", scaled(blocks, 0.5, 0.001));
  Record pair = one;
  pair.arm = "pair";
  pair.cell = "p/pair/warm";
  pair.devices = 2;
  const nlohmann::json manifest = {
      {"ceilings", {{"dram_bytes_per_second", 8e9}, {"gather_bytes_per_second", 1e15}}}};
  const Report report = make_report(manifest, {baseline("base", blocks), one, pair});
  const std::string text = to_markdown(report);
  EXPECT_THAT(text, HasSubstr("faster, 2 devices"));
  EXPECT_THAT(text, HasSubstr("the batch of pair is shared among 2 devices"));
  const auto share_of = [&](const char* arm) {
    return find_row(report.tables.at(0), arm)->speed_of_light.value();
  };
  EXPECT_NEAR(share_of("pair"), share_of("one") / 2, 1e-3);
  EXPECT_EQ(arm_text(*find_row(report.tables.at(0), "pair")), "pair (on 2 devices)");
}

TEST(VacuousArms, ShareWhatShowsInNoneWhateverAnArmThatCouldNotBeCheckedLacks) {
  const auto blocks = steady(1e-3, 1, 8);
  const std::vector<std::string> missing{"corner-pair: run-bytes > 80, but it is 64"};
  const Report of = make_report(
      Manifest(), {with_evidence(baseline("base", blocks), Evidence::Status::kVacuous, missing),
                   with_evidence(record("half", scaled(blocks, 0.5, 0.001)),
                                 Evidence::Status::kVacuous, missing),
                   with_evidence(record("unchecked", blocks), Evidence::Status::kUnchecked)});
  EXPECT_EQ(of.tables.front().idle, missing);
}

TEST(VacuousArms, OnSomeProblemsAloneAreMarkedSo) {
  const auto blocks = steady(1e-3, 1, 8);
  const auto on = [](Record of, const std::string& problem) {
    of.problem = problem;
    of.cell = problem + "/" + of.arm + "/warm";
    return of;
  };
  const Record hollow = with_evidence(record("hollow", scaled(blocks, 0.5, 0.001)),
                                      Evidence::Status::kVacuous, {"prefetch: nothing to fetch"});
  const Record full =
      with_evidence(record("hollow", scaled(blocks, 0.5, 0.001)), Evidence::Status::kShown);
  const Report of = make_report(Manifest(), {on(baseline("base", blocks), "p"), on(hollow, "p"),
                                             on(baseline("base", blocks), "q"), on(full, "q")});
  const Matrix matrix = arm_matrix(of).value();
  EXPECT_EQ(matrix.rows.front().name, "hollow (no effect in part)");
}

TEST(LargeErrors, AreNoneThatAreAFewTimesTheBaselines) {
  const auto blocks = steady(1e-3, 1, 8);
  Record coarse = record("coarse", scaled(blocks, 0.999, 0.0001));
  coarse.outputs.front().relative_l2 *= 5;
  coarse.outputs.front().tolerance = 5e-2;
  EXPECT_THAT(to_markdown(make_report(Manifest(), {baseline("base", blocks), coarse})),
              Not(HasSubstr("larger error")));
}

}  // namespace
}  // namespace msda
