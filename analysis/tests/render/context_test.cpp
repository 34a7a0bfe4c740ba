#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/document.hpp"
#include "render/words/words.hpp"
#include "support/synthetic.hpp"

namespace msda {
namespace {

using synthetic::baseline;
using synthetic::steady;

nlohmann::json gpu(const std::string& id, const std::string& number) {
  return {{"device", {{"id", id}, {"name", "GPU X"}}},
          {"provenance",
           {{"driver", "580.1"},
            {"gpu_number", number},
            {"highest_sm_clock_mhz", "1980"},
            {"power_limit_watts", "700"}}}};
}

nlohmann::json full_manifest() {
  nlohmann::json manifest = gpu("cuda:0", "3f2a91c0");
  manifest.update({{"program_version", "0.2.0"},
                   {"git_state", "v0.1.0-3-gabc1234"},
                   {"started", "2024-06-07T12:00:00Z"},
                   {"status", "complete"},
                   {"groups",
                    {{{"problem", "p"}, {"mode", "warm"}, {"processes", 3}},
                     {{"problem", "p"}, {"mode", "cold"}, {"processes", 5}}}}});
  return manifest;
}

TEST(Context, NamesGpuDriverClocksPowerCommitDateAndProcesses) {
  Record record = baseline("a", steady(1e-3));
  ProcessRun run;
  run.before = Conditions{1980, {}, {}, {}, {}};
  run.after = Conditions{1755, {}, {}, {}, {}};
  record.processes = {run};
  EXPECT_EQ(context_of(make_report(full_manifest(), {record})),
            "GPU X (cuda:0, GPU 3f2a91c0), driver 580.1, SM clock 1755 to 1980 of 1980 MHz, power "
            "limit 700 W, msda 0.2.0 (commit v0.1.0-3-gabc1234), 2024-06-07T12:00:00Z, 3 to 5 "
            "processes, run complete");
}

TEST(Context, TellsTheGpusOfShardsApartAndNamesEachOnce) {
  nlohmann::json manifest = gpu("cuda:0", "11111111");
  manifest["shards"] = {gpu("cuda:0", "11111111"), gpu("cuda:0", "22222222"),
                        gpu("cuda:0", "11111111")};
  EXPECT_EQ(context_of(make_report(manifest, {baseline("a", steady(1e-3))})),
            "GPU X (cuda:0, GPU 11111111) and GPU X (cuda:0, GPU 22222222), driver 580.1, SM clock "
            "up to 1980 MHz, power limit 700 W");
}

TEST(Context, LeavesOutWhatTheManifestDoesNotTell) {
  EXPECT_EQ(context_of(make_report({{"status", "running"}}, {})), "run running");
}

TEST(Context, RevisionsOfExternalArmsStandAboveTheTables) {
  const auto arm = [](const std::string& name, const std::string& revision) -> nlohmann::json {
    return {{"name", name},
            {"composition", "external"},
            {"uses", {{{"variant", "external"}, {"parameters", {{"revision", revision}}}}}}};
  };
  const Report report = make_report(
      {{"arms", {arm("mmcv", "v2.1.0"), arm("mine", ""), arm("ddetr", "11169a6")}}}, {});
  EXPECT_THAT(document_of(report).notes,
              testing::ElementsAre("Revisions of external arms: mmcv v2.1.0, ddetr 11169a6."));
}

}  // namespace
}  // namespace msda
