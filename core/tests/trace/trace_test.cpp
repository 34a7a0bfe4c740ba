#include "trace/trace.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

namespace msda::trace {
namespace {

TEST(Trace, NamesTheOpenRangesOutermostFirst) {
  EXPECT_EQ(open_ranges(), "");
  {
    const Range cell(Category::kCell, "mine/plain/warm");
    EXPECT_EQ(open_ranges(), "cell mine/plain/warm");
    {
      const Range block(Category::kBlock, "3");
      EXPECT_EQ(open_ranges(), "cell mine/plain/warm > block 3");
    }
    EXPECT_EQ(open_ranges(), "cell mine/plain/warm");
  }
  EXPECT_EQ(open_ranges(), "");
}

TEST(Trace, ClosesRangesWhenAnExceptionPasses) {
  EXPECT_THROW(
      {
        const Range phase(Category::kPhase, "verify");
        throw 1;
      },
      int);
  EXPECT_EQ(open_ranges(), "");
}

TEST(Trace, AddsUpTheTimeOfStepsByTheirNames) {
  take_step_seconds();
  {
    const Range phase(Category::kPhase, "measure");
    for (int i = 0; i < 2; ++i) {
      const Range step(Category::kStep, "samples");
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    const Range open(Category::kStep, "check");
    const auto seconds = take_step_seconds();
    EXPECT_EQ(seconds.size(), 1U);  // neither the phase nor what is still open
    EXPECT_GE(seconds.at("samples"), 4e-3);
  }
  const auto rest = take_step_seconds();
  EXPECT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest.count("check"), 1U);
}

TEST(Trace, IsReadableFromAnotherThread) {
  const Range phase(Category::kPhase, "reference");
  std::string seen;
  std::thread([&] { seen = open_ranges(); }).join();
  EXPECT_EQ(seen, "phase reference");
}

// A step of a block is ten samples or more, and none of them holds a range.
TEST(Trace, ARangeCostsLessThanAThousandthOfTenLaunchesOf300Microseconds) {
  using Clock = std::chrono::steady_clock;
  constexpr int kRanges = 1000;
  double least = 1;
  for (int batch = 0; batch < 20; ++batch) {
    const auto begin = Clock::now();
    for (int i = 0; i < kRanges; ++i) const Range step(Category::kStep, "samples");
    least = std::min(least, std::chrono::duration<double>(Clock::now() - begin).count() / kRanges);
  }
  take_step_seconds();
  EXPECT_LT(least, 1e-3 * 10 * 300e-6);
}

}  // namespace
}  // namespace msda::trace
