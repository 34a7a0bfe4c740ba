// What the shell completes of a command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/support.hpp"

namespace msda::test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(CliCompletions, OfferWhatMayFollow) {
  EXPECT_THAT(run({"completions"}).out, HasSubstr("\nverify\n"));
  EXPECT_THAT(run({"completions"}).out, Not(HasSubstr("worker")));
  const std::string verify = run({"completions", "verify"}).out;
  EXPECT_THAT(verify, HasSubstr("--problem\n"));
  EXPECT_THAT(verify, HasSubstr("\nfixture\n"));
  EXPECT_THAT(run({"completions", "verify", "--device"}).out, HasSubstr("cpu\n"));
  EXPECT_THAT(run({"completions", "verify", "--problem"}).out, HasSubstr("rtdetr-decoder\n"));
  EXPECT_EQ(run({"completions", "worker"}).out, "");
  EXPECT_EQ(run({"completions", "nothing"}).exit_code, 0);
}

TEST(CliCompletions, ReachTheShell) {
  const TemporaryDirectory directory;
  const auto completed = [&](const std::string& words, int cursor) {
    return run_script(
               "source '" MSDA_SOURCE_DIR "/experiments/cli/completion.bash'; COMP_WORDS=(" +
                   words + "); COMP_CWORD=" + std::to_string(cursor) +
                   "; _msda \"$msda\" \"${COMP_WORDS[COMP_CWORD]}\"; echo \"${COMPREPLY[@]}\"",
               directory.path())
        .out;
  };
  EXPECT_EQ(completed("msda verif", 1), "verify\n");
  EXPECT_EQ(completed("msda report --fi", 2), "--figures\n");
  EXPECT_EQ(completed("msda show fixtu", 2), "fixture\n");
}

}  // namespace
}  // namespace msda::test
