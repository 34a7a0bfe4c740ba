#include "render/formats.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <msda/error.hpp>

#include "files/temporary_directory.hpp"
#include "support/synthetic.hpp"

namespace msda {
namespace {

using synthetic::baseline;
using synthetic::record;
using synthetic::scaled;
using synthetic::steady;
using synthetic::without_time;
using testing::HasSubstr;

const Row& row_of(const Report& report, const std::string& arm) {
  for (const Table& table : report.tables) {
    for (const Row& row : table.rows) {
      if (row.record.arm == arm) return row;
    }
  }
  throw Error("no row " + arm);
}

TEST(MakeReport, ComputesTheNumbersOfARow) {
  const auto report = make_report(nlohmann::json::object(),
                                  {baseline("plain", steady(2e-3)), record("vec", steady(1e-3))});
  const Row& plain = row_of(report, "plain");
  EXPECT_EQ(plain.verdict, "baseline");
  EXPECT_DOUBLE_EQ(plain.median_seconds, 2e-3);
  EXPECT_DOUBLE_EQ(*plain.speedup, 1);
  EXPECT_FALSE(plain.speedup_95);
  const Row& vec = row_of(report, "vec");
  EXPECT_EQ(vec.verdict, "faster");
  EXPECT_NEAR(*vec.speedup, 2, 1e-12);
  EXPECT_NEAR(vec.speedup_95->low, 2, 1e-9);
  EXPECT_EQ(vec.replication, Replication::kBlocks);
  EXPECT_EQ(vec.replicates, 5);
  EXPECT_DOUBLE_EQ(vec.dram_bytes_per_second, 4e9);
  EXPECT_DOUBLE_EQ(vec.flops_per_second, 8e9);
  EXPECT_FALSE(vec.speed_of_light);
}

TEST(MakeReport, VerdictsOfTimedArms) {
  const auto blocks = steady(1e-3, 1, 8);
  const auto report = make_report(
      nlohmann::json::object(),
      {baseline("base", blocks), record("faster", scaled(blocks, 0.5, 0.01)),
       record("slower", scaled(blocks, 1.5, 0.01)), record("equal", scaled(blocks, 1.001, 0.002)),
       record("undecided", scaled(blocks, 1.02, 0.2))});
  for (const char* arm : {"faster", "slower", "equal", "undecided"}) {
    EXPECT_EQ(row_of(report, arm).verdict, arm);
  }
}

TEST(MakeReport, EveryStatusWithoutATimeIsItsOwnVerdict) {
  const std::vector<std::pair<CellStatus, std::string>> statuses{{CellStatus::kWrong, "wrong"},
                                                                 {CellStatus::kSkipped, "skipped"},
                                                                 {CellStatus::kFailed, "failed"},
                                                                 {CellStatus::kCrashed, "crashed"},
                                                                 {CellStatus::kHung, "hung"}};
  std::vector<Record> records{baseline("base", steady(1e-3))};
  for (const auto& [status, name] : statuses) records.push_back(without_time(name, status, "why"));
  const auto report = make_report(nlohmann::json::object(), records);
  for (const auto& [status, name] : statuses) {
    const Row& row = row_of(report, name);
    EXPECT_EQ(row.verdict, name);
    EXPECT_FALSE(row.timed());
    EXPECT_FALSE(row.speedup);
  }
}

TEST(MakeReport, AWrongArmHasNoTimeEvenWhenItLeftSamples) {
  Record wrong = without_time("wrong", CellStatus::kWrong, "relative L2 3e-1");
  wrong.samples = steady(1e-6);
  const auto report =
      make_report(nlohmann::json::object(), {baseline("base", steady(1e-3)), wrong});
  EXPECT_FALSE(row_of(report, "wrong").timed());
}

TEST(MakeReport, WithoutABaselinesTimeThereIsNoRatio) {
  auto wrong_base = without_time("base", CellStatus::kWrong, "off");
  wrong_base.baseline = true;
  const auto report =
      make_report(nlohmann::json::object(), {wrong_base, record("arm", steady(1e-3))});
  EXPECT_EQ(row_of(report, "base").verdict, "wrong");
  EXPECT_EQ(row_of(report, "arm").verdict, "undecided");
  EXPECT_FALSE(row_of(report, "arm").speedup);
  EXPECT_TRUE(row_of(report, "arm").timed());
}

TEST(MakeReport, SpeedOfLightIsTheTighterCeiling) {
  const nlohmann::json manifest{
      {"ceilings", {{"dram_bytes_per_second", 4e12}, {"gather_bytes_per_second", 32e12}}}};
  // 4 MB of DRAM traffic take 1 us, 64 MB gathered take 2 us: 2 of 10 us.
  EXPECT_NEAR(*row_of(make_report(manifest, {baseline("a", steady(1e-5))}), "a").speed_of_light,
              0.2, 1e-12);
  Record streaming = baseline("b", steady(1e-5));
  streaming.traffic.gathered = 1;
  EXPECT_NEAR(*row_of(make_report(manifest, {streaming}), "b").speed_of_light, 0.1, 1e-12);
}

TEST(MakeReport, WhatFitsTheL2IsBoundByTheL2UnlessItIsCold) {
  nlohmann::json manifest{{"ceilings",
                           {{"dram_bytes_per_second", 4e12},
                            {"l2_bytes_per_second", 8e12},
                            {"gather_bytes_per_second", 32e12}}},
                          {"device", {{"l2_bytes", 3'000'000}}}};
  const auto row_in = [&](TimingMode mode) {
    Record record = baseline("a", steady(1e-5));
    record.mode = mode;
    record.traffic.read = 4'000'000;
    record.traffic.gathered = 1;
    return row_of(make_report(manifest, {record}), "a");
  };
  EXPECT_NEAR(*row_in(TimingMode::kCold).speed_of_light, 0.1, 1e-12);
  EXPECT_EQ(row_in(TimingMode::kCold).bound, MemoryLevel::kDram);
  // One of four megabytes cannot have stayed: 0.25 us from DRAM, 0.5 us for all from the L2.
  EXPECT_NEAR(*row_in(TimingMode::kWarm).speed_of_light, 0.05, 1e-12);
  EXPECT_EQ(row_in(TimingMode::kGraph).bound, MemoryLevel::kL2);
  manifest["device"]["l2_bytes"] = 500'000;
  EXPECT_EQ(row_in(TimingMode::kWarm).bound, MemoryLevel::kDram);
  EXPECT_NEAR(*row_in(TimingMode::kWarm).speed_of_light, 0.0875, 1e-12);
}

TEST(MakeReport, HalfOfTheCeilingsOrStrangeOnesGiveNoSpeedOfLight) {
  for (const char* text :
       {R"({"ceilings": {"dram_bytes_per_second": 4e12}})", R"({"ceilings": null})",
        R"({"ceilings": {"dram_bytes_per_second": "x",
                                            "gather_bytes_per_second": 0}})"}) {
    const auto report = make_report(nlohmann::json::parse(text), {baseline("a", steady(1e-5))});
    EXPECT_FALSE(row_of(report, "a").speed_of_light) << text;
  }
}

TEST(MakeReport, OneTableForEachProblemAndModeWithTheBaselineFirst) {
  auto second = baseline("b", steady(1e-3));
  second.mode = TimingMode::kCold;
  auto other = baseline("a", steady(1e-3));
  other.problem = "decoder";
  const auto report = make_report(nlohmann::json::object(),
                                  {record("z", steady(1e-3)), baseline("base", steady(1e-3)),
                                   record("a", steady(1e-3)), second, other});
  ASSERT_EQ(report.tables.size(), 3U);
  EXPECT_EQ(report.tables[0].problem, "captured");
  EXPECT_EQ(report.tables[0].rows[0].record.arm, "base");
  EXPECT_EQ(report.tables[0].rows[1].record.arm, "z");
  EXPECT_EQ(report.tables[0].rows[2].record.arm, "a");
  EXPECT_EQ(report.tables[1].mode, TimingMode::kCold);
  EXPECT_EQ(report.tables[2].problem, "decoder");
}

TEST(MakeReport, RowsComeInTheManifestsOrderOfArms) {
  const nlohmann::json manifest{{"arms", {{{"name", "x"}}, {{"name", "base"}}, {{"name", "y"}}}}};
  const auto report = make_report(
      manifest, {without_time("y", CellStatus::kFailed, "early"), record("unknown", steady(1e-3)),
                 record("x", steady(1e-3)), baseline("base", steady(1e-3))});
  std::vector<std::string> arms;
  for (const Row& row : report.tables.at(0).rows) arms.push_back(row.record.arm);
  EXPECT_THAT(arms, testing::ElementsAre("base", "x", "y", "unknown"));
}

TEST(MakeReport, NoRecordsNoTables) {
  EXPECT_TRUE(make_report(nlohmann::json::object(), {}).tables.empty());
}

class MakeReportFromFiles : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(directory_.path() / name) << text;
  }

  std::string error() const {
    try {
      make_report(directory_.path());
    } catch (const UsageError& failure) {
      return failure.what();
    }
    return "";
  }

  TemporaryDirectory directory_;
};

TEST_F(MakeReportFromFiles, ReadsWhatARunLeft) {
  put("manifest.json", R"({"name": "quickstart"})");
  RecordWriter writer(directory_.path() / "records.jsonl");
  writer.write(baseline("base", steady(2e-3)));
  writer.write(record("arm", steady(1e-3)));
  const Report report = make_report(directory_.path());
  EXPECT_EQ(report.manifest.name, "quickstart");
  EXPECT_NEAR(*row_of(report, "arm").speedup, 2, 1e-12);
}

TEST_F(MakeReportFromFiles, MissingOrBrokenFilesAreNamed) {
  EXPECT_THAT(error(), HasSubstr("has no manifest.json"));
  put("manifest.json", "{");
  EXPECT_THAT(error(), HasSubstr("has no records.jsonl"));
  put("records.jsonl", "");
  EXPECT_THAT(error(), HasSubstr("manifest.json is not valid JSON"));
  put("manifest.json", "[1]");
  EXPECT_THAT(error(), HasSubstr("manifest must be a JSON object, not a list"));
  put("manifest.json", "{}");
  EXPECT_EQ(error(), "");
}

TEST(MakeReportFromNowhere, SaysThatThereIsNoDirectory) {
  try {
    make_report(std::filesystem::path("/nonexistent/run"));
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("/nonexistent/run is not a directory"));
  }
}

}  // namespace
}  // namespace msda
