// What a report begins with: the answer, its picture, what to be careful about.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/formats.hpp"
#include "render/tables/matrix.hpp"
#include "render/text/summary.hpp"
#include "render/text/text.hpp"
#include "render/words/words.hpp"
#include "support/ablation_truth.hpp"
#include "support/synthetic.hpp"

namespace msda {
namespace {

using synthetic::baseline;
using synthetic::record;
using synthetic::scaled;
using synthetic::steady;
using synthetic::without_time;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::vector<SampleBlock> kBlocks = steady(1e-3, 5, 4);

Record at(Record record, const std::string& problem, TimingMode mode = TimingMode::kWarm) {
  record.problem = problem;
  record.mode = mode;
  record.cell = problem + "/" + record.arm + "/" + std::string(name_of(mode));
  return record;
}

/// "fast" wins at the first problem, "slow" loses everywhere, "also" is equal to "fast" at the
/// second.
Report two_problems() {
  return make_report(
      {{"name", "n"}},
      {at(baseline("base", kBlocks), "p"), at(record("slow", scaled(kBlocks, 4, 0)), "p"),
       at(record("also", scaled(kBlocks, 0.8, 0)), "p"),
       at(record("fast", scaled(kBlocks, 0.5, 0)), "p"), at(baseline("base", kBlocks), "q"),
       at(record("slow", scaled(kBlocks, 4, 0)), "q"),
       at(record("also", scaled(kBlocks, 0.5, 0)), "q"),
       at(record("fast", scaled(kBlocks, 0.5, 0)), "q")});
}

std::vector<std::string> names_of(const Matrix& matrix) {
  std::vector<std::string> names;
  for (const MatrixRow& row : matrix.rows) names.push_back(row.name);
  return names;
}

TEST(ArmMatrix, HasTheBestArmFirstAndMarksTheWinners) {
  const Matrix matrix = arm_matrix(two_problems()).value();
  EXPECT_THAT(names_of(matrix), ElementsAre("fast", "also", "base", "slow"));
  ASSERT_EQ(matrix.columns.size(), 2U);
  EXPECT_EQ(matrix.columns[1].problem, "q");
  EXPECT_EQ(matrix.rows[0].cells[0].text, "2.00");
  EXPECT_EQ(matrix.rows[0].cells[0].place, Place::kFirst);
  EXPECT_EQ(matrix.rows[0].cells[1].place, Place::kShared);
  EXPECT_EQ(matrix.rows[1].cells[0].place, Place::kNone);
  EXPECT_EQ(matrix.rows[1].cells[1].place, Place::kShared);
  EXPECT_EQ(matrix.rows[2].cells[0].text, "1.000 ms");  // the baseline's own time
  EXPECT_EQ(matrix.rows[3].cells[0].text, "0.25");
  EXPECT_EQ(matrix.rows[3].cells[0].verdict, "slower");
  EXPECT_THAT(matrix.rows[0].cells[0].tip, HasSubstr("2.000x [2.000, 2.000]"));
}

TEST(ArmMatrix, OfMoreProblemsThanArmsHasARowForEachProblemInMarkdown) {
  EXPECT_THAT(to_markdown(two_problems()), HasSubstr("| arm | p, warm | q, warm |"));
  std::vector<Record> records;
  for (const char* problem : {"p", "q", "r"}) {
    records.push_back(at(baseline("base", kBlocks), problem));
    records.push_back(at(record("fast", scaled(kBlocks, 0.5, 0)), problem));
  }
  const std::string turned = to_markdown(make_report({{"name", "n"}}, records));
  EXPECT_THAT(turned, AllOf(HasSubstr("| problem | fast | base |"),
                            HasSubstr("| r, warm | **2.00** |"), Not(HasSubstr("| arm | p"))));
}

TEST(ArmMatrix, SaysWhatHasNoTimeAndPutsTheBaselinesCopyLast) {
  Record again = record("again", scaled(kBlocks, 0.999, 0.001));
  again.composition = "base";
  const Matrix matrix =
      arm_matrix(make_report(Manifest(), {baseline("base", kBlocks), again,
                                          without_time("x", CellStatus::kSkipped, "no")}))
          .value();
  EXPECT_THAT(names_of(matrix), ElementsAre("base", "x", "again"));
  EXPECT_EQ(matrix.rows[1].cells[0].text, "skip");
  EXPECT_FALSE(arm_matrix(make_report(Manifest(), {})));
}

TEST(ArmMatrix, AnUndecidedNumberAsks) {
  const auto noisy = scaled(steady(1e-3, 1, 6), 0.97, 0.2);
  const Matrix matrix = arm_matrix(make_report(Manifest(), {baseline("base", steady(1e-3, 1, 6)),
                                                            record("maybe", noisy)}))
                            .value();
  EXPECT_THAT(matrix.rows[0].cells[0].text, testing::EndsWith("?"));
}

Report ablation(const std::vector<TimingMode>& modes = {kUsualMode}) {
  std::mt19937 random(2);
  const Design design = truth::full(2);
  std::vector<Record> records;
  for (const TimingMode mode : modes) {
    for (Record& record : truth::records_from(design, {{0.5, 0.0}, {}}, 0.001, random)) {
      record.mode = mode;
      records.push_back(std::move(record));
    }
  }
  return make_report({{"name", "n"}, {"ablation", to_json(design)}}, std::move(records));
}

TEST(FactorMatrix, HasAllTogetherAndEachFactor) {
  const Matrix matrix = factor_matrix(ablation()).value();
  EXPECT_THAT(names_of(matrix), ElementsAre("all together", "a", "b"));
  EXPECT_EQ(matrix.rows[1].cells[0].text, "1.65");
  EXPECT_EQ(matrix.rows[1].cells[0].verdict, "better");
  EXPECT_EQ(matrix.rows[2].cells[0].verdict, "equal");
  EXPECT_FALSE(factor_matrix(two_problems()));
}

TEST(Answer, NamesWhoWinsWhere) {
  EXPECT_EQ(answer(two_problems()),
            "On 2 problems: also and fast are the fastest and indistinguishable in 1 of 2 cases "
            "(2.00x the speed of base); fast is the fastest in 1 of 2 cases (2.00x the speed of "
            "base). base takes 1.000 ms.");
}

// Gradients beside the operator itself, say: the baseline computes the one alone.
TEST(Answer, ComparesNothingWithABaselineThatHasNoTime) {
  Record skipped = without_time("base", CellStatus::kSkipped, "no");
  skipped.baseline = true;
  EXPECT_THAT(answer(make_report(Manifest(), {at(baseline("base", kBlocks), "p"),
                                              at(record("fast", scaled(kBlocks, 0.5, 0)), "p"),
                                              at(skipped, "q"), at(record("fast", kBlocks), "q"),
                                              at(record("slow", scaled(kBlocks, 2, 0)), "q")})),
              testing::StartsWith(
                  "On 2 problems: fast is the fastest everywhere (2.00x the speed of base)"));
  EXPECT_THAT(answer(make_report(Manifest(), {at(baseline("base", kBlocks), "p"),
                                              at(record("slow", scaled(kBlocks, 2, 0)), "p"),
                                              at(skipped, "q"), at(record("fast", kBlocks), "q"),
                                              at(record("slow", scaled(kBlocks, 2, 0)), "q")})),
              testing::HasSubstr("fast is the fastest in 1 of 2 cases. base takes"));
}

// A problem on which the other arm is skipped is no win of the one that is left.
TEST(Answer, CountsProblemsThatHaveNothingToCompareWith) {
  EXPECT_THAT(
      answer(make_report(Manifest(), {at(baseline("base", kBlocks), "p"),
                                      at(record("slow", scaled(kBlocks, 2, 0)), "p"),
                                      at(baseline("base", kBlocks), "q"),
                                      at(without_time("slow", CellStatus::kSkipped, "no"), "q"),
                                      at(without_time("base", CellStatus::kSkipped, "no"), "r")})),
      HasSubstr("On 3 problems: base, the baseline, is the fastest in 1 of 3 cases; only one arm "
                "has a time in 1 of 3 cases; no arm has a time in 1 of 3 cases."));
}

TEST(Answer, TellsFasterOneByOneFromFasterAsTheBest) {
  const auto blocks = steady(1e-3, 1, 6);
  std::vector<Record> records;
  for (const char* problem : {"p", "q"}) {
    records.push_back(at(baseline("base", blocks), problem));
    for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
      records.push_back(at(record(name, scaled(blocks, 0.97, 0.025)), problem));
    }
  }
  EXPECT_EQ(
      answer(make_report(Manifest(), records)),
      "On 2 problems: no arm is significantly faster than base everywhere (the best estimates "
      "are 1.03x; some arms are faster only as long as each is compared alone). base takes "
      "1.000 ms.");
}

TEST(Answer, OfAnAblationNamesWhatPays) {
  EXPECT_THAT(answer(ablation()),
              AllOf(HasSubstr("All factors together: 1.6"),
                    HasSubstr("the speed of the base, significantly faster"),
                    HasSubstr("a pays most, averaged over the other factors: 1.6"),
                    HasSubstr("No difference: b.")));
}

TEST(Answer, OfAnAblationHasALineForEachMode) {
  const Report report = ablation({TimingMode::kWarm, TimingMode::kCold});
  const std::vector<std::string> lines = lines_of(answer(report));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[0], testing::StartsWith("Mode warm: All factors together: 1.6"));
  EXPECT_THAT(lines[1], testing::StartsWith("Mode cold: All factors together: 1.6"));
  // What an interval is over is said once in a line.
  EXPECT_THAT(lines[0], testing::ContainsRegex("a pays most, averaged over the other factors: "
                                               "1.6[0-9]*x \\(1.6[0-9]*x to 1.6[0-9]*x\\)"));
  EXPECT_THAT(to_markdown(report), HasSubstr("\n\nMode cold: All"));
  EXPECT_THAT(to_paper(report),
              AllOf(HasSubstr("\n% Mode cold: All"),
                    HasSubstr("{Speed-up by each factor, averaged over the other factors: time")));
}

/// A factor that pays, one that makes no difference, and one that the noise hides.
Report ablation_with_doubt() {
  const Design design =
      truth::design_of(DesignKind::kAddOne, 3, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  std::mt19937 random(2);
  std::vector<Record> records = truth::records_from(design, {{0.5, 0.0, 0.0}, {}}, 0.0005, random);
  double sign = 1;
  for (SampleBlock& block : records.back().samples) {
    for (double& seconds : block.seconds) seconds *= 1 + sign * 0.2;
    sign = -sign;
  }
  return make_report({{"name", "n"}, {"ablation", to_json(design)}}, std::move(records));
}

TEST(Answer, KeepsWhatIsOpenApartFromWhatPaysNowhere) {
  EXPECT_THAT(answer(ablation_with_doubt()),
              AllOf(HasSubstr("No difference: b."), HasSubstr(" Undecided: c ")));
}

TEST(Answer, OfNoiseIsThatNothingIsSure) {
  std::mt19937 random(2);
  const Design design = truth::full(2);
  const Report report = make_report({{"name", "n"}, {"ablation", to_json(design)}},
                                    truth::records_from(design, {{0, 0}, {}}, 0.5, random));
  EXPECT_THAT(answer(report),
              AllOf(HasSubstr("the speed of the base, not significantly different"),
                    HasSubstr("No factor pays significantly"), HasSubstr("Undecided: ")));
}

TEST(Answer, CountsCellsWithoutATime) {
  EXPECT_EQ(answer(make_report(Manifest(), {at(without_time("a", CellStatus::kOk, ""), "p"),
                                            at(without_time("a", CellStatus::kOk, ""), "q")})),
            "All 2 cells are right; this device verifies and measures no time.");
  Report report =
      make_report(Manifest(), {at(baseline("base", kBlocks), "p"),
                               at(record("fast", scaled(kBlocks, 0.5, 0)), "p"),
                               at(without_time("bad", CellStatus::kWrong, "off"), "q")});
  EXPECT_THAT(answer(report), HasSubstr("Without a time: 1 wrong of 3 cells."));
}

TEST(Warnings, NameWhatALookAtTheTablesDoesNotShow) {
  EXPECT_THAT(warnings_of(make_report({{"status", "complete"}}, {baseline("base", kBlocks)})),
              IsEmpty());
  const nlohmann::json manifest{
      {"status", "interrupted"},
      {"plugins",
       {{{"name", "slow-build"}, {"optimized", false}, {"build_type", "Debug"}},
        {{"name", "unused"}, {"optimized", false}, {"build_type", ""}},
        {{"name", "good"}, {"optimized", true}, {"build_type", "Release"}}}},
      {"arms",
       {{{"name", "a"}, {"uses", {{{"variant", "slow-build"}}}}},
        {{"name", "b"}, {"uses", {{{"variant", "good"}}}}}}}};
  EXPECT_THAT(
      warnings_of(make_report(manifest, {without_time("a", CellStatus::kWrong, "off")})),
      ElementsAre("The run is interrupted: cells may be missing.",
                  "slow-build was built without optimization (Debug): the times of a say nothing "
                  "about the variant.",
                  "Wrong results, and so no time: captured/a/warm."));
}

TEST(Warnings, NameCellsOfThePlanWithoutARecord) {
  const nlohmann::json manifest{
      {"status", "complete"},
      {"plan", {{"cells", {"captured/base/warm", "captured/a/warm", "captured/b/warm"}}}}};
  EXPECT_THAT(warnings_of(make_report(manifest, {baseline("base", kBlocks)})),
              ElementsAre("2 of 3 cells of the plan have no record: captured/a/warm, "
                          "captured/b/warm."));
  EXPECT_THAT(to_terminal(make_report(manifest, {}), false),
              HasSubstr("3 of 3 cells of the plan have no record"));
}

/// Thirty tables of twenty arms.
Report large() {
  std::vector<Record> records;
  for (int p = 0; p < 10; ++p) {
    for (const TimingMode mode : {TimingMode::kWarm, TimingMode::kCold, TimingMode::kGraph}) {
      const std::string problem = "problem-" + std::to_string(p);
      records.push_back(at(baseline("base", steady(1e-3, 2, 2)), problem, mode));
      for (int arm = 1; arm < 20; ++arm) {
        records.push_back(at(record("an-arm-with-a-name-" + std::to_string(arm),
                                    scaled(steady(1e-3, 2, 2), 1.0 / arm, 0)),
                             problem, mode));
      }
    }
  }
  return make_report({{"name", "n"}, {"status", "stopped"}, {"device", {{"name", "GPU"}}}},
                     std::move(records));
}

TEST(Summary, TakesAScreenAtMost) {
  const std::string text = to_summary(large(), false);
  EXPECT_LE(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), kSummaryLines);
  EXPECT_THAT(text, HasSubstr("an-arm-with-a-name-19 is the fastest everywhere"));
  EXPECT_THAT(text, HasSubstr("\n  an-arm-with-a-name-19"));
  EXPECT_THAT(text, HasSubstr(" more arms\n"));
  EXPECT_THAT(text, HasSubstr("warning: The run is stopped"));
  std::istringstream lines(text.substr(text.find("  arm")));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120U) << line;
}

TEST(Summary, OfVerifiedArmsHasNoDashes) {
  const std::string text =
      to_summary(make_report({{"name", "n"}}, {at(without_time("a", CellStatus::kOk, ""), "p"),
                                               at(without_time("b", CellStatus::kOk, ""), "p")}),
                 false);
  EXPECT_THAT(text, HasSubstr("  a    right\n"));
  EXPECT_THAT(text, Not(HasSubstr("-")));
}

TEST(Summary, SaysHowSureItIs) {
  EXPECT_THAT(to_summary(make_report({{"name", "n"}}, {baseline("base", kBlocks),
                                                       record("x", scaled(kBlocks, 0.5, 0.01))}),
                         false),
              HasSubstr("95% interval 2.000x to 2.000x, 5 processes"));
}

// Ten problems in three modes: sentences stand in sections, not on the first screen.
TEST(ToHtml, OfALargeReportBeginsWithOneSentenceAndOnePicture) {
  const std::string html = to_html(large());
  const std::string first = html.substr(0, html.find("<nav"));
  EXPECT_THAT(first, HasSubstr("<p class=\"lead\">On 10 problems in 3 modes: "));
  EXPECT_THAT(first, Not(HasSubstr("Every other arm takes")));
  EXPECT_THAT(first, HasSubstr("★"));
  EXPECT_THAT(html, Not(HasSubstr("<details class=\"result\" id=\"t1\" open>")));
  EXPECT_THAT(html, HasSubstr("<a href=\"#t30\">"));
}

TEST(ToLatex, KeepsToTheWidthOfArticle) {
  const std::string text = to_latex(large());
  EXPECT_THAT(text, HasSubstr("\\begin{tabularx}{\\textwidth}"));
  EXPECT_THAT(text, HasSubstr("\\label{tab:problem-0-warm}"));
  EXPECT_THAT(text, HasSubstr("\\caption{problem-\\allowbreak{}0,"));
  EXPECT_THAT(text, Not(HasSubstr("GB/s")));
  EXPECT_THAT(text, HasSubstr("\\clearpage"));
}

}  // namespace
}  // namespace msda
