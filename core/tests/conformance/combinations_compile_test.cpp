#include <gtest/gtest.h>

#include "conformance/awkward_problems.hpp"
#include "conformance/combinations.hpp"

namespace msda {
namespace {

TEST(CombinationsCompile, RandomCompositionsForHopper) {
  DeviceInfo device;
  device.id = "cuda:0";
  device.kind = DeviceKind::kCuda;
  device.compute_capability = 90;
  device.shared_bytes = 227 << 10;
  const auto awkward = awkward_problems();
  compile_all(random_compositions(60, 20260101), {awkward[5].problem, awkward[8].problem}, device);
}

}  // namespace
}  // namespace msda
