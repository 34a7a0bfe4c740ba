// What the watch of launches sees of each operator: right launches pass, whatever the operator, and
// one launch among many that leaves out an output, or hands out an old one, does not.
#include "measure/row_watch.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <map>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "input/elements.hpp"
#include "measure/output_check.hpp"
#include "operators/linear.hpp"
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

/// The operator's reference on what lies there, which `cheat` then takes back.
class Reference final : public Executable {
 public:
  /// Of output number `output` what lay there before a launch, and what lies there now.
  using Cheat =
      std::function<void(int launch, std::size_t output, const Bytes& before, std::byte* now)>;
  Reference(const Operator& op, const Problem& problem, Cheat cheat)
      : op_(op), problem_(problem), cheat_(std::move(cheat)) {}

  void launch(const Tensors& tensors, Stream) override {
    const int launch = launches_++;
    const auto outputs = op_.reference(input_of(tensors), 1);
    for (std::size_t number = 0; const std::size_t tensor : op_.outputs(problem_)) {
      const std::size_t own = number++;
      const std::vector<double>& right = outputs[own];
      const DType type = type_of(problem_, op_.tensors()[tensor]);
      auto* const data = static_cast<std::byte*>(tensors[tensor]);
      const Bytes before(data, data + right.size() * size_of(type));
      for (std::size_t i = 0; i < right.size(); ++i) {
        store_element(type, data, static_cast<std::int64_t>(i), static_cast<float>(right[i]));
      }
      if (cheat_) cheat_(launch, own, before, data);
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
  Cheat cheat_;
  int launches_ = 0;
};

/// What was in an output after the launch before on the same buffer.
using Memory = std::map<std::byte*, Bytes>;

class RowWatchTest : public testing::TestWithParam<const char*> {
 protected:
  RowWatchTest() { place(); }

  void place() {
    inputs_.emplace(*device_, std::vector{make_set(op_, problem_, 1), make_set(op_, problem_, 2)});
  }

  /// Of ten launches.
  RowWatch watch_of(Prepared& prepared, OutputCheck& check, const std::mt19937_64& generator) {
    return {*device_,
            *inputs_,
            memory_,
            WatchedArm{composition_, prepared,
                       [&check](std::size_t set, std::size_t output) -> const Bounds& {
                         return check.bounds(set, output);
                       }},
            generator,
            kLaunches};
  }

  /// What is found of ten launches that are watched.
  std::string fault(const Reference::Cheat& cheat) {
    Prepared prepared{std::make_unique<Reference>(op_, problem_, cheat), {}, {}};
    OutputCheck check(composition_, *inputs_);
    for (std::size_t set = 0; verified_ && set < inputs_->size(); ++set) {
      EXPECT_TRUE(check.verify(*device_, *prepared.executable, set).right);
    }
    check.poison();
    std::mt19937_64 generator(++seed_);
    for (int i = 0; i < 2; ++i) {
      prepared.executable->launch(inputs_->tensors_of_launch(i), nullptr);
    }
    check.spoil(generator, kLaunches);
    RowWatch watch = watch_of(prepared, check, generator);
    watch.begin();
    is_timed_ = true;
    device_->time(
        TimingMode::kWarm, kLaunches,
        [&](int i) { prepared.executable->launch(inputs_->tensors_of_launch(i), nullptr); },
        &watch);
    is_timed_ = false;
    return check.check(*device_, *prepared.executable, watch).reason;
  }

  void expect_repairs_are_seen();

  static constexpr int kLaunches = 10;
  const Operator& op_ = find_operator(GetParam());
  Problem problem_ = small_problem_of_queries();
  const Composition composition_{
      shipped(), {{"external", {{"operator", std::string(GetParam())}, {"library", "none.so"}}}}};
  std::unique_ptr<Device> device_ = open_device("cpu");
  std::optional<GroupInputs> inputs_;
  WatchMemory memory_;
  std::uint64_t seed_ = 0;
  bool verified_ = false;  ///< before it is timed, on each set
  bool is_timed_ = false;  ///< now
};

/// Or those who compute a softmax in float32 would be accused.
TEST_P(RowWatchTest, AnExternalKernelMayRoundWhatItsOperatorRounds) {
  const auto borrowed = op_.borrows();
  EXPECT_EQ(composition_.arithmetic(problem_), borrowed ? borrowed->arithmetic : Arithmetic{});
}

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

TEST_P(RowWatchTest, WhatIsLeftFromTheRunBeforeIsNotWritten) {
  OutputCheck check(composition_, *inputs_);
  Reference once(op_, problem_, [](int launch, std::size_t, const Bytes& before, std::byte* now) {
    if (launch > 1) std::ranges::copy(before, now);
  });
  EXPECT_TRUE(check.verify(*device_, once, 0).right);
  const Verdict verdict = check.verify(*device_, once, 0);
  EXPECT_FALSE(verdict.right);
  EXPECT_THAT(verdict.reason, testing::HasSubstr("were not written"));
}

TEST_P(RowWatchTest, OneLaunchThatLeavesOutOneOutputIsSeen) {
  const std::size_t outputs = op_.outputs(problem_).size();
  for (std::size_t output = 0; output < outputs; ++output) {
    for (int launch = 2; launch < 2 + kLaunches; launch += 3) {
      const auto one = [&](int i, std::size_t number, const Bytes& before, std::byte* now) {
        if (i == launch && number == output) std::ranges::copy(before, now);
      };
      EXPECT_THAT(fault(one), testing::StartsWith("what was timed: ")) << launch << " " << output;
    }
  }
}

/// Of launches whose rows of the launch before are there still, but for those that somebody else
/// wrote to.
void RowWatchTest::expect_repairs_are_seen() {
  if (!op_.queries_are_alike()) GTEST_SKIP() << "nothing can be exchanged";
  const std::vector<std::size_t> outputs = op_.outputs(problem_);
  const auto rows = static_cast<std::size_t>(problem_.batch * problem_.queries);
  for (std::size_t output = 0; output < outputs.size(); ++output) {
    if (op_.tensors()[outputs[output]].axes[1] != Axis::kQuery) continue;
    Memory memory;
    const auto repair = [&](int, std::size_t number, const Bytes& before, std::byte* now) {
      if (number != output) return;
      Bytes& last = memory[now];
      const std::size_t bytes = before.size() / rows;
      for (std::size_t at = 0; !last.empty() && at < before.size(); at += bytes) {
        const auto own = before.begin() + static_cast<std::ptrdiff_t>(at);
        if (std::equal(own, own + static_cast<std::ptrdiff_t>(bytes),
                       last.begin() + (own - before.begin()))) {
          std::copy_n(own, bytes, now + at);
        }
      }
      last.assign(now, now + before.size());
    };
    EXPECT_THAT(fault(repair), testing::StartsWith("what was timed: after a launch the "))
        << output;
  }
}

TEST_P(RowWatchTest, LaunchesThatOnlyRepairTheirOutputsAreSeen) { expect_repairs_are_seen(); }

TEST_P(RowWatchTest, LaunchesThatOnlyRepairTheirOutputsAreSeenOnTwoQueries) {
  problem_.queries = 2;
  place();
  expect_repairs_are_seen();
}

/// A sum over queries that is copied from the first launch, beside gradients of points that are
/// right.
TEST_P(RowWatchTest, AnOldSumOverQueriesIsSeen) {
  const auto* const linear = dynamic_cast<const LinearOperator*>(&op_);
  if (linear == nullptr) GTEST_SKIP() << "there is none";
  for (int i = 0; i < 10; ++i) {
    if (i == 5) {  // and where nobody asks for the others
      problem_.unasked = ~(1U << linear->sum_of_queries());
      place();
    }
    Memory memory;
    const auto sum_of_first = [&](int, std::size_t number, const Bytes& before, std::byte* now) {
      if (number != 0) return;
      Bytes& first = memory[now];
      if (first.empty()) first.assign(now, now + before.size());
      std::ranges::copy(first, now);
    };
    EXPECT_THAT(fault(sum_of_first),
                testing::HasSubstr("of grad_value is that of the inputs which lay there before"));
  }
}

std::atomic<int> pages_written = 0;
constexpr std::size_t kPage = 4096;

void note_page(int, siginfo_t* info, void*) {
  const auto page = reinterpret_cast<std::uintptr_t>(info->si_addr) / kPage * kPage;
  mprotect(reinterpret_cast<void*>(page), kPage, PROT_READ | PROT_WRITE);
  ++pages_written;
}

/// Or pages that were written to would tell which rows have to be computed again.
TEST_P(RowWatchTest, AllPagesOfAnOutputAreWrittenBetweenLaunches) {
  problem_.queries = 300;
  place();
  Prepared prepared{std::make_unique<Reference>(op_, problem_, nullptr), {}, {}};
  OutputCheck check(composition_, *inputs_);
  RowWatch watch = watch_of(prepared, check, std::mt19937_64(1));
  watch.begin();
  watch.before(0);
  const std::size_t output = op_.outputs(problem_).back();
  auto begin = reinterpret_cast<std::uintptr_t>(inputs_->tensors_of_launch(1)[output]);
  const DeviceInput& input = inputs_->on_device(1);
  const std::uintptr_t end = (begin + input.output_bytes(input.outputs() - 1)) / kPage * kPage;
  begin = (begin + kPage - 1) / kPage * kPage;
  ASSERT_GT(end, begin);
  struct sigaction before, action = {};
  action.sa_sigaction = note_page;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, &before);
  pages_written = 0;
  mprotect(reinterpret_cast<void*>(begin), end - begin, PROT_READ);
  watch.after(0);
  mprotect(reinterpret_cast<void*>(begin), end - begin, PROT_READ | PROT_WRITE);
  sigaction(SIGSEGV, &before, nullptr);
  EXPECT_EQ(static_cast<std::size_t>(pages_written), (end - begin) / kPage);
}

/// Rows that nearly cancel, until one of their parts is left out or changes its sign: what is
/// rounded then is many times as large as what is known.
TEST_P(RowWatchTest, RightLaunchesPassWhoseRowsAreLargeForTheInputsOfTheWatchAlone) {
  problem_.types = Types::all(DType::kFloat16);
  problem_.points = 2;
  problem_.levels = {{1, 1}};
  std::vector<InputSet> sets{make_set(op_, problem_, 1)};
  auto input = std::make_shared<Input>(*sets[0].input);
  for (const auto& [name, sign] : {std::pair("weights", -1.0F), std::pair("grad_output", 1.0F)}) {
    const auto spec = std::ranges::find(op_.tensors(), std::string_view(name), &TensorSpec::name);
    if (spec == op_.tensors().end()) continue;
    Bytes& tensor = input->at(name);
    const auto count = static_cast<std::int64_t>(tensor.size() / 2);
    for (std::int64_t i = 0; i < count; i += 2) {
      const float number = 1 + static_cast<float>(i % 97) / 1024;
      store_element(DType::kFloat16, tensor.data(), i, number);
      store_element(DType::kFloat16, tensor.data(), i + 1, sign * (number + 1.0F / 512));
    }
  }
  sets[0].input = input;
  sets[0].truths = std::make_shared<const std::vector<Truth>>(make_truths(op_, *input, 1));
  inputs_.emplace(*device_, sets);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(fault({}), "");
}

/// Of a large output one part is read back.
TEST_P(RowWatchTest, RowsOfEachPartAreWhatTheyAreWithoutTheWatch) {
  Prepared prepared{std::make_unique<Reference>(op_, problem_, nullptr), {}, {}};
  OutputCheck check(composition_, *inputs_);
  RowWatch watch = watch_of(prepared, check, std::mt19937_64(1));
  watch.begin();
  for (int i = 0; i < 6; ++i) {
    watch.before(i);
    prepared.executable->launch(inputs_->tensors_of_launch(i), nullptr);
    watch.after(i);
  }
  for (std::size_t set = 0; set < inputs_->size(); ++set) {
    EXPECT_EQ(watch.has_moved(set), op_.queries_are_alike());
    const DeviceInput& input = inputs_->on_device(set);
    for (std::size_t output = 0; output < input.outputs(); ++output) {
      const Truth& truth = inputs_->truths(op_, set)[output];
      Bytes known(input.output_bytes(output));
      const std::vector<float> numbers(truth.output.begin(), truth.output.end());
      store_floats(truth.shape.type, numbers, known.data(), 0);
      const auto row = static_cast<std::size_t>(truth.shape.elements) * sizeof(float);
      for (std::size_t first = 0; first < known.size(); first += row) {
        const std::size_t size = std::min(3 * row, known.size() - first);
        Bytes part = input.download_output(output, first, size);
        watch.undo(set, output, first, part);
        EXPECT_TRUE(std::ranges::equal(part, std::span(known).subspan(first, size)))
            << output << " from byte " << first;
      }
    }
  }
}

/// Timed launches round the last bit another way than those that are verified, and the one that
/// follows the samples: no error is too large, and still they compute something else.
TEST_P(RowWatchTest, OtherBitsOfTimedLaunchesAloneAreSeen) {
  verified_ = true;
  const auto round = [this](int, std::size_t, const Bytes& before, std::byte* now) {
    for (std::size_t at = 0; is_timed_ && at < before.size(); at += sizeof(float)) {
      now[at] ^= std::byte{1};
    }
  };
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(fault({}), "");
    EXPECT_THAT(fault(round), testing::StartsWith("what was timed: "));
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
