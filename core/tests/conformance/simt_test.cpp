// Every shipped optimization on the device simt: without a GPU, and with the checks that a GPU does
// not make. Each has a seed of its own, and three of the awkward problems that it can run.
#include <gtest/gtest.h>

#include <algorithm>

#include "conformance/awkward_problems.hpp"
#include "conformance/conformance.hpp"

namespace msda {
namespace {

constexpr std::size_t kProblems = 3;

/// Problems that the composition can run: those from number `first` on, round about.
std::vector<std::size_t> problems_for(const Composition& composition, const DeviceInfo& device,
                                      std::size_t first) {
  const auto awkward = awkward_problems();
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < awkward.size() && chosen.size() < kProblems; ++i) {
    const std::size_t p = (first + i) % awkward.size();
    if (!composition.unsupported(awkward[p].problem, device)) chosen.push_back(p);
  }
  return chosen;
}

class ConformanceOnSimt : public ::testing::TestWithParam<std::string> {};

TEST_P(ConformanceOnSimt, IsRightAndNothingIsFound) {
  const auto names = shipped_names(DeviceKind::kCuda);
  const auto number =
      static_cast<std::size_t>(std::find(names.begin(), names.end(), GetParam()) - names.begin());
  const auto device = open_device("simt:" + std::to_string(number) + ":races");
  const Composition composition = shipped_composition(GetParam());
  const auto problems = problems_for(composition, device->info(), number * kProblems);
  ASSERT_FALSE(problems.empty());
  expect_conforming(*device, composition, problems);
}

INSTANTIATE_TEST_SUITE_P(Shipped, ConformanceOnSimt,
                         ::testing::ValuesIn(shipped_names(DeviceKind::kCuda)),
                         [](const auto& info) { return test_name(info.param); });

}  // namespace
}  // namespace msda
