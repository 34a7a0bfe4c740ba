// Arms with pre-passes: the split of their time, and how reports show it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/formats.hpp"
#include "render/tables/tables.hpp"
#include "render/words/words.hpp"
#include "statistics/outside.hpp"
#include "support/synthetic.hpp"

namespace msda {
namespace {

using synthetic::baseline;
using synthetic::record;
using synthetic::steady;
using testing::HasSubstr;
using testing::Not;

/// 100 us without its pre-passes of 2 and 48 us; 151 us as a whole.
Record sorted() {
  Record result = record("sorted", steady(151e-6, 2, 4));
  result.parts = {{"clear", steady(2e-6, 2, 4)},
                  {"spatial-order", steady(48e-6, 2, 4)},
                  {"kernel", steady(100e-6, 2, 4)}};
  return result;
}

Report sample_report() {
  return make_report({{"name", "n"}}, {baseline("base", steady(200e-6, 2, 4)), sorted()});
}

TEST(Prepasses, SplitAddsUpAndComparesTheKernelAlone) {
  const Report report = sample_report();
  const Row& row = report.tables.at(0).rows.at(1);
  ASSERT_TRUE(row.prepasses);
  EXPECT_NEAR(row.prepasses->prepass_seconds(), 50e-6, 1e-12);
  EXPECT_NEAR(row.prepasses->total_seconds(), 150e-6, 1e-12);
  EXPECT_NEAR(row.prepasses->share(), 1.0 / 3, 1e-9);
  EXPECT_NEAR(row.prepasses->without.value().ratio, 2, 1e-9);
  EXPECT_NEAR(row.speedup.value(), 200.0 / 151, 1e-9);
  EXPECT_FALSE(report.tables.at(0).rows.at(0).prepasses);
}

TEST(Prepasses, ABaselineThatHasThemIsComparedWithItself) {
  Record whole = sorted();
  whole.baseline = true;
  const Report report = make_report(nlohmann::json::object(), {whole});
  EXPECT_NEAR(report.tables.at(0).rows.at(0).prepasses->without.value().ratio, 1.51, 1e-9);
}

TEST(Prepasses, WithoutABaselineThereIsNoRatio) {
  const Report report = make_report(nlohmann::json::object(), {sorted()});
  const auto section = prepass_section(report);
  ASSERT_TRUE(section);
  EXPECT_EQ(section->rows.at(0).at(6), "-");
  EXPECT_EQ(section->rows.at(0).at(7), "-");
  EXPECT_EQ(section->verdicts.at(0), "undecided");
}

TEST(Prepasses, TerminalShowsATableOfTheirOwn) {
  const std::string text = to_terminal(sample_report(), false);
  EXPECT_THAT(text, HasSubstr(R"(
Pre-passes
What runs beside the main kernel, and what the arm would be worth if it cost nothing.

  arm     problem         beside the kernel [us]          kernel [us]  total [us]  share            ratio [95%]          without [95%]  verdict without
  sorted  captured, warm  clear 2.0 + spatial-order 48.0        100.0       150.0  33.3%  1.325x [1.325, 1.325]  2.000x [2.000, 2.000]  faster
)"));
}

TEST(Prepasses, WhatIsOutsideOfTheArmsTimeIsMarked) {
  Record packed = record("packed", steady(100e-6, 2, 4));
  packed.parts = {{"prepare", steady(48e-6, 2, 4), true}, {"kernel", steady(100e-6, 2, 4)}};
  const Report report =
      make_report({{"name", "n"}}, {baseline("base", steady(200e-6, 2, 4)), packed});
  EXPECT_NEAR(report.tables.at(0).rows.at(1).speedup.value(), 2, 1e-9);
  EXPECT_THAT(to_markdown(report),
              HasSubstr("| packed | captured, warm | prepare 48.0 (outside) |"));
  const nlohmann::json rows = nlohmann::json::parse(to_json(report))["tables"][0]["rows"];
  EXPECT_EQ(rows[1]["prepasses"]["before"][0]["outside"], true);
}

TEST(Prepasses, TheHeadlineSaysWhatIsOutsideAndWhatTheArmIsWorthWithIt) {
  Record packed = record("packed", steady(100e-6, 2, 4));
  packed.parts = {{"prepare", steady(300e-6, 2, 4), true}, {"kernel", steady(100e-6, 2, 4)}};
  const Report report =
      make_report({{"name", "n"}}, {baseline("base", steady(200e-6, 2, 4)), packed});
  const Record& base = report.tables.at(0).rows.at(0).record;
  EXPECT_NEAR(ratio_with_outside(packed, base).value().ratio, 0.5, 1e-9);
  EXPECT_THAT(headline(report.tables.at(0)),
              HasSubstr("packed does a part of its work outside the timed part: with that part "
                        "0.500x the speed of the baseline."));
  EXPECT_FALSE(ratio_with_outside(sorted(), base));
}

TEST(Prepasses, TheAnswerOfSeveralProblemsSaysWhatIsOutsideToo) {
  std::vector<Record> records;
  for (const char* problem : {"p", "q"}) {
    records.push_back(baseline("base", steady(200e-6, 2, 4)));
    records.back().problem = problem;
    records.push_back(record("packed", steady(100e-6, 2, 4)));
    records.back().problem = problem;
    records.back().parts = {{"prepare", steady(300e-6, 2, 4), true},
                            {"kernel", steady(100e-6, 2, 4)}};
  }
  EXPECT_THAT(answer(make_report({{"name", "n"}}, std::move(records))),
              HasSubstr(" packed does a part of its work outside the timed part: with that part "
                        "0.50x the speed of the baseline."));
}

/// A thread of the arm goes on with what `prepare` began, while nothing is timed.
TEST(Prepasses, WhatAnOutsidePartLeavesToBeDoneCountsWithIt) {
  Record packed = record("packed", steady(10e-6, 2, 4));
  packed.parts = {{"prepare", steady(50e-6, 2, 4), true}, {"kernel", steady(350e-6, 2, 4)}};
  const Record base = baseline("base", steady(200e-6, 2, 4));
  EXPECT_NEAR(ratio_with_outside(packed, base).value().ratio, 0.5, 1e-9);
}

TEST(Prepasses, MarkdownShowsThemToo) {
  const std::string text = to_markdown(sample_report());
  EXPECT_THAT(text, HasSubstr("\n## Pre-passes\n"));
  EXPECT_THAT(text, HasSubstr("| sorted | captured, warm | clear 2.0 + spatial-order 48.0 |"));
}

TEST(Prepasses, JsonHasMediansAndNoSamples) {
  const nlohmann::json rows = nlohmann::json::parse(to_json(sample_report()))["tables"][0]["rows"];
  EXPECT_TRUE(rows[0]["prepasses"].is_null());
  const nlohmann::json& prepasses = rows[1]["prepasses"];
  EXPECT_EQ(prepasses["before"][1]["name"], "spatial-order");
  EXPECT_EQ(prepasses["before"][1]["median_seconds"], 48e-6);
  EXPECT_EQ(prepasses["kernel_seconds"], 100e-6);
  EXPECT_EQ(prepasses["without"]["verdict"], "faster");
  EXPECT_NEAR(prepasses["without"]["speedup_95"]["low"].get<double>(), 2, 1e-9);
  EXPECT_FALSE(rows[1]["record"].contains("parts"));
}

TEST(Prepasses, CsvHasThemByName) {
  const std::string text = to_csv(sample_report());
  EXPECT_THAT(text, HasSubstr(",clear=2e-06;spatial-order=4.8e-05,"));
  EXPECT_THAT(text, HasSubstr(",before_kernel,prepass_seconds,kernel_seconds,"));
}

TEST(Prepasses, NoTableWhereNoArmHasAny) {
  const Report report = make_report({{"name", "n"}}, {baseline("base", steady(2e-4, 2, 4))});
  EXPECT_FALSE(prepass_section(report));
  EXPECT_THAT(to_terminal(report, false), Not(HasSubstr("Pre-passes")));
  EXPECT_THAT(to_markdown(report), Not(HasSubstr("Pre-passes")));
}

}  // namespace
}  // namespace msda
