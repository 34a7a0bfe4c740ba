#include "runner/plan/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/support.hpp"

namespace msda::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

DeviceInfo device(const std::string& id, DeviceKind kind) {
  DeviceInfo info;
  info.id = id;
  info.name = "a " + id;
  info.kind = kind;
  info.compute_capability = kind == DeviceKind::kCuda ? 90 : 0;
  return info;
}

DeviceInfo cpu() { return device("cpu", DeviceKind::kCpu); }
DeviceInfo gpu() { return device("cuda:0", DeviceKind::kCuda); }

Experiment experiment(const std::string& more) {
  const TemporaryDirectory directory;
  return load_experiment(directory.write("x.yaml", R"(
recipes: {plain: []}
problems: [{name: a, queries: 3, levels: [[4, 4]]}, {name: b, queries: 4, levels: [[4, 4]], types: fp16}]
measure: {modes: [warm, cold], noise_pair: false}
)" + more),
                         fixture_registry());
}

TEST(Plan, GroupsArmsByProblemAndMode) {
  const Plan plan = make_plan(experiment("arms: [fixture, {name: other, use: [fixture]}]"),
                              fixture_registry(), cpu());
  EXPECT_EQ(plan.cell_count(), 8U);
  ASSERT_EQ(plan.groups.size(), 4U);
  EXPECT_EQ(plan.problem_of(plan.groups[1]).name(), "a");
  EXPECT_EQ(plan.groups[1].mode, TimingMode::kCold);
  EXPECT_EQ(plan.problem_of(plan.groups[2]).name(), "b");
  EXPECT_EQ(plan.baseline, "fixture");
  EXPECT_THAT(plan.notes, ElementsAre());
}

TEST(Plan, AnAblationBecomesArms) {
  const Plan plan = make_plan(experiment(R"(
ablation:
  base: [fixture]
  factors:
    flag: {fixture: {flag: [true]}}
    wait: {fixture: {milliseconds: [0, 1, 2]}}
    tied: {zip: [{fixture: {after: [7]}}, {fixture: {behaviour: [wrong]}}]}
  all: {wait: 2}
  excludes: [[flag, tied]]
  design: [add-one, full]
)"),
                              fixture_registry(), cpu());
  std::vector<std::string> names;
  for (const Arm& arm : plan.arms) names.push_back(arm.name);
  EXPECT_THAT(names, ElementsAre("base", "base+flag=true", "base+wait=1", "base+wait=2",
                                 "base+tied=7,wrong", "base+flag=true+wait=1", "all-tied",
                                 "base+wait=1+tied=7,wrong", "all-flag"));
  EXPECT_EQ(plan.baseline, "base");
  ASSERT_TRUE(plan.design);
  ASSERT_EQ(plan.design->dropped.size(), 3U);
  EXPECT_EQ(plan.design->dropped[0].point.arm, "all-wait");
  EXPECT_EQ(plan.design->dropped[0].reason, "flag excludes tied");
  EXPECT_THAT(plan.arms[4].composition, HasSubstr("after=7"));
  EXPECT_THAT(to_text(plan), HasSubstr("dropped all-wait: flag excludes tied"));
}

std::vector<std::string> arms_with_noise_pair(const std::string& arms) {
  Experiment with_pair = experiment(arms);
  with_pair.measure.noise_pair = true;
  std::vector<std::string> names;
  for (const Arm& arm : make_plan(with_pair, fixture_registry(), cpu()).arms) {
    names.push_back(arm.name);
  }
  return names;
}

TEST(Plan, TheBaselineRunsTwiceWhereThereIsSomethingToCompare) {
  const std::string slow = "{name: slow, use: [{fixture: {milliseconds: 1}}]}";
  EXPECT_THAT(arms_with_noise_pair("arms: [fixture, " + slow + "]"),
              ElementsAre("fixture", "slow", "fixture-again"));
  EXPECT_THAT(arms_with_noise_pair("arms: [fixture, " + slow + "]\nbaseline: slow"),
              ElementsAre("fixture", "slow", "slow-again"));
  EXPECT_THAT(arms_with_noise_pair("arms: [fixture, {name: same, use: [fixture]}, " + slow + "]"),
              ElementsAre("fixture", "same", "slow"));
  EXPECT_THAT(arms_with_noise_pair("arms: [fixture]"), ElementsAre("fixture"));
}

TEST(Plan, LeavesOutArmsOfAnotherDeviceWithANote) {
  const Experiment both = experiment("arms: [plain, fixture]");
  const Plan on_cpu = make_plan(both, fixture_registry(), cpu());
  ASSERT_EQ(on_cpu.arms.size(), 1U);
  EXPECT_EQ(on_cpu.arms[0].name, "fixture");
  EXPECT_EQ(on_cpu.baseline, "fixture");
  EXPECT_THAT(on_cpu.notes, ElementsAre("arm 'plain' is left out: it runs on cuda, not on cpu"));
  EXPECT_EQ(make_plan(both, fixture_registry(), gpu()).arms.at(0).name, "plain");
}

TEST(Plan, NotesWhatADistributionHasNoUseFor) {
  const auto notes = [](const std::string& keys) {
    const TemporaryDirectory directory;
    const auto file = directory.write("x.yaml",
                                      "arms: [fixture]\nproblems: [{name: p, queries: 3, "
                                      "levels: [[4, 4]], " +
                                          keys + "}]\n");
    return make_plan(load_experiment(file, fixture_registry()), fixture_registry(), cpu()).notes;
  };
  EXPECT_THAT(notes("sigma: 4"),
              ElementsAre("sigma has no effect on problem 'p': its distribution is uniform"));
  EXPECT_THAT(notes("distribution: local, low: -1, high: 2, outside_share: 0.5, objects: 3"),
              ElementsAre(HasSubstr("low"), HasSubstr("high"), HasSubstr("outside_share"),
                          HasSubstr("objects")));
  EXPECT_THAT(notes("distribution: local, sigma: 4"), ElementsAre());
  EXPECT_THAT(notes("distribution: clustered, sigma: 4, objects: 3"), ElementsAre());
  EXPECT_THAT(notes("distribution: outside, outside_share: 0.5"), ElementsAre());
  EXPECT_THAT(notes("low: -1, high: 2"), ElementsAre());
}

TEST(Plan, ABaselineThatIsLeftOutIsReplacedWithANote) {
  const Plan plan =
      make_plan(experiment("arms: [plain, fixture]\nbaseline: plain"), fixture_registry(), cpu());
  EXPECT_EQ(plan.baseline, "fixture");
  EXPECT_THAT(plan.notes,
              testing::Contains("baseline 'plain' is left out; ratios are to 'fixture'"));
}

TEST(Plan, WithoutAnArmForTheDeviceIsAUsageError) {
  try {
    make_plan(experiment("arms: [fixture]"), fixture_registry(), gpu());
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("none of its 1 arms runs on cuda:0"));
  }
}

TEST(Plan, TextShowsWhatWillBeSkipped) {
  const Plan plan = make_plan(experiment("arms: [fixture]"), fixture_registry(), cpu());
  const std::string text = to_text(plan);
  EXPECT_THAT(text, HasSubstr("cells     4 in 4 groups"));
  EXPECT_THAT(text, HasSubstr("    a/fixture/warm\n"));
  EXPECT_THAT(text, HasSubstr("    b/fixture/cold  skipped: "));
  EXPECT_THAT(text, HasSubstr("fp32 only"));
}

constexpr const char* kClaims = R"(
arms: [fixture, {name: other, use: [fixture]}, plain]
claims:
  - {text: t, source: s, arm: other, speedup: 2x}
  - {text: t, source: s, arm: fixture, over: other, speedup: 2x}
  - {text: t, source: s, arm: other, time: 2 s, mode: cold}
  - {text: t, source: s, arm: plain, time: 2 s}
  - {text: t, source: s, arm: other, over: plain, speedup: 2x}
  - {text: t, source: s, arm: plain, not-testable: as the file says}
  - {text: t, source: s, arm: other, over: [plain, fixture], speedup: 2x}
)";

std::vector<Claim> planned(const std::string& more) {
  const Experiment with_claims = experiment(kClaims + more);
  return planned_claims(with_claims, make_plan(with_claims, fixture_registry(), cpu()));
}

TEST(PlannedClaims, SayWhatTheyAreOverAndInWhichMode) {
  const std::vector<Claim> claims = planned("");
  EXPECT_EQ(claims.at(0).over_text(), "fixture");
  EXPECT_EQ(claims.at(0).mode, TimingMode::kWarm);
  EXPECT_EQ(claims.at(0).left_out, "");
  EXPECT_EQ(claims.at(1).over_text(), "other");
  EXPECT_EQ(claims.at(2).over_text(), "");
  EXPECT_EQ(claims.at(2).mode, TimingMode::kCold);
}

TEST(PlannedClaims, AboutArmsThatAreLeftOutSayWhy) {
  const std::vector<Claim> claims = planned("");
  EXPECT_EQ(claims.at(3).left_out, "plain is left out: it does not run on cpu");
  EXPECT_EQ(claims.at(4).left_out, "plain is left out: it does not run on cpu");
  EXPECT_EQ(claims.at(5).left_out, "");
  EXPECT_EQ(claims.at(5).value, "as the file says");
  EXPECT_EQ(claims.at(6).left_out, "") << "of several arms those that are left count";
}

TEST(PlannedClaims, AreNotMovedToAnotherBaseline) {
  const Claim claim = planned("baseline: plain\n").at(0);
  EXPECT_EQ(claim.over_text(), "plain");
  EXPECT_EQ(claim.left_out, "plain is left out: it does not run on cpu");
}

TEST(ChooseDevice, AutoPrefersAGpu) {
  EXPECT_EQ(choose_device("auto", {cpu(), gpu()}).id, "cuda:0");
  EXPECT_EQ(choose_device("auto", {cpu()}).id, "cpu");
  EXPECT_EQ(choose_device("cpu", {cpu(), gpu()}).id, "cpu");
}

TEST(ChooseDevice, TheExecutorHasASeed) {
  const DeviceInfo device = choose_device("simt:5:races", {cpu()});
  EXPECT_EQ(device.id, "simt:5:races");
  EXPECT_EQ(device.kind, DeviceKind::kSimt);
  EXPECT_EQ(choose_device("auto", {device, cpu()}).id, "cpu");
}

TEST(ChooseDevice, AMissingDeviceIsTheMachinesFault) {
  try {
    choose_device("cuda:7", {cpu(), gpu()});
    FAIL();
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no device 'cuda:7'; there are: cpu, cuda:0"));
  }
}

TEST(Plan, SaysOnWhichProblemsAnAblationLosesEitherEnd) {
  const Plan plan = make_plan(experiment(R"(
ablation:
  base: [fixture]
  factors: {flag: {fixture: {flag: [true]}}, wait: {fixture: {milliseconds: [0, 1]}}}
  design: full
)"),
                              fixture_registry(), cpu());
  for (const char* end : {"base", "all"}) {
    EXPECT_THAT(
        plan.notes,
        testing::Contains(testing::StartsWith(fmt::format("the ablation of b loses '{}': ", end))));
  }
}

// Two groups with a launch that takes the whole budget, and a second for each of four processes.
TEST(Plan, IsEstimatedWithOneBudgetForAllProcessesOfAGroup) {
  Plan plan = make_plan(experiment("arms: [fixture]"), fixture_registry(), cpu());
  plan.measure.processes = 4;
  plan.measure.blocks = 100'000'000;
  plan.measure.budget = std::chrono::duration<double>(1);
  EXPECT_NEAR(estimate_seconds(plan), 2 * (1 + 4), 1e-9);
}

TEST(PlannedClaims, AreCheckedWarmWhereverThatStandsAmongTheModes) {
  Experiment claimed = experiment(R"(
arms: [fixture, {name: other, use: [fixture]}]
claims: [{text: t, source: s, arm: other, speedup: 2x}]
)");
  claimed.measure.modes = {TimingMode::kCold, TimingMode::kWarm};
  const Plan both = make_plan(claimed, fixture_registry(), cpu());
  EXPECT_EQ(planned_claims(claimed, both).at(0).mode, TimingMode::kWarm);
  claimed.measure.modes = {TimingMode::kGraph, TimingMode::kCold};
  const Plan others = make_plan(claimed, fixture_registry(), cpu());
  EXPECT_EQ(planned_claims(claimed, others).at(0).mode, TimingMode::kGraph);
}

}  // namespace
}  // namespace msda::test
