#include <gtest/gtest.h>

#include "conformance/conformance.hpp"
#include "conformance/head_groups.hpp"
#include "conformance/large_counts.hpp"
#include "conformance/simt_checks.hpp"
#include "measure/verify.hpp"
#include "operators/operator.hpp"
#include "problem/validate.hpp"

namespace msda {
namespace {

class ConformanceOnGpu : public ::testing::TestWithParam<std::string> {};

TEST_P(ConformanceOnGpu, IsRightOnEveryAwkwardProblem) {
  const Composition composition = shipped_composition(GetParam());
  if (composition.device_count() > gpus()) GTEST_SKIP() << "there are fewer GPUs";
  const auto device = open_device("cuda:0");
  expect_conforming(*device, composition);
}

INSTANTIATE_TEST_SUITE_P(Shipped, ConformanceOnGpu,
                         ::testing::ValuesIn(shipped_names(DeviceKind::kCuda)),
                         [](const auto& info) { return test_name(info.param); });
INSTANTIATE_TEST_SUITE_P(Backward, ConformanceOnGpu,
                         ::testing::ValuesIn(shipped_names(DeviceKind::kCuda, "backward")),
                         [](const auto& info) { return test_name(info.param); });

/// Operators whose inputs have a padding mask, reference points of each kind and levels that differ
/// in their points: what simt is asked about them.
class ChecksOnGpu : public ::testing::TestWithParam<std::vector<SimtCheck> (*)()> {};

TEST_P(ChecksOnGpu, AreRightAsOnSimt) {
  const auto device = open_device("cuda:0");
  for (const SimtCheck& check : GetParam()()) {
    EXPECT_EQ(run_on(*device, check), "") << check.composition.describe();
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, ChecksOnGpu,
                         ::testing::Values(&fused_checks, &fused_backward_checks, &backward_checks,
                                           &level_points_checks));

TEST(GpuLaunches, AreRightOneAfterAnother) {
  constexpr int kLaunches = 20;
  const auto device = open_device("cuda:0");
  const std::vector<Case> cases = make_cases(head_problems());
  for (const Composition& composition : launches_in_a_row()) {
    for (const Case& one : cases) {
      if (composition.unsupported(one.problem, device->info())) continue;
      SCOPED_TRACE(composition.describe() + " on " + one.problem.name);
      const Prepared prepared = device->prepare(composition, one.problem);
      DeviceInput input(*device, one.input);
      for (int launch = 0; launch < kLaunches; ++launch) {
        EXPECT_EQ(verify(*device, *prepared.executable, composition, input, one.problem, one.truths)
                      .reason,
                  "")
            << "launch " << launch;
      }
    }
  }
}

TEST(GpuCounts, OutputsValuesAndLocationsOfMoreThanTwoToThe31AreRight) {
  const auto device = open_device("cuda:0");
  if (device->free_bytes() < 12'000'000'000) GTEST_SKIP() << "the GPU has too little memory";
  for (const char* name : {"default", "vector-loads"}) {
    for (const LargeCount& one : large_counts(false)) {
      EXPECT_EQ(fault_of(*device, shipped_composition(name), one), "")
          << name << " " << describe(one.problem);
    }
  }
}

TEST(GpuTiming, EveryModeTimesEachSample) {
  const auto device = open_device("cuda:0");
  const Composition composition(shipped_plugins(), {});
  Problem problem = preset("ddetr-decoder");
  const Prepared prepared = device->prepare(composition, problem);
  const DeviceInput input(*device, generate(problem, {}));
  for (const TimingMode mode : Named<TimingMode>::kValues) {
    const auto seconds = device->time(
        mode, 5, [&](int) { prepared.executable->launch(input.tensors(), device->stream()); });
    ASSERT_EQ(seconds.size(), 5U) << name_of(mode);
    for (const double s : seconds) {
      EXPECT_GT(s, 1e-6) << name_of(mode);
      EXPECT_LT(s, 0.1) << name_of(mode);
    }
  }
}

TEST(GpuSplit, IsRightInEveryModeHoweverTheOutputIsGathered) {
  if (gpus() < 2) GTEST_SKIP() << "there is one GPU";
  const auto device = open_device("cuda:0");
  Problem problem = preset("ddetr-encoder");
  problem.batch = 3;  // two images for one of them
  const Input source = generate(problem, {});
  const std::vector<Truth> truths = make_truths(find_operator("forward"), source);
  DeviceInput input(*device, source);
  for (const char* gather : {"written", "copied"}) {
    const Use split{"batch-split", {{"output", std::string(gather)}}};
    for (const char* name : {"vector-loads", "spatial-order", "tma-boxes", "work-stealing"}) {
      const Composition composition(shipped_plugins(), {{name, {}}, split});
      SCOPED_TRACE(composition.describe());
      const Prepared prepared = device->prepare(composition, problem);
      const auto reason = [&] {
        return verify(*device, *prepared.executable, composition, input, problem, truths).reason;
      };
      EXPECT_EQ(reason(), "");
      for (const TimingMode mode : Named<TimingMode>::kValues) {
        input.poison_outputs();
        const auto seconds = device->time(
            mode, 5, [&](int) { prepared.executable->launch(input.tensors(), device->stream()); });
        for (const double s : seconds) EXPECT_GT(s, 1e-6) << name_of(mode);
        EXPECT_EQ(judge(composition, problem, truths, input.download_outputs()).reason, "")
            << name_of(mode);
      }
      EXPECT_EQ(reason(), "");
    }
  }
}

TEST(GpuSplit, SaysHowManyDevicesThereAre) {
  if (gpus() >= 16) GTEST_SKIP() << "there are as many as a batch is split over";
  const auto device = open_device("cuda:0");
  Problem problem = preset("ddetr-encoder");
  problem.batch = 16;
  const Composition composition(shipped_plugins(),
                                {{"batch-split", {{"devices", std::int64_t{16}}}}});
  try {
    device->prepare(composition, problem);
    FAIL();
  } catch (const Unsupported& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("16 devices from cuda:0 on are needed"),
              std::string::npos)
        << refusal.what();
  }
}

/// Launches the parts of a prepared composition one by one.
class InParts final : public Executable {
 public:
  explicit InParts(const std::vector<LaunchPart>& parts) : parts_(parts) {}
  void launch(const Tensors& tensors, Stream stream) override {
    for (const LaunchPart& part : parts_) part.launch(tensors, stream);
  }

 private:
  const std::vector<LaunchPart>& parts_;
};

TEST(GpuParts, TogetherAreALaunchAndEachIsTimed) {
  const auto device = open_device("cuda:0");
  const Problem problem = preset("ddetr-encoder");
  const Input source = generate(problem, {});
  const std::vector<Truth> truths = make_truths(find_operator("forward"), source);
  DeviceInput input(*device, source);
  for (const char* name : {"spatial-order", "precomputed-weights"}) {
    const Composition composition = shipped_composition(name);
    const Prepared prepared = device->prepare(composition, problem);
    ASSERT_GE(prepared.parts.size(), 2U) << name;
    EXPECT_EQ(prepared.parts.back().name, "kernel");
    InParts in_parts(prepared.parts);
    const Verdict verdict = verify(*device, in_parts, composition, input, problem, truths);
    EXPECT_TRUE(verdict.right) << name << ": " << verdict.reason;
    const auto parts = static_cast<int>(prepared.parts.size());
    const auto launch = [&](int, int part) {
      prepared.parts[static_cast<std::size_t>(part)].launch(input.tensors(), device->stream());
    };
    for (const TimingMode mode : {TimingMode::kCold, TimingMode::kWarm}) {
      const auto seconds = device->time_parts(mode, 3, parts, launch, nullptr);
      ASSERT_EQ(seconds.size(), prepared.parts.size());
      for (const auto& samples : seconds) {
        ASSERT_EQ(samples.size(), 3U);
        for (const double s : samples) EXPECT_GT(s, 0) << name;
      }
    }
    EXPECT_THROW(device->time_parts(TimingMode::kGraph, 3, parts, launch, nullptr), Unsupported);
  }
  EXPECT_TRUE(device->prepare({shipped_plugins(), {}}, problem).parts.empty());
}

TEST(GpuCeilings, ArePlausible) {
  const auto device = open_device("cuda:0");
  const Ceilings measured = device->measure_ceilings();
  EXPECT_GT(measured.dram_bytes_per_second, 50e9);
  EXPECT_GT(measured.gather_bytes_per_second, measured.dram_bytes_per_second);
}

}  // namespace
}  // namespace msda
