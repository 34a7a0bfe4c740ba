#include <gtest/gtest.h>

#include "conformance/awkward_problems.hpp"
#include "conformance/combinations.hpp"
#include "conformance/conformance.hpp"

namespace msda {
namespace {

TEST(CombinationsCompile, RandomCompositionsForHopper) {
  const auto awkward = awkward_problems();
  compile_all(random_compositions(60, 20260101), {awkward[5].problem, awkward[8].problem},
              device_to_compile_for(90));
}

TEST(CombinationsCompile, EveryOptimizationForEveryArchitecture) {
  const std::vector<Composition> compositions = shipped_compositions(DeviceKind::kCuda);
  for (const int capability : kGenerations) {
    compile_all(compositions, problems_to_compile_for(), device_to_compile_for(capability));
  }
  for (const int capability : kOtherCapabilities) {
    compile_all(compositions, problems_to_compile_for(), device_to_compile_for(capability));
  }
}

TEST(CombinationsCompile, OtherChoicesForHopper) {
  const auto awkward = awkward_problems();
  compile_all(other_choices(), {awkward[3].problem, awkward[10].problem},
              device_to_compile_for(90));
}

}  // namespace
}  // namespace msda
