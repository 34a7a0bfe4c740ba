// What a run spent its time on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <msda/error.hpp>

#include "files/temporary_directory.hpp"
#include "files/write.hpp"
#include "render/figures/figures.hpp"
#include "render/formats.hpp"
#include "render/html/web.hpp"
#include "render/tables/tables.hpp"
#include "support/synthetic.hpp"

namespace msda {
namespace {

using testing::HasSubstr;

RunRange range(const std::string& phase, double begin, double end,
               std::map<std::string, double> steps = {}) {
  return {"cuda:0", "captured", "cold", phase, begin, end, std::move(steps)};
}

double seconds_of(const Timeline& timeline, const std::string& use) {
  for (const TimeUse& one : timeline.uses) {
    if (one.name == use) return one.seconds;
  }
  return 0;
}

TEST(Timeline, UsesAddUpToTheTime) {
  const auto timeline = make_timeline(
      {range("start", 100, 102), range("compile", 102, 107), range("verify", 107, 108),
       range("measure", 108, 118, {{"samples", 4}, {"flush", 3}, {"warm up", 1}}),
       range("verify again", 118, 119), range("between", 119, 120)});
  ASSERT_TRUE(timeline);
  EXPECT_NEAR(timeline->seconds, 20, 1e-9);
  EXPECT_NEAR(timeline->total(), 20, 1e-9);
  EXPECT_NEAR(seconds_of(*timeline, "idle"), 3, 1e-9);
  EXPECT_NEAR(seconds_of(*timeline, "compile"), 5, 1e-9);
  EXPECT_NEAR(seconds_of(*timeline, "verify"), 2, 1e-9);
  EXPECT_NEAR(seconds_of(*timeline, "samples"), 4, 1e-9);
  EXPECT_NEAR(seconds_of(*timeline, "flush"), 3, 1e-9);
  EXPECT_NEAR(seconds_of(*timeline, "other"), 2, 1e-9);
}

TEST(Timeline, StripsShowWhen) {
  const auto timeline = make_timeline({range("compile", 0, 16), range("verify", 16, 32)});
  ASSERT_TRUE(timeline);
  for (const TimeStrip& strip : timeline->strips) {
    EXPECT_NEAR(strip.share, 1, 1e-9);
    if (strip.use == "compile") {
      EXPECT_LE(strip.end, 16 + 1e-9);
    } else {
      EXPECT_GE(strip.begin, 16 - 1e-9);
    }
  }
}

TEST(Timeline, TwoDevicesShareTheHeight) {
  RunRange other = range("idle", 0, 16);
  other.device = "cuda:1";
  other.phase = "between";
  const auto timeline = make_timeline({range("verify", 0, 16), other});
  ASSERT_TRUE(timeline);
  EXPECT_NEAR(timeline->total(), 32, 1e-9);
  for (const TimeStrip& strip : timeline->strips) EXPECT_NEAR(strip.share, 0.5, 1e-9);
}

TEST(Timeline, ThePauseBeforeAResumeIsCutOut) {
  const auto timeline = make_timeline({range("verify", 0, 10), range("verify", 90'000, 90'010)});
  ASSERT_TRUE(timeline);
  EXPECT_NEAR(timeline->seconds, 20, 1e-6);
}

TEST(Timeline, APauseOfSecondsCountsNeitherInTheTimeNorInTheStrips) {
  const auto timeline = make_timeline({range("verify", 0, 1), range("measure", 31, 31.5)});
  ASSERT_TRUE(timeline);
  EXPECT_NEAR(timeline->seconds, 1.5, 1e-9);
  EXPECT_NEAR(timeline->total(), timeline->seconds, 1e-9);
  for (const TimeStrip& strip : timeline->strips) EXPECT_LE(strip.end, 1.5 + 1e-9);
  EXPECT_THAT(timeline_section(*timeline).headline, HasSubstr("In 1.5 s most of the time, 67%"));
}

TEST(Timeline, StepsThatTookLongerThanTheRangeAreScaled) {
  const auto timeline = make_timeline({range("measure", 0, 10, {{"samples", 15}, {"check", 5}})});
  ASSERT_TRUE(timeline);
  EXPECT_NEAR(seconds_of(*timeline, "samples"), 7.5, 1e-9);
  EXPECT_NEAR(timeline->total(), 10, 1e-9);
}

TEST(Timeline, NothingRecordedIsNoTimeline) {
  EXPECT_FALSE(make_timeline({}));
  EXPECT_FALSE(make_timeline({range("verify", 5, 5)}));
}

TEST(Timeline, IsInTheReportOfARunWithATornLastLine) {
  const TemporaryDirectory directory;
  write_atomically(directory.path() / "manifest.json", R"({"name": "x"})");
  write_records(directory.path() / "records.jsonl",
                {synthetic::baseline("base", synthetic::steady(1e-3))});
  EXPECT_FALSE(make_report(directory.path()).timeline);
  append_ranges(directory.path() / kRangesFile,
                {range("compile", 0, 3), range("measure", 3, 8, {{"samples", 4}})});
  std::FILE* file = std::fopen((directory.path() / kRangesFile).c_str(), "a");
  ASSERT_NE(file, nullptr);
  std::fputs("{\"device\": \"cu", file);
  std::fclose(file);
  const Report report = make_report(directory.path());
  ASSERT_TRUE(report.timeline);
  EXPECT_THAT(to_markdown(report), HasSubstr("## Time of the run"));
  EXPECT_THAT(to_terminal(report, false), HasSubstr("launches that are timed"));
  const auto json = nlohmann::json::parse(to_json(report));
  EXPECT_NEAR(json.at("timeline").at("seconds").get<double>(), 8, 1e-9);
  if (has_vega()) {
    EXPECT_THAT(to_html(report), HasSubstr("Time line"));
  }
}

TEST(Timeline, ABrokenLineInTheMiddleIsSaid) {
  const TemporaryDirectory directory;
  write_atomically(directory.path() / kRangesFile, "{\"device\": 3}\n{}\n");
  EXPECT_THAT([&] { read_ranges(directory.path() / kRangesFile); },
              testing::ThrowsMessage<std::exception>(HasSubstr("ranges.jsonl:1")));
}

TEST(Timeline, ARangeWithoutANumberIsRefused) {
  const nlohmann::json good =
      to_json(RunRange{"cpu", "tiny", "warm", "measure", 1, 2, {{"check", 1}}});
  EXPECT_EQ(run_range_from_json(good).steps.at("check"), 1);
  for (const auto* pointer : {"/begin", "/end", "/steps/check"}) {
    nlohmann::json bad = good;
    bad[nlohmann::json::json_pointer(pointer)] = nullptr;
    EXPECT_THROW(run_range_from_json(bad), UsageError) << pointer;
  }
}

}  // namespace
}  // namespace msda
