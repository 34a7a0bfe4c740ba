// The page of a report in a real browser: everything is drawn, nothing is wrong, nothing sticks
// out.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/enumerate.hpp"
#include "files/temporary_directory.hpp"
#include "render/document.hpp"
#include "render/figures/figures.hpp"
#include "render/formats.hpp"
#include "render/html/web.hpp"
#include "support/synthetic.hpp"

namespace msda {
namespace {

/// Five processes of every point of the design.
void add_problem(const std::string& problem, TimingMode mode, const Design& design,
                 std::vector<Record>& records) {
  for (const DesignPoint& point : design.points) {
    double seconds = 1e-3;
    for (const auto level : point.levels) seconds *= level != 0 ? 0.8 : 1.0;
    Record record = synthetic::record(point.arm, synthetic::steady(seconds, 5, 6));
    record.problem = problem;
    record.cell = problem + "/" + point.arm;
    record.mode = mode;
    record.baseline = point.arm == "base";
    record.outputs.front().relative_l2 *= static_cast<double>(records.size() % 5 + 1);
    records.push_back(std::move(record));
  }
}

/// What an arm with `use: best` stands for: texts as long as real ones.
nlohmann::json long_pick() {
  return {{"arm", "best-1-byte"},
          {"problem", "a_long_name+of/a-problem-that-does-not-fit"},
          {"mode", "warm"},
          {"composition",
           "corner-pair{interleaved=1,threads=512,width=0} + "
           "l2-hints{bypass-l1=0,stream=true,stream-past-l1=true,value=default} + "
           "smem-levels{budget=76,copy=bulk,heads=1,meanwhile=wait,padding=0}"},
          {"match",
           "the nearest shape, a_long_name+of/a-problem-that-does-not-fit (3.3 doublings away), on "
           "this model; found 2026-11-22, 1.286x over fastest"}};
}

/// A full factorial over three factors, two problems, two modes, claims, what best stands for, and
/// names that need care.
Report sample_report() {
  Design design;
  design.kinds = {DesignKind::kFull, DesignKind::kLadder};
  design.factors = {
      {"wide-loads", {"off", "on"}}, {"</script>", {"off", "on"}}, {"c&d", {"off", "on"}}};
  design.orders = {{0, 1, 2}};
  for (const Levels& levels : full_points(design.factors)) {
    design.points.push_back({arm_name(design.factors, levels), levels});
  }
  std::vector<Record> records;
  for (const char* problem : {"captured", "a_long_name+of/a-problem-that-does-not-fit"}) {
    add_problem(problem, TimingMode::kWarm, design, records);
    add_problem(problem, TimingMode::kCold, design, records);
  }
  const nlohmann::json claim = {{"text", "as fast as light"},
                                {"source", "a paper"},
                                {"arm", "all"},
                                {"quantity", "speedup"},
                                {"value", "2.0x"},
                                {"low", 1.95},
                                {"high", 2.05}};
  return make_report(
      {{"name", "in a browser"},
       {"ablation", to_json(design)},
       {"claims", {claim}},
       {"plan", {{"best", nlohmann::json::array({long_pick()})}}},
       {"ceilings", {{"dram_bytes_per_second", 4e12}, {"gather_bytes_per_second", 3e13}}}},
      records);
}

std::string read(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

bool has_chromium() { return std::system("command -v chromium > /dev/null 2>&1") == 0; }

class Browser : public testing::TestWithParam<int> {};

TEST_P(Browser, DrawsEveryFigureWithinTheWidth) {
  if (!has_chromium()) GTEST_SKIP() << "there is no chromium";
  if (!has_vega()) GTEST_SKIP() << "built without libjs-vega";
  const TemporaryDirectory directory;
  const Report report = sample_report();
  std::string page = to_html(report);
  // What only the browser knows, as attributes that its dump shows.
  page.insert(
      page.rfind("</body>"),
      "<script>for (const section of document.querySelectorAll('details')) section.open = true;"
      "setInterval(() => { const root = document.documentElement;"
      "root.dataset.overflow = root.scrollWidth - root.clientWidth;"
      "root.dataset.empty = Array.from(document.querySelectorAll('figure svg'),"
      "svg => svg.getBoundingClientRect()).filter(r => r.width < 50 || r.height < 30).length;"
      "root.dataset.cut = Array.from(document.querySelectorAll('figure svg text')).filter(text => {"
      "const r = text.getBoundingClientRect(); return text.textContent.includes('\u2026') ||"
      "(r.width > 0 && (r.left < -1 || r.right > root.clientWidth + 1)); }).length;"
      "root.dataset.scrolled = Array.from(document.querySelectorAll('.scroll')).filter("
      "box => box.scrollWidth > box.clientWidth + 1).length;"
      "}, 50);</script>");
  std::ofstream(directory.path() / "page.html") << page;
  const std::string command = fmt::format(
      "cd '{}' && timeout 100 chromium --headless --no-sandbox --disable-gpu "
      "--user-data-dir=profile "
      "--window-size={},900 --virtual-time-budget=20000 --enable-logging=stderr --dump-dom "
      "page.html > dom.html 2> log.txt",
      directory.path().string(), GetParam());
  ASSERT_EQ(std::system(command.c_str()), 0) << read(directory.path() / "log.txt");

  const std::string dom = read(directory.path() / "dom.html");
  const std::size_t figures = figures_of(sections_of(report)).size();
  std::string names;
  for (const Figure& figure : figures_of(sections_of(report))) names += " " + figure.id;
  // Five for each of four tables and four for each one's effects; for each of two modes a roofline
  // and three kinds of effects over problems.
  EXPECT_EQ(figures, 40U) << names;
  EXPECT_THAT(dom, testing::HasSubstr(fmt::format("data-drawn=\"{}\"", figures)));
  EXPECT_THAT(dom, testing::HasSubstr("data-overflow=\"0\""));
  EXPECT_THAT(dom, testing::HasSubstr("data-empty=\"0\""));
  EXPECT_THAT(dom, testing::HasSubstr("data-cut=\"0\""));       // no label
  EXPECT_THAT(dom, testing::HasSubstr("data-scrolled=\"0\""));  // no column
  EXPECT_THAT(read(directory.path() / "log.txt"), testing::Not(testing::HasSubstr("CONSOLE")));
}

INSTANTIATE_TEST_SUITE_P(Widths, Browser, testing::Values(1280, 390));

}  // namespace
}  // namespace msda
