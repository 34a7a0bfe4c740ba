// A set of problems as one: what its bench says, and its records.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/tune/pooled.hpp"
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

}  // namespace
}  // namespace msda::test
