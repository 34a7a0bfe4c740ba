#include <gtest/gtest.h>

#include "conformance/conformance.hpp"
#include "measure/measure.hpp"

namespace msda {
namespace {

class ConformanceOnGpu : public ::testing::TestWithParam<std::string> {};

TEST_P(ConformanceOnGpu, IsRightOnEveryAwkwardProblem) {
  const auto device = open_device("cuda:0");
  expect_conforming(*device, shipped_composition(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Shipped, ConformanceOnGpu,
                         ::testing::ValuesIn(shipped_names(DeviceKind::kCuda)),
                         [](const auto& info) { return test_name(info.param); });

TEST(GpuTiming, EveryModeTimesEachSample) {
  const auto device = open_device("cuda:0");
  const Composition composition(shipped_plugins(), {});
  Problem problem = preset("ddetr-decoder");
  const Prepared prepared = device->prepare(composition, problem);
  const DeviceInput input(*device, generate(problem, {}));
  for (const TimingMode mode : {TimingMode::kCold, TimingMode::kWarm, TimingMode::kGraph}) {
    const auto seconds = device->time(
        mode, 5, [&](int) { prepared.executable->launch(input.tensors(), device->stream()); });
    ASSERT_EQ(seconds.size(), 5U) << name_of(mode);
    for (const double s : seconds) {
      EXPECT_GT(s, 1e-6) << name_of(mode);
      EXPECT_LT(s, 0.1) << name_of(mode);
    }
  }
}

TEST(GpuCeilings, ArePlausible) {
  const auto device = open_device("cuda:0");
  const Ceilings measured = device->measure_ceilings();
  EXPECT_GT(measured.dram_bytes_per_second, 50e9);
  EXPECT_GT(measured.gather_bytes_per_second, measured.dram_bytes_per_second);
}

}  // namespace
}  // namespace msda
