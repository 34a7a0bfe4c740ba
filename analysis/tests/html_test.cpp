#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "figures.hpp"
#include "report.hpp"
#include "synthetic.hpp"
#include "web.hpp"

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
  precise.relative_l2 = 1e-6;
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
  const std::vector<Figure> figures = figures_of(layouts_of(report));
  EXPECT_EQ(figures.size(), 5U);
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

TEST(Figures, ALoneArmHasNothingToBeComparedWith) {
  const Report report = make_report(nlohmann::json::object(), {baseline("base", steady(1e-3))});
  const std::vector<Figure> figures = figures_of(layouts_of(report));
  for (const Figure& figure : figures) {
    EXPECT_NE(figure.title, "Speedups");
    EXPECT_NE(figure.title, "Error against time");
  }
}

TEST(ToLatex, SetsNamesLiterally) {
  const std::string text =
      to_latex(make_report(nlohmann::json::object(), {baseline("a_b & 50% \\x^2", steady(1e-3))}));
  EXPECT_THAT(text, HasSubstr("a\\_b \\& 50\\% \\textbackslash{}x\\textasciicircum{}2 & "));
  EXPECT_THAT(text, HasSubstr("\\toprule"));
  EXPECT_THAT(text, HasSubstr("\\bottomrule"));
}

TEST(ToSamplesCsv, HasALineForEachBlock) {
  const std::string text = to_samples_csv(
      make_report(nlohmann::json::object(), {baseline("a,b", {{0, 3, {0.5, 0.25, 1.5}}})}));
  EXPECT_THAT(text, HasSubstr("captured,warm,\"a,b\",true,cpu,0,3,3,0.5,0.75,0.25,1.5\r\n"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
}

}  // namespace
}  // namespace msda
