// What the watch of launches sees of each operator: right launches pass, whatever the operator, and
// one launch among many that leaves out an output, or hands out an old one, does not.
#include "measure/row_watch.hpp"

#include <algorithm>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "input/elements.hpp"
#include "measure/output_check.hpp"
#include "operators/operator.hpp"
#include "support/no_device.hpp"
#include "support/problems.hpp"

namespace msda {
namespace {

Problem small_problem_of_queries() {
  Problem problem = tiny_problem();
  problem.batch = 2;
  problem.queries = 12;
  return problem;
}

InputSet make_set(const Operator& op, const Problem& problem, std::uint64_t seed) {
  Generation generation;
  generation.seed = seed;
  auto input = std::make_shared<const Input>(op.generate(problem, generation, 1));
  auto truths = std::make_shared<const std::vector<Truth>>(make_truths(op, *input, 1));
  return {input, "", &op, truths};
}

/// The operator's reference on what lies there, but for the outputs that `left_out` names.
class Reference final : public Executable {
 public:
  /// Whether a launch leaves out output number `output`.
  using LeftOut = std::function<bool(int launch, std::size_t output)>;
  Reference(const Operator& op, const Problem& problem, LeftOut left_out)
      : op_(op), problem_(problem), left_out_(std::move(left_out)) {}

  void launch(const Tensors& tensors, Stream) override {
    const int launch = launches_++;
    const auto outputs = op_.reference(input_of(tensors), 1);
    for (std::size_t number = 0; const std::size_t tensor : op_.outputs(problem_)) {
      const std::size_t own = number++;
      if (left_out_ && left_out_(launch, own)) continue;
      const std::vector<double>& right = outputs[own];
      const DType type = type_of(problem_, op_.tensors()[tensor]);
      for (std::size_t i = 0; i < right.size(); ++i) {
        store_element(type, static_cast<std::byte*>(tensors[tensor]), static_cast<std::int64_t>(i),
                      static_cast<float>(right[i]));
      }
    }
  }

 private:
  Input input_of(const Tensors& tensors) const {
    Input input(problem_, op_.tensors());
    for (std::size_t i = 0; i < op_.tensors().size(); ++i) {
      const TensorSpec& spec = op_.tensors()[i];
      if (spec.role != TensorSpec::Role::kInput) continue;
      const auto* const data = static_cast<const std::byte*>(tensors[i]);
      input.tensors[i].assign(data, data + bytes_of(problem_, spec));
    }
    return input;
  }

  const Operator& op_;
  Problem problem_;
  LeftOut left_out_;
  int launches_ = 0;
};

class RowWatchTest : public testing::TestWithParam<const char*> {
 protected:
  RowWatchTest() { place(); }

  void place() {
    inputs_.emplace(*device_, std::vector{make_set(op_, problem_, 1), make_set(op_, problem_, 2)});
  }

  /// What is found of ten launches that are watched.
  std::string fault(const Reference::LeftOut& left_out) {
    Prepared prepared{std::make_unique<Reference>(op_, problem_, left_out), {}, {}};
    OutputCheck check(composition_, *inputs_);
    check.poison();
    std::mt19937_64 generator(++seed_);
    for (int i = 0; i < 2; ++i) {
      prepared.executable->launch(inputs_->tensors_of_launch(i), nullptr);
    }
    check.spoil(generator, kLaunches);
    RowWatch watch(*device_, *inputs_, memory_,
                   {composition_, prepared,
                    [&](std::size_t set, std::size_t output) -> const Bounds& {
                      return check.bounds(set, output);
                    }},
                   generator, kLaunches);
    watch.begin();
    device_->time(
        TimingMode::kWarm, kLaunches,
        [&](int i) { prepared.executable->launch(inputs_->tensors_of_launch(i), nullptr); },
        &watch);
    return check.check(*device_, *prepared.executable, watch).reason;
  }

  static constexpr int kLaunches = 10;
  const Operator& op_ = find_operator(GetParam());
  Problem problem_ = small_problem_of_queries();
  const Composition composition_{
      shipped(), {{"external", {{"operator", std::string(GetParam())}, {"library", "none.so"}}}}};
  std::unique_ptr<Device> device_ = open_device("cpu");
  std::optional<GroupInputs> inputs_;
  WatchMemory memory_;
  std::uint64_t seed_ = 0;
};

TEST_P(RowWatchTest, RightLaunchesPass) {
  for (int i = 0; i < 5; ++i) EXPECT_EQ(fault({}), "");
}

TEST_P(RowWatchTest, RightLaunchesPassWhereQueriesAreFewerThanPairs) {
  for (std::int64_t queries = 1; queries < 6; ++queries) {
    problem_.queries = queries;
    place();
    for (int i = 0; i < 5; ++i) EXPECT_EQ(fault({}), "") << queries;
  }
}

TEST_P(RowWatchTest, OneLaunchThatLeavesOutOneOutputIsSeen) {
  const std::size_t outputs = op_.outputs(problem_).size();
  for (std::size_t output = 0; output < outputs; ++output) {
    for (int launch = 2; launch < 2 + kLaunches; launch += 3) {
      const auto one = [&](int i, std::size_t number) { return i == launch && number == output; };
      EXPECT_THAT(fault(one), testing::StartsWith("what was timed: ")) << launch << " " << output;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OfAllOperators, RowWatchTest,
                         testing::Values("forward", "copy", "backward", "fused", "fused-backward"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace msda
