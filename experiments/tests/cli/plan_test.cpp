// What the program says of an experiment before it runs.
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/plan_time.hpp"
#include "files/read.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

using testing::HasSubstr;

TEST(CliValidate, NamesEveryBrokenFile) {
  const TemporaryDirectory directory;
  const auto good = directory.write("good.yaml", "problems: [ledger-48]\narms: [fixture]\n");
  const auto bad = directory.write("bad.yaml", "problems: [ledger-48]\narms: [fixtur]\n");
  const auto recipes = directory.write("recipes.yaml", "recipes: {r: [fixture]}\n");
  const Outcome outcome = run({"validate", bad, good, recipes});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr(bad.string() + ":2:8: "));
  EXPECT_THAT(outcome.out, HasSubstr(good.string() + ": ok (1 problems, 1 arms, 1 modes)"));
  EXPECT_THAT(outcome.out, HasSubstr(recipes.string() + ": ok (1 recipes)"));
  EXPECT_EQ(run({"validate", good}).exit_code, 0);
}

TEST(CliValidate, RefusesAnArmThatComputesWhatNoProblemAsksFor) {
  const TemporaryDirectory directory;
  const std::string arms = "arms: [fixture, cpu-backward-scalar]\n";
  const std::string forward = "{name: p, queries: 2, levels: [[3, 3]]}";
  const auto bad = directory.write("bad.yaml", "problems: [" + forward + "]\n" + arms);
  for (const char* command : {"validate", "plan", "run"}) {
    const Outcome outcome = run({command, bad, "--device", "cpu"});
    EXPECT_EQ(outcome.exit_code, 2) << command;
    EXPECT_THAT(outcome.err, HasSubstr("arm 'cpu-backward-scalar': it computes the operator "
                                       "'backward', and the problem asks for 'forward'"))
        << command;
    EXPECT_THAT(outcome.err, HasSubstr(bad.string() + ":2:17: arm")) << command;
  }
  const auto good = directory.write(
      "good.yaml", "problems: [" + forward +
                       ", {name: q, operator: backward, queries: 2, levels: [[3, 3]]}]\n" + arms);
  EXPECT_EQ(run({"validate", good}).exit_code, 0);
}

TEST(CliPlan, PrintsTextAndJson) {
  const TemporaryDirectory directory;
  const auto file = directory.write(
      "x.yaml", "problems: [{name: p, queries: 2, levels: [[3, 3]]}]\narms: [fixture]\n");
  EXPECT_THAT(run({"plan", file, "--device", "cpu"}).out, HasSubstr("p/fixture/warm"));
  const Outcome json = run({"plan", file, "--device", "cpu", "--json"});
  EXPECT_EQ(nlohmann::json::parse(json.out).at("cells").at(0), "p/fixture/warm");
}

TEST(CliPlan, TakesItsTimeFromAnEarlierRun) {
  const TemporaryDirectory directory;
  const std::string results = run_with_claim(directory);
  const std::string file = directory.path() / "claims.yaml";
  EXPECT_THAT(run({"plan", file}).out, HasSubstr("assumed: no earlier run"));
  const Outcome planned = run({"plan", file, "--like", results});
  EXPECT_THAT(planned.out, HasSubstr(": 3 of 3 cells as measured in " + results + "\n"));
  const auto json = nlohmann::json::parse(run({"plan", file, "--like", results, "--json"}).out);
  EXPECT_EQ(json.at("measured_cells"), 3);        // two arms, and the baseline again
  EXPECT_GT(json.at("estimated_seconds"), 0.01);  // 3 blocks of 5 launches of 2 ms
  EXPECT_EQ(run({"plan", file, "--like", directory.path()}).exit_code, 2);
}

TEST(CliPlan, TakesNoTimesOfAnotherProblemThatHasTheName) {
  const TemporaryDirectory directory;
  const std::string results = run_with_claim(directory);
  const std::string file = directory.path() / "claims.yaml";
  std::string text = read_text(file);
  const std::size_t size = text.find("queries: 2");
  directory.write("larger.yaml", text.replace(size, 10, "queries: 9"));
  const Outcome planned =
      run({"plan", directory.path() / "larger.yaml", "--like", results, "--json"});
  EXPECT_EQ(nlohmann::json::parse(planned.out).at("measured_cells"), 0);
}

TEST(CliPlan, AResumedRunTellsItsTimeToo) {
  const TemporaryDirectory directory;
  const std::string results = run_with_claim(directory);
  const std::string file = directory.path() / "claims.yaml";
  const auto estimate = [&] {
    const Outcome planned = run({"plan", file, "--like", results, "--json"});
    return nlohmann::json::parse(planned.out).at("estimated_seconds").get<double>();
  };
  const double before = estimate();
  EXPECT_EQ(run({"run", file, "--resume", results}).exit_code, 0);
  EXPECT_GT(estimate(), before / 2);
  EXPECT_LT(estimate(), before * 2);
}

TEST(CliPlan, PlansForTheDeviceOfAnEarlierRunThatIsNotHere) {
  const TemporaryDirectory directory;
  const std::string results = run_with_claim(directory);
  const std::string manifest_file = results + "/manifest.json";
  std::ifstream stream(manifest_file);
  auto manifest = nlohmann::json::parse(stream);
  auto& device = manifest.at("device");
  device.update({{"id", "cuda:99"}, {"kind", "cuda"}, {"name", "Elsewhere"}});
  device.update({{"compute_capability", 90}, {"shared_bytes", 232448}});
  std::ofstream(manifest_file) << manifest;
  const std::string file = directory.write("gpu.yaml", R"(
device: cuda:99
problems: [{preset: rfdetr-decoder}]
arms: [tma-boxes, vector-loads]
)");
  EXPECT_EQ(run({"plan", file}).exit_code, 3);
  const auto json = nlohmann::json::parse(run({"plan", file, "--like", results, "--json"}).out);
  EXPECT_EQ(json.at("device").at("name"), "Elsewhere");
  EXPECT_EQ(json.at("arms").size(), 3U);
  device.erase("l2_bytes");
  std::ofstream(manifest_file) << manifest;
  const Outcome broken = run({"plan", file, "--like", results});
  EXPECT_EQ(broken.exit_code, 2);
  EXPECT_THAT(broken.err, HasSubstr("manifest.json: the manifest does not describe its device"));
}

TEST(PlanTime, TakesAnArmThatNoEarlierRunHasForTheMeanOfTheOthers) {
  const TemporaryDirectory directory;
  const auto file = directory.write("x.yaml", R"(
problems: [{name: p, queries: 3, levels: [[4, 4]]}]
arms: [fixture, {name: slow, use: [{fixture: {milliseconds: 1}}]}, {name: new, use: [{fixture: {milliseconds: 2}}]}]
measure: {noise_pair: false, processes: 1, blocks: 10, samples: 1, warmup: 0, budget: 1 h}
)");
  DeviceInfo cpu;
  cpu.id = "cpu";
  const Plan plan = make_plan(load_experiment(file, fixture_registry()), fixture_registry(), cpu);
  EarlierRun earlier;
  earlier.directory = directory.path();
  earlier.launch_seconds = {{"p/fixture/warm", 1.0}, {"p/slow/warm", 3.0}};
  earlier.overhead_seconds = 0;
  const PlanTime time = plan_time(plan, earlier);
  EXPECT_EQ(time.measured_cells, 2U);
  EXPECT_NEAR(time.seconds, 10 * (1 + 3 + 2), 1e-9);
}

}  // namespace
}  // namespace msda::test
