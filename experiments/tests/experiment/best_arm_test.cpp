// What `use: best` takes of the winners beside an experiment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiment/winner.hpp"
#include "results/entries_json.hpp"
#include "runner/plan/plan.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// An experiment beside a file of winners.
class BestArmTest : public testing::Test {
 protected:
  Plan plan(const std::string& arms) {
    const auto file = directory_.write("x.yaml", R"(
problems:
  - {name: tuned, queries: 5, heads: 2, channels: 8, points: 2, levels: [[4, 5], [2, 3]]}
  - {name: half, queries: 5, levels: [[4, 4]], types: fp16}
measure: {noise_pair: false, processes: 1, blocks: 2, samples: 2, warmup: 0}
)" + arms);
    directory_.write("winners.yaml", to_yaml({winner("a", 3)}));
    DeviceInfo cpu = device("big", 90);
    cpu.id = "cpu";
    return make_plan(load_experiment(file, fixture_registry()), fixture_registry(), cpu);
  }
  /// Of one problem of so many queries, with the winners that lie there.
  Plan plan_of(const std::string& name, int queries) {
    const auto file = directory_.write(
        "y.yaml", "problems: [{name: " + name + ", queries: " + std::to_string(queries) +
                      ", heads: 2, channels: 8, points: 2, levels: [[4, 5], [2, 3]]}]\n"
                      "arms: [fixture, best]\n");
    return make_plan(load_experiment(file, fixture_registry()), fixture_registry(),
                     device("cpu", 90));
  }

  TemporaryDirectory directory_;
};

TEST_F(BestArmTest, IsAnotherCompositionOnEachProblem) {
  const Plan best = plan("arms: [fixture, best]\n");
  const Arm tuned = arms_of(best, best.groups[0]).at(1);
  EXPECT_EQ(tuned.name, "best");
  EXPECT_EQ(tuned.uses, winner("a", 3).uses);
  EXPECT_THAT(tuned.composition, HasSubstr("milliseconds=3"));
  EXPECT_EQ(tuned.refused, "");
  EXPECT_THAT(best_notes(best), ElementsAre(AllOf(HasSubstr("tuned/best/warm is fixture"),
                                                  HasSubstr("exactly this shape, on this model"))));
  const std::vector<PickEntry> picks = entry_of(best).best;
  ASSERT_EQ(picks.size(), 1U) << "where none fits there is nothing to say";
  EXPECT_EQ(picks[0].problem, "tuned");
  EXPECT_EQ(picks[0].composition, tuned.composition);

  const Arm half = arms_of(best, best.groups[1]).at(1);
  EXPECT_THAT(half.refused, HasSubstr("no search has left a winner"));
  EXPECT_EQ(arms_of(best, best.groups[1]).at(0).refused, "");
}

TEST_F(BestArmTest, IsSaidOfAShardsOwnProblems) {
  Plan first = plan("arms: [fixture, best]\n");
  Plan second = first;
  take_shard(first, {1, 2});
  EXPECT_THAT(best_notes(first), ElementsAre(HasSubstr("tuned/best/warm")));
  take_shard(second, {2, 2});
  EXPECT_THAT(best_notes(second), IsEmpty());
}

TEST_F(BestArmTest, SaysHowFarTheNearestIsWhereItIsTooFar) {
  directory_.write("winners.yaml", to_yaml({winner("a", 3)}));
  const Plan best = plan_of("large", 6000);
  EXPECT_THAT(arms_of(best, best.groups[0]).at(1).refused,
              AllOf(HasSubstr("the nearest, a, is 10.2 doublings away"),
                    HasSubstr("more than 10 are too far"), HasSubstr("msda tune")));
}

TEST_F(BestArmTest, SaysWhatErrorTheNearestHasWhereLessIsAllowed) {
  const Plan best = plan("arms: [fixture, {name: exact, use: {best: {error: 1e-9}}}]\n");
  EXPECT_THAT(arms_of(best, best.groups[0]).at(1).refused,
              HasSubstr("that of a may have an error of 1e-05, and 1e-09 is allowed here"));
  EXPECT_THAT(arms_of(best, best.groups[1]).at(1).refused,
              HasSubstr("none for these types, on a device of this kind, can run it"));
}

TEST_F(BestArmTest, SaysThatTheProblemIsOfAnotherFamily) {
  // As many queries as pixels, and the winner's are few.
  Winner of_family = winner("a", 3);
  of_family.problem.problem.queries = 5;
  of_family.others = {of_family.problem};
  of_family.others.front().problem.name = "b";
  directory_.write("winners.yaml", to_yaml({of_family}));
  const Plan best = plan_of("many", 26);
  EXPECT_THAT(arms_of(best, best.groups[0]).at(1).refused,
              AllOf(HasSubstr("that of a and 1 more is for the family 'forward H2 C8 P2 L2 plain "
                              "fp32 few queries', and this is of 'forward H2 C8 P2 L2 plain fp32 "
                              "many queries'"),
                    HasSubstr("msda tune"), testing::Not(HasSubstr("none for these types"))));
}

TEST_F(BestArmTest, CanHaveANameAndALargerErrorBound) {
  const Plan best =
      plan("arms: [fixture, {name: t, use: best}, {name: l, use: {best: {error: 0.1}}}]\n");
  EXPECT_EQ(arms_of(best, best.groups[0]).at(1).uses, winner("a", 3).uses);
  EXPECT_EQ(arms_of(best, best.groups[0]).at(2).uses, winner("a", 3).uses);
  EXPECT_THROW(plan("arms: [{name: l, use: {best: {eror: 0.1}}}]\n"), UsageError);
  EXPECT_THROW(plan("arms: [{name: l, use: {best: {error: 3}}}]\n"), UsageError);
}

TEST_F(BestArmTest, ReachesTheWorkerAsWhatItIs) {
  const Plan best = plan("arms: [fixture, best]\n");
  const Arm tuned = arms_of(best, best.groups[0]).at(1);
  const Arm half = arms_of(best, best.groups[1]).at(1);
  EXPECT_EQ(from_json_document<ArmEntry>(write_json<ArmEntry>(tuned), "arm").uses, tuned.uses);
  EXPECT_EQ(from_json_document<ArmEntry>(write_json<ArmEntry>(half), "arm").refused, half.refused);
}

TEST_F(BestArmTest, RunsAndIsSkippedWhereThereIsNoWinner) {
  plan("device: cpu\narms: [{name: fixture, use: [fixture]}, best]\n");
  const Outcome outcome = run({"run", directory_.path() / "x.yaml", "--output",
                               directory_.path() / "results", "--device", "cpu"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("half/best/warm skipped: no search has left"));
  EXPECT_THAT(outcome.err, HasSubstr("note: tuned/best/warm is fixture"));
}

}  // namespace
}  // namespace msda::test
