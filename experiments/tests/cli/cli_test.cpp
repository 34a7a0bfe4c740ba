// The command line as its users see it: help, exit codes and messages.
#include <algorithm>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands.hpp"
#include "support/support.hpp"
#include "version.hpp"

namespace msda::test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Cli, HelpNamesEveryCommandAndTheExitCodes) {
  const Outcome outcome = run({"--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const Command& command : commands()) {
    if (*command.summary != '\0') {
      EXPECT_THAT(outcome.out, HasSubstr(command.name));
    }
  }
  EXPECT_THAT(outcome.out, HasSubstr("Exit codes: 0"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("worker")));
}

TEST(Cli, EveryCommandHasHelp) {
  for (const Command& command : commands()) {
    const Outcome outcome = run({command.name, "--help"});
    EXPECT_EQ(outcome.exit_code, 0) << command.name;
    EXPECT_THAT(outcome.out, HasSubstr("Usage: msda " + std::string(command.name)));
    EXPECT_THAT(outcome.out, HasSubstr("Exit codes:"));
  }
}

TEST(Cli, HelpHasAShortName) {
  const Outcome outcome = run({"run", "-h"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, run({"run", "--help"}).out);
}

TEST(Cli, ParagraphsOfHelpFillEightyColumnsWithoutATerminal) {
  const Outcome outcome = run({"verify", "--help"});
  std::istringstream lines(outcome.out);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line) && line != "Options:";) {
    longest = std::max(longest, line.size());
  }
  EXPECT_LE(longest, 80U);
  EXPECT_GE(longest, 70U);
}

TEST(Cli, VersionIsOneLine) {
  const Outcome outcome = run({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr(std::string("msda ") + kVersion + " ("));
}

TEST(Cli, NothingPrintsHelpAndFails) {
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("Usage: msda COMMAND"));
}

TEST(Cli, AnUnknownCommandGetsASuggestion) {
  const Outcome outcome = run({"verfy"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("unknown command 'verfy' (did you mean 'verify'?)"));
}

TEST(Cli, AShippedExperimentThatIsMisspeltGetsASuggestion) {
  const Outcome outcome = run({"validate", "quikstart"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("no experiment 'quikstart' (did you mean 'quickstart'?)"));
}

TEST(Cli, AnUnknownOptionGetsASuggestion) {
  const Outcome outcome = run({"run", "x.yaml", "--ouput", "y"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("unknown option '--ouput' (did you mean '--output'?)"));
  EXPECT_THAT(outcome.err, HasSubstr("usage: msda run EXPERIMENT"));
}

TEST(Cli, MissingAndSuperfluousWords) {
  EXPECT_THAT(run({"run"}).err, HasSubstr("run: give EXPERIMENT"));
  EXPECT_THAT(run({"run", "a", "b"}).err, HasSubstr("run: unexpected 'b'"));
  EXPECT_THAT(run({"run", ""}).err, HasSubstr("run: one of its arguments is empty"));
  EXPECT_THAT(run({"run", "a", "--device"}).err, HasSubstr("--device"));
  EXPECT_EQ(run({"run", "a", "--device"}).exit_code, 2);
}

TEST(Cli, AnEmptyValueIsRefusedByTheNameOfItsOption) {
  const std::vector<std::vector<std::string>> lines = {
      {"run", "x.yaml", "--output", ""},  {"run", "x.yaml", "--resume", ""},
      {"tune", "x.yaml", "--output", ""}, {"report", "x", "--figures", ""},
      {"publish", "x", "--to", ""},       {"publish", "x", "--as", ""},
      {"export", "best", "--levels", ""}, {"list", "--plugin-dir", ""}};
  for (const std::vector<std::string>& line : lines) {
    const Outcome outcome = run(line);
    const std::string& option = line.at(line.size() - 2);
    EXPECT_EQ(outcome.exit_code, 2) << line.front() << option;
    EXPECT_THAT(outcome.err, HasSubstr("msda: " + line.front() + ": " + option +
                                       " is empty, as of a variable of the shell"));
  }
  const Outcome word = run({"bench", "cpu-scalar", "dir="});
  EXPECT_EQ(word.exit_code, 2);
  EXPECT_THAT(word.err, HasSubstr("dir= is empty, as of a variable of the shell"));
}

TEST(Cli, OptionsThatSayTwoThingsAreRefused) {
  const auto refused = [](const std::vector<std::string>& line) {
    const Outcome outcome = run(line);
    EXPECT_EQ(outcome.exit_code, 2) << line.front() << ": " << outcome.out;
    return outcome.err;
  };
  EXPECT_THAT(refused({"cache", "--clear", "--keep", "5"}),
              HasSubstr("cache: give either --clear or --keep, not both"));
  EXPECT_THAT(refused({"report", "nowhere", "--figures", "x", "--format", "csv"}),
              HasSubstr("report: --figures writes SVG; it has no --format"));
  EXPECT_THAT(refused({"list", "slots", "--operator", "forward"}),
              HasSubstr("list: --operator is for a list of variants, not of slots"));
  EXPECT_EQ(run({"list", "variants", "--operator", "forward"}).exit_code, 0);
}

TEST(Cli, CommandsThatTakeNoWinnersSaySo) {
  for (const char* command : {"bench", "verify", "inspect"}) {
    const Outcome outcome = run({command, "best"});
    EXPECT_EQ(outcome.exit_code, 2) << command;
    EXPECT_THAT(outcome.err, HasSubstr("'best' stands for what searches have found")) << command;
  }
}

TEST(Cli, AMisspeltKeyIsNamedBeforeWhatItLeavesOpen) {
  for (const char* command : {"bench", "verify", "inspect"}) {
    EXPECT_THAT(run({command, "cpu-scalar", "levls=4x4"}).err,
                HasSubstr("unknown key 'levls' (did you mean 'levels'?)"))
        << command;
  }
  EXPECT_THAT(run({"tune", "levls=4x4"}).err, HasSubstr("unknown key 'levls'"));
  EXPECT_THAT(run({"input", "generate", "levls=4x4", "--output", "x"}).err,
              HasSubstr("unknown key 'levls'"));
}

TEST(Cli, TextsOfParametersAreTakenAsTheyAre) {
  const Outcome outcome = run({"bench", "external", "python=nowhere.py:f", "levels=4x4",
                               R"(options={"im2col_step": 128})", "--device", "cpu"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("there is no file"));
}

TEST(Cli, ContradictoryOrHugeWordsAreRefused) {
  EXPECT_THAT(run({"inspect", "cpu-scalar", "--arch", "sm_90a", "--device", "sm_80"}).err,
              HasSubstr("give either --arch or --device, not both"));
  EXPECT_THAT(run({"bench", "cpu-scalar", "levels=4x4", "blocks=4294967297"}).err,
              HasSubstr("key 'blocks' is 4294967297; it must be from 1 to 100000"));
}

TEST(Cli, AMissingDeviceIsExitCodeThree) {
  const TemporaryDirectory directory;
  const auto file = directory.write("x.yaml", "problems: [ledger-48]\narms: [fixture]\n");
  const Outcome outcome = run({"plan", file, "--device", "cuda:99"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("no device 'cuda:99'; there are: cpu"));
}

TEST(Cli, AMissingPluginDirectoryIsAUsageError) {
  const Outcome outcome = run({"list", "--plugin-dir", "/nowhere"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--plugin-dir /nowhere: no such directory"));
}

TEST(Cli, ACommandLineCanBeCheckedAlone) {
  EXPECT_EQ(run({"run", "nothing.yaml", "--device", "cpu", "--check-usage"}).exit_code, 0);
  EXPECT_EQ(run({"run", "nothing.yaml", "--devise", "cpu", "--check-usage"}).exit_code, 2);
}

TEST(CliPackage, PointsToTheScript) {
  const Outcome outcome = run({"package"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("./msda package"));
}

}  // namespace
}  // namespace msda::test
