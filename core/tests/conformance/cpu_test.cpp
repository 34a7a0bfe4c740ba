#include <gtest/gtest.h>

#include "conformance/conformance.hpp"

namespace msda {
namespace {

class ConformanceOnCpu : public ::testing::TestWithParam<std::string> {};

TEST_P(ConformanceOnCpu, IsRightOnEveryAwkwardProblem) {
  const auto device = open_device("cpu");
  expect_conforming(*device, shipped_composition(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Shipped, ConformanceOnCpu,
                         ::testing::ValuesIn(shipped_names(DeviceKind::kCpu)),
                         [](const auto& info) { return test_name(info.param); });

INSTANTIATE_TEST_SUITE_P(Backward, ConformanceOnCpu,
                         ::testing::ValuesIn(shipped_names(DeviceKind::kCpu, "backward")),
                         [](const auto& info) { return test_name(info.param); });

INSTANTIATE_TEST_SUITE_P(Fused, ConformanceOnCpu,
                         ::testing::ValuesIn(shipped_names(DeviceKind::kCpu, "fused")),
                         [](const auto& info) { return test_name(info.param); });

INSTANTIATE_TEST_SUITE_P(FusedBackward, ConformanceOnCpu,
                         ::testing::ValuesIn(shipped_names(DeviceKind::kCpu, "fused-backward")),
                         [](const auto& info) { return test_name(info.param); });

TEST(ShippedPlugins, AreAllUsable) {
  EXPECT_FALSE(shipped_plugins().plugins().empty());
  for (const Plugin& plugin : shipped_plugins().plugins())
    EXPECT_EQ(plugin.error, "") << plugin.name;
}

}  // namespace
}  // namespace msda
