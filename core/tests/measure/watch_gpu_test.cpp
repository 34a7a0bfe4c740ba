// What is timed on a GPU is checked there too, in every mode: honest kernels pass, and those that
// leave out launches do not.
#include <deque>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cuda_runtime_api.h>

#include <msda/operators/forward.hpp>
#include "input/input.hpp"
#include "measure/blocks.hpp"
#include "operators/operator.hpp"
#include "support/no_device.hpp"
#include "support/problems.hpp"

namespace msda {
namespace {

/// A right kernel, but for the launches of which `left_out(launch)` is true.
class Gaps final : public Executable {
 public:
  using LeftOut = std::function<bool(int launch, Stream stream)>;
  Gaps(std::unique_ptr<Executable> right, LeftOut left_out)
      : right_(std::move(right)), left_out_(std::move(left_out)) {}
  void bind(const Tensors& tensors) override { right_->bind(tensors); }
  void launch(const Tensors& tensors, Stream stream) override {
    if (left_out_ && left_out_(launches_++, stream)) return;
    right_->launch(tensors, stream);
  }

 private:
  std::unique_ptr<Executable> right_;
  LeftOut left_out_;
  int launches_ = 0;
};

class Verdicts final : public BlockSink {
 public:
  bool takes_part(std::size_t) const override { return reason.empty(); }
  void run(std::size_t, Step, const std::function<void()>& action) override { action(); }
  void take_samples(std::size_t, SampleBlock block) override { samples.push_back(block); }
  void take_part_samples(std::size_t, std::size_t, SampleBlock) override {}
  void reject(std::size_t, const Verdict& verdict) override { reason = verdict.reason; }
  void after_block(int) override {}

  std::string reason;
  std::vector<SampleBlock> samples;
};

InputSet make_set(const Problem& problem, std::uint64_t seed) {
  Generation generation;
  generation.seed = seed;
  auto input = std::make_shared<const Input>(generate(problem, generation));
  const Operator& op = find_operator("forward");
  auto truths = std::make_shared<const std::vector<Truth>>(make_truths(op, *input));
  return {input, "", &op, truths};
}

/// One problem whose launches take a few microseconds, and one of more than 100.
Problem brief() { return in_type(DType::kFloat16, preset("rtdetr-decoder")); }
Problem long_enough() { return preset("ddetr-encoder"); }

class WatchGpuTest : public testing::TestWithParam<TimingMode> {
 protected:
  Verdicts measure(const Problem& problem, const Gaps::LeftOut& left_out) {
    return measure(composition_, problem, left_out);
  }
  Verdicts measure(const Composition& composition, const Problem& problem,
                   const Gaps::LeftOut& left_out) {
    GroupInputs inputs(*device_, {make_set(problem, 1), make_set(problem, 2)});
    Prepared prepared = device_->prepare(composition, problem);
    prepared.executable = std::make_unique<Gaps>(std::move(prepared.executable), left_out);
    prepared.parts.clear();
    for (std::size_t set = 0; set < inputs.size(); ++set) {
      prepared.executable->bind(inputs.on_device(set).tensors());
    }
    OutputCheck check(composition, inputs);
    Verdicts verdicts;
    verdicts.reason = check.verify(*device_, *prepared.executable, 0).reason;
    const BlockSettings settings{GetParam(), 0, 12, 10, 3, 7, std::chrono::hours(1)};
    Blocks(*device_, inputs, {{&prepared, &check}}, settings, verdicts).run();
    return verdicts;
  }

  const Composition composition_{shipped(), {{"vector-loads", {}}}};
  std::unique_ptr<Device> device_ = open_device("cuda:0");
};

TEST_P(WatchGpuTest, AnHonestKernelHasAllOfItsSamples) {
  for (const Problem& problem : {brief(), long_enough()}) {
    const Verdicts verdicts = measure(problem, {});
    EXPECT_EQ(verdicts.reason, "");
    EXPECT_EQ(verdicts.samples.size(), 12U);
  }
}

/// Clears, passes before and behind the kernel, and a kernel that begins before the last one ends.
TEST_P(WatchGpuTest, SoHasOneWithPassesAroundIt) {
  for (const std::vector<Use>& uses :
       {std::vector<Use>{{"spatial-order", {}}}, std::vector<Use>{{"precomputed-weights", {}}},
        std::vector<Use>{{"fp8-value", {}}}, std::vector<Use>{{"work-stealing", {}}},
        std::vector<Use>{{"precomputed-weights", {}}, {"dependent-launch", {}}}}) {
    const Composition composition(shipped(), uses);
    const Verdicts verdicts = measure(composition, brief(), {});
    EXPECT_EQ(verdicts.reason, "") << composition.describe();
    EXPECT_EQ(verdicts.samples.size(), 12U) << composition.describe();
  }
}

TEST_P(WatchGpuTest, AKernelThatLeavesOutTwoLaunchesOfThreeIsWrong) {
  const auto period = [](int launch, Stream) { return launch > 60 && launch % 3 != 0; };
  for (const Problem& problem : {brief(), long_enough()}) {
    EXPECT_THAT(measure(problem, period).reason, testing::HasSubstr("is not that of its inputs"));
  }
}

/// One launch of ten at any place, in blocks of brief launches.
TEST_P(WatchGpuTest, AKernelThatLeavesOutOneLaunchOfTenIsWrong) {
  if (GetParam() != TimingMode::kCold) GTEST_SKIP() << "twelve blocks are too few";
  for (int place = 0; place < 10; place += 3) {
    const auto one = [place](int launch, Stream) { return launch > 60 && launch % 10 == place; };
    EXPECT_THAT(measure(brief(), one).reason, testing::HasSubstr("is not that of its inputs"))
        << place;
  }
}

/// Of a graph's ten launches the last two write all outputs.
TEST_P(WatchGpuTest, WorkThatIsLeftOutOfAGraphIsMissed) {
  if (!traits_of(GetParam()).in_graph) GTEST_SKIP() << "there is no graph";
  int captured = 0;
  const auto first_eight = [&](int, Stream stream) {
    cudaStreamCaptureStatus status{};
    cudaStreamIsCapturing(static_cast<cudaStream_t>(stream), &status);
    captured = status == cudaStreamCaptureStatusActive ? captured + 1 : 0;
    return captured > 0 && captured <= 8;
  };
  EXPECT_THAT(measure(brief(), first_eight).reason,
              testing::HasSubstr("is not that of its inputs"));
}

INSTANTIATE_TEST_SUITE_P(OfAllModes, WatchGpuTest, testing::ValuesIn(Named<TimingMode>::kValues),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST(GpuInputs, WhoWritesToOneIsNamed) {
  const auto device = open_device("cuda:0");
  GroupInputs inputs(*device, {make_set(brief(), 1), make_set(brief(), 2)});
  EXPECT_EQ(inputs.mend(*device), "");
  auto* const weights = static_cast<std::byte*>(inputs.on_device(1).tensors()[forward::kWeights]);
  const auto bytes = static_cast<std::size_t>(forward::bytes_of(brief(), forward::kWeights));
  ASSERT_EQ(cudaMemset(weights + bytes - 1, 1, 1), cudaSuccess);
  EXPECT_EQ(inputs.mend(*device), "weights");
  EXPECT_EQ(inputs.mend(*device), "");
}

TEST(CudaSettings, OfTheSecondLevelCacheArePutBack) {
  const auto device = open_device("cuda:0");
  auto* const stream = static_cast<cudaStream_t>(device->stream());
  const auto before = device->settings();
  std::size_t part = 0;
  ASSERT_EQ(cudaDeviceGetLimit(&part, cudaLimitPersistingL2CacheSize), cudaSuccess);
  ASSERT_EQ(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, part + (1U << 20U)), cudaSuccess);
  const auto memory = device->allocate(1 << 16);
  cudaStreamAttrValue window{};
  window.accessPolicyWindow = {memory->data(), memory->size(), 1.0F, cudaAccessPropertyPersisting,
                               cudaAccessPropertyStreaming};
  ASSERT_EQ(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &window),
            cudaSuccess);
  const auto arms = device->settings();
  const auto now = [&] {
    std::size_t limit = 0;
    cudaStreamAttrValue value{};
    EXPECT_EQ(cudaDeviceGetLimit(&limit, cudaLimitPersistingL2CacheSize), cudaSuccess);
    EXPECT_EQ(cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value),
              cudaSuccess);
    return std::pair{limit, value.accessPolicyWindow.num_bytes};
  };
  device->apply(*before);
  EXPECT_EQ(now(), (std::pair<std::size_t, std::size_t>(part, 0)));
  device->apply(*arms);
  EXPECT_GE(now().first, part + 1);
  EXPECT_EQ(now().second, memory->size());
  device->apply(*before);
}

}  // namespace
}  // namespace msda
