#include "results/manifest.hpp"
#include "files/temporary_directory.hpp"
#include "operators/operator.hpp"

#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <msda/error.hpp>

namespace msda {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

Problem small_problem() {
  Problem problem;
  problem.name = "small";
  problem.queries = 7;
  problem.levels = {{4, 5}, {2, 3}};
  return problem;
}

Manifest full_manifest() {
  Manifest manifest;
  manifest.schema = kManifestSchema;
  manifest.name = "study";
  manifest.status = run_status::kComplete;
  manifest.device = DeviceInfo{"cuda:0", "GPU X", DeviceKind::kCuda, 90};
  manifest.provenance = {{"driver", "570"}};
  manifest.shard = Shard{2, 8};
  manifest.time = RunTime{10, 2, 5, {{"compile", 2}, {"measure", 5}}};
  manifest.ceilings = {{"dram_bytes_per_second", 4e12}, {"measured", {{"count", 3}}}};
  manifest.plugins.push_back({"fast", "1", "aa", "fast.so", "Release", "", true});
  manifest.problems.push_back(entry_of({small_problem(), "forward", {}, {}}));
  manifest.arms.push_back({"a", {{"fast", {{"threads", std::int64_t{4}}}}}, "fast{threads=4}"});
  manifest.plan.measure = MeasureSettings();
  manifest.plan.cells = {"small/a/warm"};
  manifest.plan.best.push_back({"small", TimingMode::kCold, "best", "fast", "exactly this shape"});
  manifest.groups.push_back({"small", TimingMode::kWarm, 5, 1.5, "precision", 0.004});
  manifest.search = SearchBudget{3, 60};
  SearchEntry search;
  search.problem = "small";
  search.finalists.push_back({manifest.arms.front(), 17, 1.25});
  manifest.searches.push_back(search);
  manifest.shards.push_back(manifest);
  return manifest;
}

std::string error_of(const json& object) {
  try {
    manifest_from_json(object);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Manifest, SurvivesTheWayThroughText) {
  const json written = to_json(full_manifest());
  const Manifest back = manifest_from_json(json::parse(written.dump()));
  EXPECT_EQ(to_json(back), written);
  EXPECT_EQ(back.device.value().kind, DeviceKind::kCuda);
  EXPECT_EQ(back.problems.at(0).problem, small_problem());
  EXPECT_EQ(back.problems.at(0).flops, find_operator("forward").traffic(small_problem()).flops);
  EXPECT_EQ(back.searches.at(0).finalists.at(0).searched_gain, 1.25);
  EXPECT_EQ(back.shards.at(0).shard, (Shard{2, 8}));
}

TEST(Manifest, KeepsWhatAFusedProblemHasBesideSizes) {
  Problem problem = small_problem();
  problem.points = 3;
  problem.level_points = {3, 1};
  problem.padding = true;
  problem.references = {4, 1, 0.75, {0.5, 0.25, 0.125, 1}};
  problem.types.reference = DType::kFloat16;
  Manifest manifest = full_manifest();
  manifest.problems = {entry_of({problem, "fused", {}, {}})};
  const Manifest back = manifest_from_json(json::parse(to_json(manifest).dump()));
  EXPECT_EQ(back.problems.at(0).problem, problem);
}

TEST(Manifest, OfALaterSchemaIsRefused) {
  const TemporaryDirectory directory;
  Manifest manifest = full_manifest();
  manifest.schema = kManifestSchema + 1;
  write_manifest(directory.path(), manifest);
  EXPECT_THROW(read_manifest(directory.path()), UsageError);
  EXPECT_THAT(
      [&] { read_manifest_file(directory.path() / kManifestFile); },
      testing::ThrowsMessage<UsageError>(testing::HasSubstr(
          "manifest.json: manifest has schema 2; this program reads schemas 1 to 1: use the "
          "version of msda that wrote it")));
}

TEST(Manifest, OfAnEarlierVersionLacksFields) {
  const Manifest empty = manifest_from_json(json::object());
  EXPECT_EQ(empty.schema, 0);
  EXPECT_FALSE(empty.device || empty.time || empty.plan.measure);
  const Manifest partial = manifest_from_json(
      {{"plan", {{"measure", {{"processes", 3}}}}}, {"problems", {{{"name", "p"}}}}});
  EXPECT_EQ(partial.plan.measure.value().processes, 3);
  EXPECT_EQ(partial.problems.at(0).name(), "p");
  EXPECT_THAT(partial.problems.at(0).problem.levels, IsEmpty());
}

TEST(Manifest, OfALaterVersionHasFieldsThatAreIgnored) {
  json object = to_json(full_manifest());
  object["new"] = 5;
  object["plan"]["new"] = {1, 2};
  EXPECT_EQ(to_json(manifest_from_json(object)), to_json(full_manifest()));
}

TEST(Manifest, OfAnotherTypeIsRefusedByItsField) {
  EXPECT_EQ(error_of({1}), "manifest must be a JSON object, not a list");
  EXPECT_EQ(error_of({{"plan", {{"cells", 5}}}}),
            "manifest field 'plan.cells' must be a list, not 5");
  EXPECT_EQ(error_of({{"name", 3}}), "manifest field 'name' must be a string, not 3");
  EXPECT_EQ(error_of({{"time", {{"busy_seconds", nullptr}}}}),
            "manifest field 'time.busy_seconds' must be a number, not null");
  EXPECT_THAT(error_of({{"device", {{"kind", "abacus"}}}}), HasSubstr("cpu, cuda, simt"));
}

TEST(Manifest, AGroupWithoutAPrecisionHasNone) {
  const Manifest manifest = manifest_from_json({{"groups", {{{"precision", nullptr}}}}});
  EXPECT_TRUE(std::isnan(manifest.groups.at(0).precision));
  EXPECT_TRUE(to_json(manifest).at("groups").at(0).at("precision").is_null());
}

TEST(RunTime, AddsUpPhaseByPhase) {
  RunTime sum{10, 2, 5, {{"compile", 2}}};
  sum += RunTime{5, 1, 3, {{"compile", 1}, {"measure", 3}}};
  EXPECT_EQ(sum.total_seconds, 15);
  EXPECT_EQ(sum.phase_seconds, (std::map<std::string, double>{{"compile", 3}, {"measure", 3}}));
}

}  // namespace
}  // namespace msda
