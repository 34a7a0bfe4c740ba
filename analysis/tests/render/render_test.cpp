// Terminal and Markdown: what a person reads.
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/document.hpp"
#include "render/formats.hpp"
#include "render/text/summary.hpp"
#include "render/text/text.hpp"
#include "support/synthetic.hpp"

namespace msda {
namespace {

using synthetic::baseline;
using synthetic::record;
using synthetic::steady;
using synthetic::without_time;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

nlohmann::json full_manifest() {
  return {{"name", "quickstart"},
          {"summary", "a first look"},
          {"program_version", "0.1.0"},
          {"started", "2024-06-07T12:00:00Z"},
          {"device", {{"id", "cuda:0"}, {"name", "GPU X"}}},
          {"ceilings", {{"dram_bytes_per_second", 4e12}, {"gather_bytes_per_second", 32e12}}},
          {"status", "complete"}};
}

Report small_report() {
  return make_report(
      full_manifest(),
      {baseline("thread-per-channel", steady(1e-3, 2, 4)),
       record("größer-漢字", steady(2.5e-4, 2, 4)),
       without_time("clusters", CellStatus::kSkipped, "needs compute capability 9.0"),
       without_time("also", CellStatus::kSkipped, "needs compute capability 9.0"),
       without_time("broken", CellStatus::kFailed, "line 1\nline 2")});
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Terminal, WholeReport) {
  EXPECT_EQ(to_terminal(small_report(), false), R"(quickstart: a first look
GPU X (cuda:0), msda 0.1.0, 2024-06-07T12:00:00Z, run complete

captured, warm
größer-漢字 is the fastest: 4.000x the speed of thread-per-channel, which takes 1.000 ms (95% interval 4.000x to 4.000x, 2 processes). Without a time: 2 skipped, 1 failed.

  arm                 time [us]            ratio [95%]   GB/s  GFLOP/s   % SOL  rel. L2  verdict
  thread-per-channel     1000.0                 1.000x   4.00      8.0  0.2 L1  5.6e-04  baseline
  größer-漢字             250.0  4.000x [4.000, 4.000]  16.00     32.0  0.8 L1  5.6e-04  faster
  clusters                    -                      -      -        -       -        -  skipped [1]
  also                        -                      -      -        -       -        -  skipped [1]
  broken                      -                      -      -        -       -        -  failed [2]
  [1] needs compute capability 9.0
  [2] line 1
      line 2
95% intervals: Student t over the means of 2 processes.

ratio: baseline time / arm time, compared inside interleaved blocks; above 1 is faster. GB/s: the bytes that the problem has to move at least / time. FLOP/s: the operator's operations / time. % SOL: speed of light, the least time that the device's ceilings allow / time, and the memory whose ceiling it is. rel. L2: error against the float64 reference.
)");
}

TEST(Terminal, TheLegendSaysWhatTheOperatorsOfTheProblemsCount) {
  Report report = small_report();
  ProblemEntry& sums = report.manifest.problems.emplace_back();
  sums.op = "sums";
  sums.flops_are = "2 per row";
  EXPECT_THAT(to_terminal(report, false), HasSubstr("/ time. Operations: 2 per row. "));
  ProblemEntry& copy = report.manifest.problems.emplace_back();
  copy.op = "copy";
  copy.flops_are = "none";
  EXPECT_THAT(to_terminal(report, false), HasSubstr("Operations: copy none; sums 2 per row. "));
}

TEST(Terminal, ColumnsAlignInDisplayWidthAndNoLineEndsInSpaces) {
  for (const std::string& line : lines_of(to_terminal(small_report(), false))) {
    EXPECT_TRUE(line.empty() || line.back() != ' ') << line;
  }
}

TEST(Terminal, ColoursOnlyWhenAsked) {
  EXPECT_THAT(to_terminal(small_report(), false), Not(HasSubstr("\x1b[")));
  EXPECT_THAT(to_terminal(small_report(), true), HasSubstr("\x1b[32mfaster\x1b[0m"));
}

TEST(Terminal, EmptyRunAndBareManifest) {
  const Report empty = make_report(Manifest(), {});
  EXPECT_EQ(to_terminal(empty, false), std::string("MSDA Lab report\n\n") + kNoTables + "\n");
}

TEST(Terminal, NamesAndReasonsCannotSteerIt) {
  const Report report = make_report({{"name", "\x1b]0;x\x07"}},
                                    {without_time("a\x1b[2J", CellStatus::kFailed, "b\x1b[2J")});
  EXPECT_THAT(to_terminal(report, false), Not(HasSubstr("\x1b")));
}

TEST(Terminal, LongReasonsAreShortened) {
  std::string log;
  for (int line = 1; line <= 40; ++line) log += "line " + std::to_string(line) + "\n";
  const Report report =
      make_report(nlohmann::json::object(), {without_time("a", CellStatus::kFailed, log)});
  EXPECT_THAT(to_terminal(report, false), AllOf(HasSubstr("line 12\n"), Not(HasSubstr("line 13")),
                                                HasSubstr("... (28 more lines in records.jsonl)")));
}

TEST(Terminal, OneProcessSaysWhatItsIntervalLeavesOut) {
  const Report report = make_report(nlohmann::json::object(),
                                    {baseline("a", steady(2, 1, 4)), record("b", steady(1, 1, 4))});
  EXPECT_THAT(to_terminal(report, false),
              HasSubstr("\nIntervals: Student t over 4 blocks of one process; differences between "
                        "processes are not in them, so that they hold the truth less often than in "
                        "95% of runs."));
}

TEST(Terminal, SaysWhatTheTimeBudgetCutShort) {
  Record cut = record("b", steady(1, 1, 2));
  cut.stopped_by = "budget";
  const Report some = make_report(nlohmann::json::object(), {baseline("a", steady(2, 1, 4)), cut});
  EXPECT_THAT(to_terminal(some, false),
              HasSubstr("The time budget ended before all blocks of these had run: b.\n"));
  const Report all = make_report(nlohmann::json::object(), {cut});
  EXPECT_THAT(to_terminal(all, false),
              HasSubstr("The time budget ended before all blocks had run.\n"));
}

TEST(Markdown, TableFootnotesAndEscapes) {
  const Report report =
      make_report(full_manifest(), {baseline("a|b*_c", steady(1e-3, 2, 4)),
                                    without_time("<x>", CellStatus::kFailed, "```\ncode\n```"),
                                    without_time("y", CellStatus::kSkipped, "needs a|b")});
  const std::string text = to_markdown(report);
  EXPECT_THAT(text,
              testing::StartsWith("# quickstart: a first look\n\nGPU X (cuda:0), msda 0.1.0"));
  EXPECT_THAT(text, HasSubstr("\n## captured, warm\n"));
  EXPECT_THAT(text, HasSubstr("| :--- | ---: | ---: |"));
  EXPECT_THAT(text, HasSubstr("| a\\|b\\*\\_c | 1.000 | 1.000x |"));
  EXPECT_THAT(text, HasSubstr("| \\<x\\> | - |"));
  EXPECT_THAT(text, HasSubstr("````text\n```\ncode\n```\n````"));
  EXPECT_THAT(text, HasSubstr("\\[2\\] needs a\\|b"));
}

TEST(Notes, OfThePlanAreShown) {
  nlohmann::json manifest{{"plan", {{"notes", {"arm 'a_b' is left out"}}}}};
  const Report report = make_report(manifest, {});
  EXPECT_THAT(to_terminal(report, false), HasSubstr("note: arm 'a_b' is left out\n"));
  EXPECT_THAT(to_markdown(report), HasSubstr("Note: arm 'a\\_b' is left out\n"));
}

/// A manifest whose arms `best` and `tuned` stand for one composition.
nlohmann::json manifest_with_picks() {
  nlohmann::json manifest = full_manifest();
  for (const char* arm : {"best", "tuned"}) {
    manifest["plan"]["best"].push_back({{"arm", arm},
                                        {"problem", "captured"},
                                        {"mode", "graph"},
                                        {"composition", "corner-pair + smem-levels"},
                                        {"match", "exactly this shape"}});
  }
  return manifest;
}

TEST(WhatBestIs, StandsBelowTheTablesWithEachCompositionOnce) {
  const std::string text =
      to_markdown(make_report(manifest_with_picks(), {baseline("a", steady(1))}));
  EXPECT_LT(text.find("## captured, warm"), text.find("## What best is"));
  EXPECT_THAT(text,
              AllOf(HasSubstr("| best | captured, graph | \\[1\\] | exactly this shape |"),
                    HasSubstr("| tuned | captured, graph | \\[1\\] | exactly this shape |"),
                    HasSubstr("\n\\[1\\] corner-pair + smem-levels\n"), Not(HasSubstr("\\[2\\]"))));
}

TEST(WhatBestIs, IsALineForEachCellInTheTerminalAndNotInTheSummary) {
  const Report report = make_report(manifest_with_picks(), {baseline("a", steady(1))});
  const std::string text = to_terminal(report, false);
  EXPECT_THAT(text,
              AllOf(HasSubstr("\n  best   captured, graph  [1]          exactly this shape\n"),
                    HasSubstr("\n  [1] corner-pair + smem-levels\n")));
  EXPECT_LT(text.find("captured, warm"), text.find("What best is"));
  EXPECT_THAT(to_summary(report, false), Not(HasSubstr("smem-levels")));
}

TEST(Markdown, EmptyRun) {
  EXPECT_THAT(to_markdown(make_report({{"status", "running"}}, {})), HasSubstr(kNoTables));
  EXPECT_THAT(to_markdown(make_report(full_manifest(), {})), HasSubstr(kNoTablesAtAll));
}

/// 30 arms on 3 problems, the first of which is the baseline.
Report large_report() {
  std::vector<Record> records;
  for (const char* problem : {"p", "q", "r"}) {
    for (int i = 0; i < 30; ++i) {
      Record one = record(fmt::format("arm-{}", i), steady(1e-3 / (1 + i)));
      one.problem = problem;
      one.cell = cell_name(problem, one.arm, one.mode);
      one.baseline = i == 0;
      records.push_back(std::move(one));
    }
  }
  return make_report(nlohmann::json::object(), std::move(records));
}

TEST(Page, HasTheAnswerAFigureAndSixtyLinesOfTables) {
  std::istringstream page(to_page(large_report()));
  int rows = 0;
  for (std::string line; std::getline(page, line);) {
    rows += line.starts_with("| arm-") ? 1 : 0;
  }
  EXPECT_EQ(rows, 20 + 30);
  EXPECT_THAT(page.str(), HasSubstr("arm-29 is the fastest everywhere"));
  EXPECT_THAT(page.str(), HasSubstr("x-axis [\"arm-29\", \"arm-28\","));
  EXPECT_THAT(page.str(), HasSubstr("bar [30.0, 29.0,"));
}

TEST(Page, NamesTheTablesThatItLeavesOut) {
  const std::string page = to_page(large_report());
  EXPECT_THAT(page, HasSubstr("## p, warm\n"));
  EXPECT_THAT(page, HasSubstr("Tables that are left out: q, warm; r, warm."));
  EXPECT_THAT(page, HasSubstr("; the first 20 of 30\n"));
  EXPECT_THAT(to_page(make_report(nlohmann::json::object(),
                                  {baseline("a", steady(2e-3)), record("b", steady(1e-3))})),
              Not(HasSubstr("left out")));
}

TEST(Page, HasTheArmsOfAProblemBeforeHowTheRunWent) {
  Record prepared = record("prepared", steady(1e-3));
  prepared.parts = {{"clear", {{0, 0, {1e-5}}}}, {"kernel", {{0, 0, {1e-3}}}}};
  const std::string page = to_page(
      make_report(nlohmann::json::object(), {baseline("a", steady(2e-3)), std::move(prepared)}));
  EXPECT_LT(page.find("## captured, warm\n"), page.find("## Pre-passes\n"));
  EXPECT_THAT(page, HasSubstr("## Pre-passes\n"));
}

TEST(Page, AFigureSaysOnHowManyProblemsAnArmHasARatio) {
  Record of_q = record("b", steady(1e-3));
  of_q.problem = "q";
  of_q.cell = cell_name("q", "b", of_q.mode);
  Record base_of_q = baseline("a", steady(2e-3));
  base_of_q.problem = "q";
  base_of_q.cell = cell_name("q", "a", base_of_q.mode);
  const std::string page = to_page(
      make_report(nlohmann::json::object(), {baseline("a", steady(2e-3)), record("c", steady(1e-3)),
                                             std::move(base_of_q), std::move(of_q)}));
  EXPECT_THAT(page, HasSubstr("\"b, 1 of 2\""));
  EXPECT_THAT(page, HasSubstr("geometric mean of the problems that an arm has\""));
  EXPECT_THAT(page, HasSubstr("\"a\""));
}

TEST(Page, HasTheEnergyOfEachArmThatWasCounted) {
  ProcessRun first;
  first.power = PowerDraw{0.0648, 618, 1965};
  Record counted = record("counted", steady(1e-3));
  counted.processes = {first, ProcessRun()};
  const Report report =
      make_report(nlohmann::json::object(), {baseline("a", steady(2e-3)), std::move(counted)});
  EXPECT_THAT(to_page(report), HasSubstr("| problem | counted |"));
  EXPECT_THAT(to_page(report), HasSubstr("| captured, warm | 64.8 at 1965 |"));
  const nlohmann::json row = nlohmann::json::parse(to_json(report))["tables"][0]["rows"][1];
  EXPECT_EQ(row["joules"], 0.0648);
  EXPECT_EQ(row["busy_sm_clock_mhz"], 1965);
}

TEST(Answer, IsTheSentenceAndTheMatrix) {
  const std::string answer = to_answer(large_report());
  EXPECT_THAT(answer, StartsWith("On 3 problems"));
  EXPECT_THAT(answer, HasSubstr("arm-29"));
}

}  // namespace
}  // namespace msda
