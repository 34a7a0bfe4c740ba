#include <gtest/gtest.h>

#include "conformance/awkward_problems.hpp"
#include "conformance/combinations.hpp"

namespace msda {
namespace {

/// Compiles in parallel first; then each composition runs on each of the problems.
void expect_all_conforming(const std::vector<Composition>& compositions,
                           const std::vector<std::size_t>& problems) {
  const auto device = open_device("cuda:0");
  const auto awkward = awkward_problems();
  std::vector<Problem> chosen;
  chosen.reserve(problems.size());
  for (const std::size_t p : problems) chosen.push_back(awkward[p].problem);
  compile_all(compositions, chosen, device->info());
  for (const Composition& composition : compositions) {
    expect_conforming(*device, composition, problems);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(CombinationsOnGpu, OtherChoicesAreRight) {
  expect_all_conforming(other_choices(), {3, 4, 5, 6, 8, 10, 13});
}

TEST(CombinationsOnGpu, AllPairsAreRight) { expect_all_conforming(all_pairs(), {3, 4, 6, 8, 13}); }

TEST(CombinationsOnGpu, RandomCompositionsAreRight) {
  expect_all_conforming(random_compositions(200, 20260101), {3, 5, 6, 10});
}

}  // namespace
}  // namespace msda
