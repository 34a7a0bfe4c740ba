// Interleaved blocks and the check of what they time, with kernels made for it on the CPU.
#include "measure/blocks.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <deque>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <msda/operators/forward.hpp>
#include "input/elements.hpp"
#include "measure/shuffle.hpp"
#include "operators/operator.hpp"
#include "support/no_device.hpp"
#include "support/problems.hpp"

namespace msda {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

Problem forty_queries() {
  Problem problem = tiny_problem();
  problem.queries = 40;
  return problem;
}

InputSet make_set(std::uint64_t seed) {
  Generation generation;
  generation.seed = seed;
  auto input = std::make_shared<const Input>(generate(forty_queries(), generation));
  const Operator& op = find_operator("forward");
  auto truths = std::make_shared<const std::vector<Truth>>(make_truths(op, *input));
  return {input, "", &op, truths};
}

/// The operator's reference on the inputs as they lie there; `instead(launch, tensors)` says what
/// it does instead.
class Known final : public Executable {
 public:
  /// Returns whether the launch is left out.
  using Instead = std::function<bool(int launch, const Tensors& tensors)>;
  explicit Known(Instead instead = {}) : instead_(std::move(instead)) {}

  void launch(const Tensors& tensors, Stream) override {
    if (instead_ && instead_(launches_++, tensors)) return;
    compute(tensors);
  }

  static float* output_of(const Tensors& tensors) {
    return static_cast<float*>(tensors[forward::kOutput]);
  }

  static void compute(const Tensors& tensors) {
    Input input(forty_queries(), forward::kTensors);
    for (const forward::Tensor tensor : {forward::kValue, forward::kLocations, forward::kWeights}) {
      const auto* const data = static_cast<const std::byte*>(tensors[tensor]);
      input.tensors[tensor].assign(data, data + forward::bytes_of(input.problem, tensor));
    }
    const auto right = find_operator("forward").reference(input, 1);
    std::copy(right.front().begin(), right.front().end(), output_of(tensors));
  }

 private:
  Instead instead_;
  int launches_ = 0;
};

/// Notes what it is given.
class Notes final : public BlockSink {
 public:
  explicit Notes(std::size_t arms) : rejected(arms), samples(arms), parts(arms) {}

  bool takes_part(std::size_t arm) const override { return rejected[arm].empty(); }
  void run(std::size_t arm, Step step, const std::function<void()>& action) override {
    if (step == Step::kSamples) order.push_back(arm);
    action();
  }
  void take_samples(std::size_t arm, SampleBlock block) override {
    samples[arm].push_back(std::move(block));
  }
  void take_part_samples(std::size_t arm, std::size_t part, SampleBlock block) override {
    parts[arm][part].push_back(std::move(block));
  }
  void reject(std::size_t arm, const Verdict& verdict) override { rejected[arm] = verdict.reason; }
  void after_block(int blocks_done) override { blocks = blocks_done; }

  int blocks = 0;
  std::vector<std::string> rejected;
  std::vector<std::size_t> order;
  std::vector<std::vector<SampleBlock>> samples;
  std::vector<std::map<std::size_t, std::vector<SampleBlock>>> parts;
};

class BlocksTest : public testing::Test {
 protected:
  void add(Known::Instead instead = {}) {
    prepared_.push_back({std::make_unique<Known>(std::move(instead)), {}, {}});
    checks_.emplace_back(composition_, inputs_);
  }

  BlocksRun run(Notes& notes) {
    std::vector<TimedArm> arms;
    for (std::size_t i = 0; i < prepared_.size(); ++i) {
      arms.push_back({&prepared_[i], &checks_[i]});
    }
    return Blocks(*device_, inputs_, std::move(arms), settings_, notes).run();
  }

  /// The reason for which a kernel is rejected that was right when it was verified.
  std::string reason_for(Known::Instead instead) {
    add(std::move(instead));
    EXPECT_TRUE(checks_.back().verify(*device_, *prepared_.back().executable, 0).right);
    Notes notes(prepared_.size());
    run(notes);
    return notes.rejected.back();
  }

  const Composition composition_{shipped(), {{"cpu-scalar", {}}}};
  std::unique_ptr<Device> device_ = open_device("cpu");
  GroupInputs inputs_{*device_, {make_set(1), make_set(2)}};
  BlockSettings settings_{TimingMode::kWarm, 3, 4, 5, 2, 7, std::chrono::hours(1)};
  std::vector<Prepared> prepared_;
  std::deque<OutputCheck> checks_;
};

TEST_F(BlocksTest, EveryArmHasItsSamplesOfEveryBlock) {
  for (int i = 0; i < 3; ++i) add();
  Notes notes(3);
  const BlocksRun done = run(notes);
  EXPECT_EQ(done.stopped_by, "blocks");
  EXPECT_GT(done.seconds, 0);
  EXPECT_EQ(notes.blocks, 4);
  for (const auto& blocks : notes.samples) {
    ASSERT_THAT(blocks, SizeIs(4));
    for (int b = 0; b < 4; ++b) {
      const SampleBlock& block = blocks[static_cast<std::size_t>(b)];
      EXPECT_EQ(block.process, 3);
      EXPECT_EQ(block.block, b);
      EXPECT_THAT(block.seconds, SizeIs(5));
    }
  }
}

TEST_F(BlocksTest, TheOrderIsRandomAndTheSeedsOwn) {
  for (int i = 0; i < 6; ++i) add();
  Notes first(6);
  Notes second(6);
  run(first);
  run(second);
  EXPECT_EQ(first.order, second.order);
  const std::vector<std::size_t> block0(first.order.begin(), first.order.begin() + 6);
  const std::vector<std::size_t> block1(first.order.begin() + 6, first.order.begin() + 12);
  EXPECT_NE(block0, block1);
  EXPECT_THAT(block1, testing::UnorderedElementsAre(0, 1, 2, 3, 4, 5));
  settings_.process = 4;
  Notes other(6);
  run(other);
  EXPECT_NE(first.order, other.order);
}

TEST_F(BlocksTest, TheBudgetEndsThemAfterOneAtLeast) {
  add();
  settings_.budget = std::chrono::seconds(0);
  Notes notes(1);
  EXPECT_EQ(run(notes).stopped_by, "budget");
  EXPECT_THAT(notes.samples[0], SizeIs(1));
}

TEST_F(BlocksTest, PartsAreTimedByThemselves) {
  add();
  const auto nothing = [](const Tensors&, Stream) {};
  prepared_[0].parts = {{"clear", nothing}, {"kernel", nothing}};
  Notes notes(1);
  run(notes);
  ASSERT_THAT(notes.parts[0], SizeIs(2));
  EXPECT_THAT(notes.parts[0][1], SizeIs(4));
  EXPECT_THAT(notes.parts[0][1].back().seconds, SizeIs(5));
}

TEST_F(BlocksTest, WorkIsNotLeftOutWhereTheOutputIsThereAlready) {
  const auto cheat = [](int, const Tensors& tensors) {
    return !std::isnan(Known::output_of(tensors)[0]);
  };
  EXPECT_THAT(reason_for(cheat), StartsWith("what was timed: "));
}

TEST_F(BlocksTest, WorkIsNotLeftOutWhereNoElementIsPoisoned) {
  const auto cheat = [this](int, const Tensors& tensors) {
    const float* const output = Known::output_of(tensors);
    const auto count = elements(inputs_.problem(), forward::kOutput);
    return std::none_of(output, output + count, [](float x) { return std::isnan(x); });
  };
  EXPECT_THAT(reason_for(cheat), StartsWith("what was timed: "));
}

TEST_F(BlocksTest, ALaunchThatIsNotTheFirstHasToBeRight) {
  const auto later = [](int launch, const Tensors& tensors) {
    if (launch < 2) return false;  // those of verification
    Known::output_of(tensors)[0] = 0;
    return true;
  };
  EXPECT_THAT(reason_for(later), StartsWith("what was timed: "));
}

TEST_F(BlocksTest, ARowOfZerosAmongTheSamplesIsSeen) {
  const auto zero_row = [](int launch, const Tensors& tensors) {
    if (launch < 2) return false;
    Known::compute(tensors);
    std::fill_n(Known::output_of(tensors) + std::ptrdiff_t{8} * 17, 8, 0.0F);
    return true;
  };
  EXPECT_THAT(reason_for(zero_row), StartsWith("what was timed: "));
}

TEST_F(BlocksTest, ASingleLaunchInTheMiddleOfASeriesThatDoesNothingIsSeen) {
  // Two of verification; a block is two of warm-up and five samples.
  for (int skipped = 4; skipped < 9; ++skipped) {
    EXPECT_THAT(reason_for([=](int launch, const Tensors&) { return launch == skipped; }),
                HasSubstr("is not that of its inputs"))
        << skipped;
  }
}

TEST_F(BlocksTest, OutputsThatAreRememberedByTheirPointersAreOld) {
  std::map<void*, std::vector<float>> memory;
  const auto count = static_cast<std::size_t>(elements(inputs_.problem(), forward::kOutput));
  const auto remembered = [&](int, const Tensors& tensors) {
    float* const output = Known::output_of(tensors);
    const auto found = memory.find(tensors[forward::kLocations]);
    if (found != memory.end()) {
      std::copy(found->second.begin(), found->second.end(), output);
      return true;
    }
    Known::compute(tensors);
    memory[tensors[forward::kLocations]].assign(output, output + count);
    return true;
  };
  EXPECT_THAT(reason_for(remembered), HasSubstr("is that of the inputs which lay there before"));
}

TEST_F(BlocksTest, OutputsThatAreRememberedByASampleOfTheContentAreOld) {
  std::map<std::vector<float>, std::vector<float>> memory;
  const auto count = static_cast<std::size_t>(elements(inputs_.problem(), forward::kOutput));
  const auto remembered = [&](int, const Tensors& tensors) {
    float* const output = Known::output_of(tensors);
    const auto* const weights = static_cast<const float*>(tensors[forward::kWeights]);
    std::vector<float>& known = memory[{weights, weights + 4}];
    if (known.empty()) {
      Known::compute(tensors);
      known.assign(output, output + count);
    }
    std::copy(known.begin(), known.end(), output);
    return true;
  };
  EXPECT_THAT(reason_for(remembered), HasSubstr("is that of the inputs which lay there before"));
}

TEST_F(BlocksTest, WhoWritesToAnInputIsNamedAndTheInputIsMended) {
  const auto scribble = [](int launch, const Tensors& tensors) {
    if (launch >= 2) static_cast<float*>(tensors[forward::kValue])[3] = 0;
    return false;
  };
  EXPECT_EQ(reason_for(scribble), "what was timed: it wrote to its input `value`");
  add();
  EXPECT_TRUE(checks_.back().verify(*device_, *prepared_.back().executable, 0).right);
}

TEST_F(BlocksTest, WhoWritesToAnInputWhenItIsVerifiedIsNamedToo) {
  add([](int, const Tensors& tensors) {
    static_cast<float*>(tensors[forward::kLocations])[0] += 0.25F;
    return false;
  });
  EXPECT_EQ(checks_.back().verify(*device_, *prepared_.back().executable, 0).reason,
            "it wrote to its input `locations`");
}

TEST_F(BlocksTest, WhoWritesToAnInputAndPutsBackWhatWasThereIsNamed) {
  const auto write_from = [](int first) {
    return [first](int launch, const Tensors& tensors) {
      auto* const weight = static_cast<volatile float*>(tensors[forward::kWeights]) + 5;
      if (launch >= first) *weight = *weight;
      return false;
    };
  };
  EXPECT_EQ(reason_for(write_from(2)), "what was timed: it wrote to its input `weights`");
  add(write_from(0));
  EXPECT_EQ(checks_.back().verify(*device_, *prepared_.back().executable, 0).reason,
            "it wrote to its input `weights`");
}

TEST_F(BlocksTest, AFaultElsewhereIsAnArmsOwn) {
  add([](int, const Tensors&) -> bool {
    raise(SIGSEGV);
    return false;
  });
  const auto verify = [&] { checks_.back().verify(*device_, *prepared_.back().executable, 0); };
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(verify(), "");
}

TEST_F(BlocksTest, InputsAreAsTheyWereAfterEveryBlock) {
  add();
  Notes notes(1);
  run(notes);
  for (std::size_t set = 0; set < inputs_.size(); ++set) {
    const Tensors& tensors = inputs_.on_device(set).tensors();
    for (const forward::Tensor tensor : {forward::kLocations, forward::kWeights}) {
      const Bytes& right = inputs_.set(set).input->tensors[tensor];
      EXPECT_EQ(std::memcmp(tensors[tensor], right.data(), right.size()), 0);
    }
  }
}

TEST_F(BlocksTest, InputsAreAsTheyWereAfterALaunchThatThrowsAmongTheSamples) {
  add([](int launch, const Tensors&) -> bool {
    if (launch == 5) throw Error("as it was told");
    return false;
  });
  Notes notes(1);
  EXPECT_THROW(run(notes), Error);
  for (std::size_t set = 0; set < inputs_.size(); ++set) {
    const Bytes& right = inputs_.set(set).input->tensors[forward::kLocations];
    const Tensors& tensors = inputs_.on_device(set).tensors();
    EXPECT_EQ(std::memcmp(tensors[forward::kLocations], right.data(), right.size()), 0);
  }
}

TEST_F(BlocksTest, InputsAreAsTheyWereAfterAnArmThatCannotPrepareAgain) {
  add();
  int prepared = 0;
  const auto prepare = [&](const Tensors&, Stream) {
    if (++prepared > 1) throw Error("as it was told");
  };
  prepared_.back().parts = {{"prepare", prepare, true}};
  Notes notes(1);
  EXPECT_THROW(run(notes), Error);
  EXPECT_EQ(prepared, 3) << "the second set's, and once more for the first when all is put back";
  for (std::size_t set = 0; set < inputs_.size(); ++set) {
    const Bytes& right = inputs_.set(set).input->tensors[forward::kLocations];
    const Tensors& tensors = inputs_.on_device(set).tensors();
    EXPECT_EQ(std::memcmp(tensors[forward::kLocations], right.data(), right.size()), 0);
  }
}

TEST_F(BlocksTest, OtherBitsThanWhenItWasVerifiedAreSeenAfterTheSamplesToo) {
  int launches = 0;
  add([&](int launch, const Tensors& tensors) {
    launches = launch + 1;
    Known::compute(tensors);
    float& first = Known::output_of(tensors)[0];
    if (launch > 2) first = std::nextafter(first, 2.0F);
    return true;
  });
  const auto verify = [&] { return checks_[0].verify(*device_, *prepared_[0].executable, 0); };
  const Verdict first = verify();
  EXPECT_TRUE(first.right);
  const Verdict same = verify();
  EXPECT_TRUE(same.right);
  EXPECT_EQ(same.outputs.at(0).comparison.relative_l2, first.outputs.at(0).comparison.relative_l2);
  EXPECT_EQ(launches, 3) << "bits that are known have their verdict";
  EXPECT_EQ(verify().reason, "it gave other bits than when it was verified");
}

TEST_F(BlocksTest, WhatIsRejectedTakesNoFurtherPart) {
  add([](int, const Tensors& tensors) { return !std::isnan(Known::output_of(tensors)[0]); });
  add();
  Notes notes(2);
  run(notes);
  EXPECT_FALSE(notes.rejected[0].empty());
  EXPECT_LT(notes.samples[0].size(), 4U);
  EXPECT_THAT(notes.samples[1], SizeIs(4));
}

TEST(Shuffle, GivesEveryOrderAndTheSameForASeed) {
  std::map<std::vector<std::size_t>, int> seen;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    auto generator = generator_of(Purpose::kOrder, {seed, 1});
    auto same = generator_of(Purpose::kOrder, {seed, 1});
    const auto order = shuffled(3, generator);
    EXPECT_EQ(order, shuffled(3, same));
    ++seen[order];
  }
  EXPECT_THAT(seen, SizeIs(6));
  for (const auto& [order, count] : seen) EXPECT_GT(count, 60);
}

TEST(Shuffle, AllBitsOfANumberTellSequencesApart) {
  constexpr std::uint64_t kHigh = std::uint64_t{1} << 32U;
  auto low = generator_of(Purpose::kOrder, {1});
  auto high = generator_of(Purpose::kOrder, {1 + kHigh});
  EXPECT_NE(low(), high());
}

}  // namespace
}  // namespace msda
