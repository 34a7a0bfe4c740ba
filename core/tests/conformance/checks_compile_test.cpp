// What simt checks, NVRTC compiles: the compiler of simt takes code that NVRTC refuses, and a
// composition that is right on simt alone serves nobody.
#include <gtest/gtest.h>

#include "conformance/combinations.hpp"
#include "conformance/simt_checks.hpp"

namespace msda {
namespace {

constexpr std::size_t kParts = 16;
constexpr int kHopper = 90;

std::vector<SimtCheck> checks() {
  std::vector<SimtCheck> all;
  for (auto& suite : {alone_checks(), fused_checks(), fused_backward_checks(), backward_checks(),
                      level_points_checks(), covering_checks()}) {
    for (const SimtCheck& check : suite) {
      if (!check.cases.empty()) all.push_back(check);
    }
  }
  return all;
}

class ChecksCompile : public testing::TestWithParam<std::size_t> {};

TEST_P(ChecksCompile, ForHopperAsOnSimt) {
  const std::vector<SimtCheck> all = checks();
  std::vector<std::pair<const Composition*, const Problem*>> pairs;
  for (std::size_t at = GetParam(); at < all.size(); at += kParts) {
    pairs.emplace_back(&all[at].composition, &all[at].pool().at(all[at].cases.front()).problem);
  }
  compile_pairs(pairs, device_to_compile_for(kHopper));
}

INSTANTIATE_TEST_SUITE_P(Parts, ChecksCompile, testing::Range(std::size_t{0}, kParts));

}  // namespace
}  // namespace msda
