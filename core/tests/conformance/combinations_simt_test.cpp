#include <gtest/gtest.h>

#include "conformance/combinations.hpp"

namespace msda {
namespace {

TEST(CombinationsOnSimt, RandomCompositionsAreRight) {
  std::uint64_t seed = 0;
  for (const Composition& composition : random_compositions(60, 20260101)) {
    const auto device = open_device("simt:" + std::to_string(seed++));
    expect_conforming(*device, composition, {3, 5, 6});
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace msda
