#include <gtest/gtest.h>

#include "conformance/conformance.hpp"

namespace msda {
namespace {

TEST(ConformanceOnCpu, EveryKernelIsRightOnEveryAwkwardProblem) {
  const auto device = open_device("cpu");
  const auto compositions = shipped_compositions(DeviceKind::kCpu);
  ASSERT_FALSE(compositions.empty()) << "no CPU kernel was found";
  for (const Composition& composition : compositions) expect_conforming(*device, composition);
}

}  // namespace
}  // namespace msda
