// Command lines that are said to people, against the shell that will read them.
#include <gtest/gtest.h>

#include "runner/supervise/shell_words.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

TEST(ShellWords, LeaveAloneWhatIsPlain) {
  EXPECT_EQ(shell_command({"msda", "tune", "a/b-1.yaml", "dtype=fp16", "--device", "cuda:0"}),
            "msda tune a/b-1.yaml dtype=fp16 --device cuda:0");
}

TEST(ShellWords, AreTakenBackByAShellAsTheyWere) {
  const std::vector<std::string> words{"2 min",   "",     "it's",        "'", "a\"b", "$HOME `ls`",
                                       "*?[a-z]", "a\nb", "back\\slash", "~", "#no",  "x;y&z|(!)"};
  const TemporaryDirectory directory;
  const Outcome outcome = run_script("printf '%s\\0' " + shell_command(words), directory.path());
  std::string expected;
  for (const std::string& word : words) expected += word + '\0';
  EXPECT_EQ(outcome.out, expected) << shell_command(words);
}

}  // namespace
}  // namespace msda::test
