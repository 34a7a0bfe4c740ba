// A set of problems as one: what its bench says, its records, and its winner.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/tune/pooled.hpp"
#include "runner/tune/searched.hpp"
#include "runner/tune/set_bench.hpp"

namespace msda::test {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

class FixedBench final : public Bench {
 public:
  explicit FixedBench(std::vector<Outcome> outcomes) : outcomes_(std::move(outcomes)) {}
  std::vector<Outcome> measure(const Trial&) override { return outcomes_; }
  double seconds() const override { return 3; }

 private:
  std::vector<Outcome> outcomes_;
};

TEST(SetBench, GivesTheMeanOfTheLogsAndTheFirstFailure) {
  std::vector<std::unique_ptr<Bench>> benches;
  benches.push_back(std::make_unique<FixedBench>(
      std::vector<Outcome>{{7, "", {0.1, 0.3}}, {8, "", {1.0}}, {9, "", {1.0}}}));
  benches.push_back(std::make_unique<FixedBench>(
      std::vector<Outcome>{{7, "", {-0.1}}, {8, "crashed", {}}, {9, "", {3.0}}}));
  SetBench bench(std::move(benches));
  const std::vector<Outcome> outcomes = bench.measure({Stage::kScreen, {7, 8, 9}, 2, 1});
  ASSERT_EQ(outcomes.size(), 3U);
  EXPECT_THAT(outcomes[0].logs, ElementsAre(DoubleNear(0, 1e-12), DoubleNear(0.1, 1e-12)));
  EXPECT_EQ(outcomes[1].failure, "crashed");
  EXPECT_EQ(outcomes[1].candidate, 8U);
  EXPECT_THAT(outcomes[2].logs, ElementsAre(2.0));
  EXPECT_EQ(bench.seconds(), 3) << "their clocks run at the same time";
}

Record record(const std::string& arm, std::vector<SampleBlock> samples) {
  Record record;
  record.arm = arm;
  record.status = CellStatus::kOk;
  record.samples = std::move(samples);
  return record;
}

TEST(Pooled, IsTheGeometricMeanInTheBlocksThatAllHave) {
  const std::vector<std::vector<Record>> problems{
      {record("a", {{0, 0, {1, 2, 3}}, {0, 1, {5}}, {1, 0, {4}}}), record("b", {{0, 0, {1}}})},
      {record("a", {{0, 0, {8}}, {1, 0, {9}}})}};
  const std::vector<Record> all = pooled(problems);
  ASSERT_EQ(all.size(), 1U) << "b has no record on the second problem";
  ASSERT_EQ(all[0].samples.size(), 2U);
  EXPECT_THAT(all[0].samples[0].seconds, ElementsAre(DoubleNear(4, 1e-12)));
  EXPECT_THAT(all[0].samples[1].seconds, ElementsAre(DoubleNear(6, 1e-12)));
  EXPECT_EQ(pooled({problems[0]}).size(), 2U) << "of one problem as they are";
}

TEST(Pooled, HasTheStatusOfTheProblemWhereItIsNotOk) {
  std::vector<std::vector<Record>> problems{{record("a", {{0, 0, {1}}})},
                                            {record("a", {{0, 0, {1}}})}};
  problems[1][0].status = CellStatus::kWrong;
  EXPECT_EQ(pooled(problems)[0].status, CellStatus::kWrong);
}

TEST(Pooled, TheWorstCaseIsAgainstTheFastestArmOfEachProblem) {
  const std::vector<std::vector<Record>> problems{
      {record("a", {{0, 0, {4}}}), record("b", {{0, 0, {3}}})},
      {record("a", {{0, 0, {4}}}), record("b", {{0, 0, {8}}})}};
  EXPECT_DOUBLE_EQ(worst_of("a", problems), 0.75);
  EXPECT_DOUBLE_EQ(worst_of("b", problems), 0.5);
  EXPECT_EQ(worst_of("c", problems), 0);
}

/// Three processes that differ by a thousandth.
Record confirmed(const std::string& arm, double seconds) {
  Record one = record(arm, {{0, 0, {seconds}}, {1, 0, {1.001 * seconds}}, {2, 0, {seconds}}});
  one.composition = arm;
  one.baseline = arm == "slow";
  return one;
}

TEST(WinnerOf, AFamilyIsNoneThatLosesTooMuchOnItsWorstProblem) {
  SearchEntry searched;
  searched.baseline = "slow";
  for (const char* name : {"quick", "even"}) {
    FinalistEntry finalist;
    finalist.name = name;
    finalist.uses = {{name, {}}};
    finalist.searched_gain = 1.7;
    searched.finalists.push_back(finalist);
  }
  // `quick` is the fastest of all together, and on one problem a fifth slower than `even`.
  const double seconds[][2] = {{5, 5.6}, {5, 5.6}, {6, 5}};
  std::vector<ProblemSpec> problems(3);
  std::vector<std::vector<Record>> records;
  for (std::size_t p = 0; p < 3; ++p) {
    problems[p].problem.name = std::string(1, static_cast<char>('p' + p));
    records.push_back({confirmed("slow", 9), confirmed("quick", seconds[p][0]),
                       confirmed("even", seconds[p][1])});
  }
  const auto found = [&](double worst) {
    FoundBy found_by;
    found_by.worst = worst;
    return winner_of(searched, problems, {}, records, found_by).value();
  };
  EXPECT_EQ(found(0.25).uses.at(0).variant, "quick");
  EXPECT_NEAR(found(0.25).worst, 5.0 / 6, 1e-12);
  EXPECT_EQ(found(0.25).searched_gain, 1.7);
  EXPECT_NEAR(found(0.25).seconds, std::cbrt(5 * 5 * 6), 1e-3);
  EXPECT_THAT(found(0.25).others, testing::SizeIs(2));
  EXPECT_EQ(found(0.15).uses.at(0).variant, "even");
  EXPECT_NEAR(found(0.15).worst, 5 / 5.6, 1e-12);
  EXPECT_FALSE(found(0.05).confirmed()) << "the baseline is left";
  records.pop_back();
  problems.pop_back();
  EXPECT_EQ(found(0.05).uses.at(0).variant, "quick");
}

TEST(WinnerOf, HasItsGainBetweenTheEndsOfItsInterval) {
  SearchEntry searched;
  searched.baseline = "slow";
  Record quick = record("quick", {{0, 0, {5}}, {1, 0, {5.1}}, {2, 0, {4.9}}});
  quick.composition = "quick";
  const auto winner =
      winner_of(searched, {ProblemSpec()}, {}, {{confirmed("slow", 9), quick}}, FoundBy());
  ASSERT_TRUE(winner);
  EXPECT_NEAR(winner->gain, 1.8, 0.01);
  EXPECT_LT(winner->gain_low, winner->gain - 0.01);
  EXPECT_GT(winner->gain_high, winner->gain + 0.01);
}

}  // namespace
}  // namespace msda::test
