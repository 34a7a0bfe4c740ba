#include "results/counters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files/temporary_directory.hpp"

namespace msda {
namespace {

using testing::ElementsAre;

KernelCounters counted(const char* mode, const char* part, double value) {
  return {.problem = "p",
          .arm = "a",
          .mode = mode,
          .part = part,
          .kernel = "k",
          .device = "d",
          .tool = "t",
          .values = {{"m", value}},
          .missing = {}};
}

TEST(Counters, AreReplacedByThoseOfTheSameKernelAlone) {
  const TemporaryDirectory run;
  add_counters(run.path(), {counted("warm", kMainPart, 1), counted("cold", kMainPart, 2),
                            counted("warm", "layout", 3)});
  KernelCounters of_other_arm = counted("warm", kMainPart, 5);
  of_other_arm.arm = "b";
  KernelCounters of_other_problem = counted("warm", kMainPart, 6);
  of_other_problem.problem = "q";
  add_counters(run.path(), {counted("cold", kMainPart, 4), of_other_arm, of_other_problem});
  std::vector<double> values;
  for (const KernelCounters& one : read_counters(run.path())) {
    values.push_back(one.find("m").value());
  }
  EXPECT_THAT(values, ElementsAre(1, 4, 3, 5, 6));
}

}  // namespace
}  // namespace msda
