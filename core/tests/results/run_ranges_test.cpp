#include "results/run_ranges.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files/temporary_directory.hpp"

namespace msda {
namespace {

RunRange range(double begin) {
  return {.device = "cpu",
          .problem = "p",
          .mode = "warm",
          .phase = "measure",
          .begin = begin,
          .end = begin + 1,
          .steps = {}};
}

TEST(RunRanges, ThatAreAppendedTogetherAreReadOneByOne) {
  const TemporaryDirectory directory;
  const auto file = directory.path() / kRangesFile;
  append_ranges(file, {range(1), range(2)});
  append_ranges(file, {});
  append_ranges(file, {range(3)});
  std::vector<double> begins;
  for (const RunRange& one : read_ranges(file)) begins.push_back(one.begin);
  EXPECT_THAT(begins, testing::ElementsAre(1, 2, 3));
}

}  // namespace
}  // namespace msda
