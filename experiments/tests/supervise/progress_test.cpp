#include "runner/supervise/progress.hpp"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/protocol/protocol.hpp"
#include "support/support.hpp"

namespace msda {
namespace {

using testing::HasSubstr;
using testing::Not;

nlohmann::json compiled(int done, double seconds) {
  return {{"event", event::kCompiled},
          {"done", done},
          {"count", 30},
          {"from_cache", 2},
          {"seconds", seconds}};
}

/// What `show` writes to a stream.
std::string written(const std::function<void(std::FILE*)>& show) {
  const test::TemporaryFile stream(std::tmpfile());
  show(stream.get());
  std::string text(4096, '\0');
  std::rewind(stream.get());
  text.resize(std::fread(text.data(), 1, text.size(), stream.get()));
  return text;
}

/// What is shown of a group whose arms compile in so many seconds.
std::string shown(bool live, double seconds) {
  return written([&](std::FILE* stream) {
    Progress progress(stream, live, 1, {});
    progress.begin_group("mine warm");
    progress.on_event(compiled(29, seconds / 2));
    progress.on_event(compiled(30, seconds));
  });
}

/// What is shown of two kernels, with a line of its own each `period` seconds.
std::string counted(bool live, double period) {
  return written([&](std::FILE* stream) {
    CountProgress progress(stream, live, period);
    progress.tell("kernels", 0, 2);
    progress.tell("kernels", 1, 2);
  });
}

TEST(Progress, SaysOnceHowLongCompilationTook) {
  EXPECT_EQ(shown(false, 0.25), "[1/1] mine warm\n  compiled 30 in 0.25 s, 2 from the cache\n");
}

TEST(Progress, OnATerminalOnlyWhenItWasWorthWaitingFor) {
  EXPECT_THAT(shown(true, 0.25), Not(HasSubstr("from the cache")));
  EXPECT_THAT(shown(true, 12.5), HasSubstr("  compiled 30 in 12.50 s, 2 from the cache\n"));
}

TEST(CountProgress, RewritesALineOfATerminalAndWipesIt) {
  EXPECT_EQ(counted(true, 1e6),
            "\r\x1b[K  compiled 0 of 2 kernels, 0 s\r\x1b[K  compiled 1 of 2 kernels, 0 s\r\x1b[K");
}

TEST(CountProgress, ElsewhereLeavesALineOnceInAPeriod) {
  EXPECT_EQ(counted(false, 0), "  compiled 0 of 2 kernels, 0 s\n  compiled 1 of 2 kernels, 0 s\n");
  EXPECT_EQ(counted(false, 1e6), "");
}

TEST(FormatDuration, HasTwoUnitsThatAddUp) {
  EXPECT_EQ(format_duration(-1), "0 s");
  EXPECT_EQ(format_duration(59.4), "59 s");
  EXPECT_EQ(format_duration(65), "1 min 5 s");
  EXPECT_EQ(format_duration(3599), "59 min 59 s");
  EXPECT_EQ(format_duration(2 * 3600 + 5 * 60), "2 h 5 min");
}

}  // namespace
}  // namespace msda
