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

TEST(CombinationsCompile, EveryOptimizationForTheOtherArchitectures) {
  std::vector<Composition> compositions;
  for (const std::string& name : shipped_names(DeviceKind::kCuda)) {
    compositions.push_back(shipped_composition(name));
  }
  for (const int capability : kOtherCapabilities) {
    compile_all(compositions, problems_to_compile_for(), device_to_compile_for(capability));
  }
}

}  // namespace
}  // namespace msda
