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

TEST(Trace, IsReadableFromAnotherThread) {
  const Range phase(Category::kPhase, "reference");
  std::string seen;
  std::thread([&] { seen = open_ranges(); }).join();
  EXPECT_EQ(seen, "phase reference");
}

}  // namespace
}  // namespace msda::trace
