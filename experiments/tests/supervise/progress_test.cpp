#include "runner/supervise/progress.hpp"

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

/// What is shown of a group whose arms compile in so many seconds.
std::string shown(bool live, double seconds) {
  const test::TemporaryFile stream(std::tmpfile());
  {
    Progress progress(stream.get(), live, 1, {});
    progress.begin_group("mine warm");
    progress.on_event(compiled(29, seconds / 2));
    progress.on_event(compiled(30, seconds));
  }
  std::string text(4096, '\0');
  std::rewind(stream.get());
  text.resize(std::fread(text.data(), 1, text.size(), stream.get()));
  return text;
}

TEST(Progress, SaysOnceHowLongCompilationTook) {
  EXPECT_EQ(shown(false, 0.25), "[1/1] mine warm\n  compiled 30 in 0.25 s, 2 from the cache\n");
}

TEST(Progress, OnATerminalOnlyWhenItWasWorthWaitingFor) {
  EXPECT_THAT(shown(true, 0.25), Not(HasSubstr("from the cache")));
  EXPECT_THAT(shown(true, 12.5), HasSubstr("  compiled 30 in 12.50 s, 2 from the cache\n"));
}

}  // namespace
}  // namespace msda
