#include <gtest/gtest.h>

#include "conformance/awkward_problems.hpp"
#include "conformance/combinations.hpp"

namespace msda {
namespace {

TEST(CombinationsCompile, RandomCompositionsForHopper) {
  const auto awkward = awkward_problems();
  compile_all(random_compositions(60, 20260101), {awkward[5].problem, awkward[8].problem},
              device_to_compile_for(90));
}

}  // namespace
}  // namespace msda
