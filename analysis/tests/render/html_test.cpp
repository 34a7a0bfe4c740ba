#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/document.hpp"
#include "render/figures/figures.hpp"
#include "render/formats.hpp"
#include "render/html/web.hpp"
#include "support/synthetic.hpp"

namespace msda {
namespace {

using synthetic::baseline;
using synthetic::record;
using synthetic::scaled;
using synthetic::steady;
using synthetic::without_time;
using testing::HasSubstr;
using testing::Not;

Report sample_report() {
  const auto blocks = steady(1e-3, 2, 6);
  Record precise = record("precise", scaled(blocks, 0.8, 0.01));
  precise.outputs.front().relative_l2 = 1e-6;
  return make_report(
      {{"name", "quick"},
       {"ceilings", {{"dram_bytes_per_second", 4e12}, {"gather_bytes_per_second", 3e13}}}},
      {baseline("base", blocks), record("fast", scaled(blocks, 0.5, 0.02)), precise,
       without_time("</script><b>\"x\" & y", CellStatus::kFailed, "<i>no & yes")});
}

const Figure& figure_of(const std::vector<Figure>& figures, const std::string& id) {
  return *std::find_if(figures.begin(), figures.end(),
                       [&](const Figure& figure) { return figure.id == id; });
}

TEST(ToHtml, AnswersFirstAndNeedsNoOtherFile) {
  const std::string html = to_html(sample_report());
  EXPECT_THAT(html, HasSubstr("<title>quick</title>"));
  EXPECT_LT(html.find("fast is the fastest"), html.find("<table>"));
  EXPECT_THAT(html, Not(HasSubstr("{{")));
  EXPECT_THAT(html, Not(HasSubstr("<link")));
  EXPECT_THAT(html, Not(HasSubstr("<script src")));
}

TEST(ToHtml, NamesCannotLeaveTheirPlace) {
  Report report = sample_report();
  report.tables[0].rows[1].record.arm = "</script><script>alert(1)</script>";
  const std::string html = to_html(report);
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(html, Not(HasSubstr("<b>\"x\"")));
  EXPECT_THAT(html, Not(HasSubstr("<i>no")));
  EXPECT_THAT(html, HasSubstr("&lt;i&gt;no &amp; yes"));
  if (has_vega()) {
    EXPECT_THAT(html, HasSubstr("\\u003c/script>"));
  }
}

TEST(ToHtml, InvalidUtf8DoesNotCostTheReport) {
  Report report = sample_report();
  report.tables[0].rows[1].record.arm = "a\xff";
  EXPECT_NO_THROW(to_html(report));
}

TEST(ToHtml, WithoutTablesSaysSo) {
  EXPECT_THAT(to_html(make_report(nlohmann::json::object(), {})),
              HasSubstr("No cell has finished"));
}

TEST(Figures, HoldTheNumbersOfTheTable) {
  const Report report = sample_report();
  const std::vector<Figure> figures = figures_of(sections_of(report));
  EXPECT_EQ(figures.size(), 6U);
  const auto& speedups = figure_of(figures, "f1-speedups").specification["data"][0]["values"];
  ASSERT_EQ(speedups.size(), 3U);
  EXPECT_EQ(speedups[1]["arm"], "fast");
  EXPECT_DOUBLE_EQ(speedups[1]["speedup"], *report.tables[0].rows[1].speedup);
  const auto& points = figure_of(figures, "f1-pareto").specification["data"][0]["values"];
  EXPECT_FALSE(points[0]["front"]);  // base: slower than fast, as accurate
  EXPECT_TRUE(points[1]["front"]);
  EXPECT_TRUE(points[2]["front"]);
  EXPECT_EQ(figure_of(figures, "f1-blocks").specification["data"][0]["values"].size(), 36U);
}

// A DRAM ceiling of 4 TB/s and a gather ceiling of 30 TB/s meet at a reuse of 7.5; the records
// gather 64 MB, 16 times what they need from DRAM, in 1 ms and less.
TEST(Figures, TheRooflineHasTheCeilingsAndEveryArm) {
  const Report report = sample_report();
  const std::vector<Figure> figures = figures_of(sections_of(report));
  const auto& values = figure_of(figures, "f1-roofline").specification["data"][0]["values"];
  ASSERT_EQ(values.size(), 6U);  // three arms with a time, three points of the roof
  EXPECT_DOUBLE_EQ(values[0]["reuse"], 16);
  EXPECT_NEAR(values[0]["rate"], 64e9, 1);
  EXPECT_FALSE(values[0]["best"]);
  EXPECT_TRUE(values[1]["best"]);
  EXPECT_DOUBLE_EQ(values[3]["rate"], 4e12 * 7.5 / 1.5);
  EXPECT_DOUBLE_EQ(values[4]["reuse"], 7.5);
  EXPECT_DOUBLE_EQ(values[4]["rate"], 30e12);
  EXPECT_DOUBLE_EQ(values[5]["rate"], 30e12);
}

TEST(Figures, BlocksStandByProcess) {
  Record late = record("late", {{1, 0, {2e-3}}, {1, 1, {2e-3}}});
  const Report report =
      make_report(nlohmann::json::object(), {baseline("base", steady(1e-3, 2, 2)), late});
  const std::vector<Figure> figures = figures_of(sections_of(report));
  const auto& values = figure_of(figures, "f1-blocks").specification["data"][0]["values"];
  ASSERT_EQ(values.size(), 6U);
  EXPECT_EQ(values[4]["index"], 2);  // the first block of the second process, of both arms
  EXPECT_EQ(values[2]["index"], 2);
  EXPECT_EQ(values[4]["process"], 1);
}

TEST(Figures, ThatStandAloneHaveATitle) {
  const Report report = sample_report();
  const Figure figure = figures_of(sections_of(report)).front();
  EXPECT_EQ(standalone(figure)["title"]["text"], "Speedups: captured, warm");
  EXPECT_FALSE(figure.specification.contains("title"));
}

TEST(Figures, ALoneArmHasNothingToBeComparedWith) {
  const Report report = make_report(nlohmann::json::object(), {baseline("base", steady(1e-3))});
  const std::vector<Figure> figures = figures_of(sections_of(report));
  for (const Figure& figure : figures) {
    EXPECT_NE(figure.title, "Speedups");
    EXPECT_NE(figure.title, "Error against time");
  }
}

TEST(ToLatex, SetsNamesLiterally) {
  const std::string text =
      to_latex(make_report(nlohmann::json::object(), {baseline("a_b & 50% \\x^2", steady(1e-3))}));
  EXPECT_THAT(text,
              HasSubstr("a\\_\\allowbreak{}b \\& 50\\% \\textbackslash{}x\\textasciicircum{}2 & "));
  EXPECT_THAT(text, HasSubstr("\\toprule"));
  EXPECT_THAT(text, HasSubstr("\\bottomrule"));
}

TEST(ToSamplesCsv, HasALineForEachBlock) {
  const std::string text = to_samples_csv(make_report(
      nlohmann::json::object(), {baseline("a,b", {{0, 3, {0.5, 0.25, 1.5}, {"hw-thermal"}}})}));
  EXPECT_THAT(text,
              HasSubstr("captured,warm,\"a,b\",true,cpu,0,3,3,0.5,0.75,0.25,1.5,hw-thermal\r\n"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
}

}  // namespace
}  // namespace msda
