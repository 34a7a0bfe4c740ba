// CSV, JSON and the files of a run: what a program reads.
#include <fstream>
#include <limits>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files/temporary_directory.hpp"
#include "render/document.hpp"
#include "render/figures/figures.hpp"
#include "render/formats.hpp"
#include "render/tables/tables.hpp"
#include "support/synthetic.hpp"

namespace msda {
namespace {

using synthetic::baseline;
using synthetic::record;
using synthetic::steady;
using synthetic::without_time;
using testing::HasSubstr;

/// A reader of RFC 4180 that is independent of the writer.
std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows(1, std::vector<std::string>(1));
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    std::string& field = rows.back().back();
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      field += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      rows.back().emplace_back();
    } else if (!quoted && c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
      ++i;
      rows.emplace_back(1);
    } else {
      field += c;
    }
  }
  rows.pop_back();  // the last line end opens an empty row
  return rows;
}

std::string field_of(const std::vector<std::vector<std::string>>& rows, std::size_t row,
                     const std::string& column) {
  const auto found = std::find(rows[0].begin(), rows[0].end(), column);
  return found == rows[0].end() ? "no column " + column
                                : rows[row][static_cast<std::size_t>(found - rows[0].begin())];
}

Report sample_report() {
  Record wrong = without_time("wrong", CellStatus::kWrong, "NaN, \"everywhere\"\nline 2");
  wrong.outputs.front().relative_l2 = std::numeric_limits<double>::quiet_NaN();
  return make_report({{"name", "n"}}, {baseline("base", steady(2e-3, 2, 4)),
                                       record("a,b", steady(1e-3, 2, 4)), wrong});
}

TEST(Csv, OfAnAblationHasTheLevelOfEachFactor) {
  Design design;
  design.kinds = {DesignKind::kFull};
  design.factors = {{"unroll", {"off", "on"}}, {"threads", {"256", "512"}}};
  design.points = {{"base", {0, 0}}, {"base+unroll", {1, 0}}, {"all", {1, 1}}};
  const auto rows = parse_csv(to_csv(
      make_report(nlohmann::json{{"ablation", to_json(design)}},
                  {baseline("base", steady(2e-3, 2, 4)), record("base+unroll", steady(1e-3, 2, 4)),
                   record("all", steady(1e-3, 2, 4)), record("other", steady(1e-3, 2, 4))})));
  ASSERT_EQ(rows.size(), 5U);
  for (const auto& row : rows) EXPECT_EQ(row.size(), rows[0].size());
  EXPECT_EQ(field_of(rows, 1, "factor_unroll"), "off");
  EXPECT_EQ(field_of(rows, 2, "factor_unroll"), "on");
  EXPECT_EQ(field_of(rows, 2, "factor_threads"), "256");
  EXPECT_EQ(field_of(rows, 3, "factor_threads"), "512");
  EXPECT_EQ(field_of(rows, 4, "factor_threads"), "") << "it is no point of the design";
}

TEST(Csv, OneRowForEachCellWithAllColumns) {
  const auto rows = parse_csv(to_csv(sample_report()));
  ASSERT_EQ(rows.size(), 4U);
  for (const auto& row : rows) EXPECT_EQ(row.size(), rows[0].size());
  EXPECT_EQ(field_of(rows, 1, "arm"), "base");
  EXPECT_EQ(field_of(rows, 1, "baseline"), "true");
  EXPECT_EQ(field_of(rows, 1, "samples"), "24");
  EXPECT_EQ(field_of(rows, 2, "arm"), "a,b");
  EXPECT_DOUBLE_EQ(std::stod(field_of(rows, 2, "median_seconds")), 1e-3);
  EXPECT_NEAR(std::stod(field_of(rows, 2, "speedup_95_low")), 2, 1e-9);
  EXPECT_EQ(field_of(rows, 2, "replication"), "processes");
  EXPECT_EQ(field_of(rows, 2, "replicates"), "2");
  EXPECT_EQ(field_of(rows, 2, "speed_of_light"), "");
  EXPECT_EQ(field_of(rows, 3, "median_seconds"), "");
  EXPECT_EQ(field_of(rows, 3, "relative_l2"), "NaN");
  EXPECT_EQ(field_of(rows, 3, "reason"), "NaN, \"everywhere\"\nline 2");
}

TEST(Csv, WhatASpreadsheetWouldTakeForAFormulaIsText) {
  for (const std::string reason :
       {"=HYPERLINK(\"x\")", "+1", "-1", "@SUM(A1)", "\t=1", "\r\n=1", "\n=1"}) {
    const auto rows = parse_csv(to_csv(
        make_report({{"name", "n"}}, {without_time("+unroll", CellStatus::kFailed, reason)})));
    EXPECT_EQ(field_of(rows, 1, "reason"), "'" + reason);
    EXPECT_EQ(field_of(rows, 1, "arm"), "'+unroll");
  }
}

TEST(Csv, HiddenCharactersShow) {
  const auto rows = parse_csv(to_csv(make_report(
      {{"name", "n"}}, {without_time("a\u202eb", CellStatus::kFailed, "red \x1b[31m\u2066")})));
  EXPECT_EQ(field_of(rows, 1, "arm"), R"(a\u202eb)");
  EXPECT_EQ(field_of(rows, 1, "reason"), R"(red \x1b[31m\u2066)");
}

TEST(Csv, EmptyRunHasTheHeaderAlone) {
  EXPECT_EQ(parse_csv(to_csv(make_report(nlohmann::json::object(), {}))).size(), 1U);
}

/// Problems that differ in their batch alone.
Report sweep_over_batch() {
  Manifest manifest;
  std::vector<Record> records;
  for (const int batch : {4, 1, 2}) {
    ProblemSpec spec;
    spec.problem.name = "b" + std::to_string(batch);
    spec.problem.batch = batch;
    spec.problem.levels = {{8, 16}, {4, 8}};
    spec.generation.distribution = Distribution::kLocal;
    manifest.problems.push_back(entry_of(spec));
    for (Record one : {baseline("base", steady(batch * 1e-3, 2, 4)),
                       record("fast", steady(batch * 0.5e-3, 2, 4))}) {
      one.problem = spec.problem.name;
      records.push_back(std::move(one));
    }
  }
  return make_report(std::move(manifest), std::move(records));
}

TEST(Csv, HasTheShapeOfEachProblem) {
  const auto rows = parse_csv(to_csv(sweep_over_batch()));
  ASSERT_EQ(rows.size(), 7U);
  EXPECT_EQ(field_of(rows, 1, "batch"), "4");
  EXPECT_EQ(field_of(rows, 3, "batch"), "1");
  EXPECT_EQ(field_of(rows, 1, "levels"), "8x16 4x8");
  EXPECT_EQ(field_of(rows, 1, "value_type"), "fp32");
  EXPECT_EQ(field_of(rows, 1, "distribution"), "local");
  EXPECT_EQ(field_of(rows, 1, "sigma"), "2");
}

TEST(Sweep, HasATableAndFiguresOverTheValue) {
  const Report report = sweep_over_batch();
  const std::vector<Section> sections = sections_of(report);
  ASSERT_EQ(sections.front().title, "Sweep: batch");
  EXPECT_EQ(sections.front().rows[0][0], "1");
  EXPECT_EQ(sections.front().rows[2][0], "4");
  EXPECT_EQ(sections.front().headline,
            "From batch 1 to 4, the arm with the best estimate goes from fast (2.00x) to fast "
            "(2.00x).");
  const std::vector<Figure> figures = figures_of(sections);
  ASSERT_EQ(figures.front().id, "f1-sweep");
  const nlohmann::json& values = figures.front().specification["data"][0]["values"];
  ASSERT_EQ(values.size(), 6U);
  EXPECT_EQ(values[0]["value"], 1);
  EXPECT_EQ(values[0]["unit"], "us");
  EXPECT_EQ(values[5]["ratio"], 2);
}

TEST(Sweep, IsNoneOfProblemsThatDifferInMore) {
  Report report = sweep_over_batch();
  report.manifest.problems[0].problem.heads = 8;
  EXPECT_FALSE(sweep_section(report));
}

TEST(Paper, HasOneTableOfArmsThatStandsAsItIs) {
  const std::string text = to_paper(sweep_over_batch());
  EXPECT_THAT(text, HasSubstr("\\begin{table*}"));
  EXPECT_THAT(text, HasSubstr("\\msdafit{\\begin{tabular}{@{}lrr@{}}"));
  EXPECT_THAT(text, HasSubstr("problem & fast & base \\\\\n"));
  EXPECT_THAT(text, HasSubstr("b4 & \\textbf{2.00} & 4.000 ms \\\\\n"));
  EXPECT_THAT(text, HasSubstr("\\usebox0"));
}

TEST(Paper, ALabelHasNothingThatEndsALine) {
  Report report = sweep_over_batch();
  report.manifest.name = "top-5%_run#2";
  EXPECT_THAT(to_paper(report), HasSubstr("\\label{tab:top-5-_run-2-arms}"));
}

TEST(Paper, SetsEachProblemOverItsModes) {
  std::vector<Record> records;
  for (const char* problem : {"b1", "b4"}) {
    for (const TimingMode mode : {TimingMode::kWarm, TimingMode::kCold}) {
      for (const char* arm : {"base", "a", "b", "c"}) {
        Record one = record(arm, steady(1e-3, 2, 4));
        one.baseline = one.arm == "base";
        one.problem = problem;
        one.mode = mode;
        records.push_back(std::move(one));
      }
    }
  }
  const std::string text = to_paper(make_report({{"name", "n"}}, std::move(records)));
  EXPECT_THAT(text, HasSubstr(" & \\multicolumn{2}{c}{b1} & \\multicolumn{2}{c}{b4} \\\\\n"
                              "\\cmidrule(lr){2-3}\\cmidrule(lr){4-5}\n"
                              "arm & warm & cold & warm & cold \\\\\n"));
}

TEST(Json, CarriesSchemaHeadlineAndRowsWithoutSamples) {
  const nlohmann::json json = nlohmann::json::parse(to_json(sample_report()));
  EXPECT_EQ(json["schema"], kReportSchema);
  EXPECT_EQ(json["manifest"]["name"], "n");
  const nlohmann::json& table = json["tables"][0];
  EXPECT_EQ(table["problem"], "captured");
  EXPECT_EQ(table["mode"], "warm");
  EXPECT_THAT(table["headline"].get<std::string>(), HasSubstr("a,b is the fastest"));
  const nlohmann::json& row = table["rows"][1];
  EXPECT_NEAR(row["speedup"].get<double>(), 2, 1e-12);
  EXPECT_EQ(row["speedup_95"]["over"], "processes");
  EXPECT_EQ(row["speedup_95"]["count"], 2);
  EXPECT_FALSE(row["record"].contains("samples"));
  EXPECT_EQ(row["record"]["arm"], "a,b");
  EXPECT_TRUE(table["rows"][2]["median_seconds"].is_null());
  EXPECT_TRUE(table["rows"][0]["speedup_95"].is_null());
}

TEST(WriteReport, LeavesItsFilesAndNoTemporaryOnes) {
  const TemporaryDirectory directory;
  Report report = sample_report();
  report.manifest.name = "\xff";  // not UTF-8
  write_report(report, directory.path());
  write_report(report, directory.path());
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    names.push_back(entry.path().filename().string());
  }
  EXPECT_THAT(names,
              testing::UnorderedElementsAre("report.html", "report.md", "report.csv", "report.json",
                                            "records.csv", "tables.tex", "paper.tex"));
  std::ifstream stream(directory.path() / "report.json");
  EXPECT_EQ(nlohmann::json::parse(stream)["schema"], kReportSchema);
}

}  // namespace
}  // namespace msda
