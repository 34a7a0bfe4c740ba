// Reports and figures of a run, as the program prints them.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/property_tree/xml_parser.hpp>
#include <nlohmann/json.hpp>

#include "support/support.hpp"

namespace msda::test {
namespace {

using testing::HasSubstr;

TEST(CliReport, NeedsARun) {
  const TemporaryDirectory directory;
  EXPECT_EQ(run({"report", directory.path()}).exit_code, 2);
  EXPECT_THAT(run({"report", directory.path(), "--format", "jsn"}).err,
              HasSubstr("did you mean 'json'?"));
}

/// The one line that a command ends with.
std::string only_line(const Outcome& outcome) {
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  return outcome.err;
}

TEST(CliReport, SaysInItsOwnWordsWhichFileCannotBeUsed) {
  const TemporaryDirectory directory;
  const std::string results = run_with_claim(directory);
  const Outcome figures = run({"report", results, "--figures", "/proc/x"});
  EXPECT_EQ(figures.exit_code, 3);
  EXPECT_THAT(only_line(figures), HasSubstr("msda: cannot write into the directory /proc/x: "));
  // Nothing can be known of a link to itself, as of what lies in a directory without permission.
  const auto loop = directory.path() / "loop";
  std::filesystem::create_symlink(loop, loop);
  const Outcome alone = run({"compare", results});
  EXPECT_THAT(alone.err, testing::HasSubstr("compare: give another DIR; usage: "));
  const Outcome unknown = run({"report", loop});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(only_line(unknown), HasSubstr("msda: cannot read " + loop.string() + ": "));
  const auto records = std::filesystem::path(results) / "records.jsonl";
  std::filesystem::remove(records);
  std::filesystem::create_symlink(records, records);
  EXPECT_THAT(only_line(run({"report", results})),
              HasSubstr("msda: cannot read " + records.string() + ": "));
}

TEST(CliCompare, SaysByItsExitCodeWhetherSomethingIsWorseThanTheThreshold) {
  const TemporaryDirectory directory;
  const auto results = [&](const char* milliseconds) {
    const auto file = directory.write(
        "x.yaml", fmt::format("device: cpu\n"
                              "problems: [{{name: p, queries: 2, levels: [[3, 3]]}}]\n"
                              "arms: [{{name: a, use: [{{fixture: {{milliseconds: {}}}}}]}}]\n"
                              "measure: {{noise_pair: false, processes: 1, blocks: 3, samples: 2, "
                              "warmup: 0}}\n",
                              milliseconds));
    const std::string place = directory.path() / milliseconds;
    EXPECT_EQ(run({"run", file, "--output", place}, told_program()).exit_code, 0);
    return place;
  };
  const std::string fast = results("2");
  const std::string slow = results("3");
  const auto code = [&](const std::string& before, const std::string& after,
                        const std::string& threshold) {
    const Outcome outcome = run({"compare", before, after, "--threshold", threshold});
    return outcome.exit_code == 2 ? outcome.err : std::to_string(outcome.exit_code);
  };
  EXPECT_EQ(run({"compare", fast, slow}).exit_code, 1);
  EXPECT_EQ(run({"compare", slow, fast}).exit_code, 0);
  EXPECT_EQ(code(fast, slow, "30%"), "1");
  EXPECT_EQ(code(fast, slow, "0.3"), "1");
  EXPECT_EQ(code(fast, slow, "40%"), "0");
  EXPECT_EQ(code(fast, slow, "0.4"), "0");
  for (const char* none : {"0", "100%", "1", "-1%", "5x", "5%%", "%"}) {
    EXPECT_THAT(code(fast, slow, none), HasSubstr("is not a share such as 1% or 0.01")) << none;
  }
  EXPECT_THAT(code(fast, slow, ""), HasSubstr("compare: --threshold is empty, as of a variable"));
}

TEST(CliReport, PrintsEveryFormat) {
  const TemporaryDirectory directory;
  const auto file = directory.write(
      "x.yaml",
      "device: cpu\n"
      "problems: [{name: p, queries: 2, levels: [[3, 3]]}]\n"
      "arms: [fixture]\nmeasure: {noise_pair: false, processes: 1, blocks: 2, samples: 1}\n");
  const std::string results = directory.path() / "results";
  ASSERT_EQ(run({"run", file, "--output", results}).exit_code, 0);
  EXPECT_THAT(run({"report", results}).out, HasSubstr("fixture"));
  EXPECT_THAT(run({"report", results, "--format", "md"}).out, HasSubstr("| "));
  EXPECT_THAT(run({"report", results, "--format", "csv"}).out, HasSubstr(","));
  EXPECT_TRUE(nlohmann::json::parse(run({"report", results, "--format", "json"}).out).is_object());
}

TEST(CliReport, JoinsTheClaimsOfSeveralRuns) {
  const TemporaryDirectory directory;
  const std::string results = run_with_claim(directory);
  const Outcome joined = run({"report", "--claims", results, results, "--format", "md"});
  EXPECT_EQ(joined.exit_code, 0) << joined.err;
  EXPECT_THAT(joined.out, HasSubstr("Of 2 checks: 2 opposite."));
  EXPECT_THAT(joined.out, HasSubstr("| run | source |"));
  EXPECT_THAT(joined.out, HasSubstr("| claims | a test | slow is fast |"));
  EXPECT_THAT(run({"report", results, results}).err, HasSubstr("--claims"));
  EXPECT_THAT(run({"report", "--claims", results, "--format", "html"}).err,
              HasSubstr("terminal, md, tex"));
}

TEST(CliReport, InBriefHasWhatIsOfAllProblems) {
  const TemporaryDirectory directory;
  const std::string results = run_with_claim(directory);
  const Outcome brief = run({"report", results, "--brief", "--format", "md"});
  EXPECT_EQ(brief.exit_code, 0) << brief.err;
  EXPECT_THAT(brief.out, HasSubstr("## Claims"));
  EXPECT_THAT(brief.out, testing::Not(HasSubstr("## p, warm")));
  EXPECT_THAT(run({"report", results}).out, HasSubstr("p, warm\n"));
  EXPECT_THAT(run({"report", results, "--brief", "--format", "csv"}).err,
              HasSubstr("report: --brief has no format 'csv'; there are: terminal, md, tex"));
  EXPECT_EQ(run({"report", results, "--brief", "--figures", "x"}).exit_code, 2);
}

TEST(CliReport, DrawsFiguresOrSaysWhatIsMissing) {
  const TemporaryDirectory directory;
  const std::string results = run_with_claim(directory);
  const auto figures = directory.path() / "figures";
  const Outcome outcome = run({"report", results, "--figures", figures});
  if (outcome.exit_code == 3) {
    EXPECT_THAT(outcome.err, testing::AnyOf(HasSubstr("nodejs"), HasSubstr("libjs-vega")));
    GTEST_SKIP() << outcome.err;
  }
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("f1-speedups.svg  Speedups: p, warm"));
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(figures)) {
    ++count;
    EXPECT_EQ(entry.path().extension(), ".svg");
    boost::property_tree::ptree svg;
    ASSERT_NO_THROW(boost::property_tree::read_xml(entry.path(), svg)) << entry.path();
    EXPECT_TRUE(svg.get_child_optional("svg.g")) << entry.path();
  }
  EXPECT_GE(count, 4);
  std::ifstream stream(figures / "f1-speedups.svg");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_THAT(text, HasSubstr("Speedups: p, warm"));
  EXPECT_THAT(text, HasSubstr(">slow<"));
  EXPECT_THAT(text, HasSubstr("mark-symbol"));
}

}  // namespace
}  // namespace msda::test
