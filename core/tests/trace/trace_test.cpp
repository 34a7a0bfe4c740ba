#include "trace/trace.hpp"

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

}  // namespace
}  // namespace msda::trace
