// Files that were never meant to be read as experiments: each is refused at once, in a few words.
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/experiment/experiment.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string refusal(const std::filesystem::path& file) {
  try {
    load_experiment(file, fixture_registry());
  } catch (const UsageError& error) {
    return error.what();
  }
  return "was accepted";
}

std::string refusal_of(const std::string& yaml) {
  const TemporaryDirectory directory;
  return refusal(directory.write("x.yaml", yaml));
}

constexpr const char* kProblems = "problems: [{name: p, queries: 3, levels: [[4, 4]]}]\n";

TEST(HostileFiles, APipeOrADeviceIsNotRead) {
  const TemporaryDirectory directory;
  const auto pipe = directory.path() / "pipe.yaml";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(refusal(pipe), HasSubstr("not a regular file"));
  EXPECT_THAT(refusal("/dev/zero"), HasSubstr("not a regular file"));
  for (const std::string& included : {pipe.string(), std::string("/dev/zero")}) {
    EXPECT_THAT(refusal(directory.write("x.yaml", std::string(kProblems) + "arms: [fixture]\n" +
                                                      "include: [" + included + "]\n")),
                HasSubstr("x.yaml:3:11: cannot read " + included + ": not a regular file"));
  }
}

TEST(HostileFiles, AFileThatIsTooLargeIsNotRead) {
  const TemporaryDirectory directory;
  const auto file = directory.write("x.yaml", "");
  std::filesystem::resize_file(file, std::uintmax_t{1} << 34);
  EXPECT_THAT(refusal(file), HasSubstr("it has more than 16777216 bytes"));
}

TEST(HostileFiles, AnIncludeThatIsNoYamlMapIsNotPrinted) {
  const TemporaryDirectory directory;
  for (const std::string text : {"root:secret\nword\n", "secret", "- secret\n", "a: [secret\n",
                                 "\tsecret: 1\n", "secret: 1\n"}) {
    directory.write("other", text);
    const auto file =
        directory.write("x.yaml", std::string(kProblems) + "arms: [fixture]\ninclude: [other]\n");
    const std::string message = refusal(file);
    EXPECT_THAT(message, HasSubstr("x.yaml:3:11: ")) << text;
    EXPECT_THAT(message, Not(HasSubstr("secret"))) << text;
  }
}

TEST(HostileFiles, LongNamesAreCutInMessages) {
  const std::string longest(1'000'000, 'x');
  const std::string name(100'000, 'x');
  const std::string long_line(50'000, 'y');
  for (const std::string& yaml :
       {longest + ": 1\n",
        name,
        kProblems + ("arms: [" + name) + "]\n",
        kProblems + ("arms: [{name: " + name) + ", use: [fixture]}]\n",
        kProblems + ("arms: [{name: a, use: [" + name) + "]}]\n",
        kProblems + ("arms: [{name: a, use: [{fixture: {" + name) + ": 1}}]}]\n",
        kProblems + ("arms: [{name: a, use: [{fixture: {behaviour: " + name) + "}}]}]\n",
        kProblems + ("arms: [fixture]\nbaseline: " + name) + "\n",
        kProblems + ("arms: [fixture]\ndevice: " + name) + "\n",
        kProblems + ("arms: [fixture]\nmeasure: {modes: [" + name) + "]}\n",
        kProblems + ("arms: [fixture]\nmeasure: {blocks: " + name) + "}\n",
        kProblems + ("arms: [fixture]\nmeasure: {budget: " + name) + "}\n",
        kProblems + ("arms: [fixture]\nmeasure: {budget: " + long_line) + "}\n",
        kProblems + ("arms: [fixture]\ninclude: [" + name) + "]\n",
        kProblems + ("arms: [fixture]\nrecipes: {" + name) + ": [fixture]}\n",
        kProblems + ("arms: [fixture]\nclaims: [{text: t, source: s, arm: fixture, time: " + name) +
            "}]\n",
        "arms: [fixture]\nproblems: [" + name + "]\n",
        "arms: [fixture]\nproblems: [{input: " + name + "}]\n",
        "arms: [fixture]\nproblems: [{preset: ledger-48, distribution: " + name + "}]\n",
        "arms: [fixture]\nproblems: [{preset: ledger-48, types: " + name + "}]\n",
        kProblems + ("ablation: {base: [fixture], design: full, factors: {" + name) +
            ": {fixture: {flag: true}}}}\n",
        kProblems +
            ("ablation: {base: [fixture], factors: {f: {fixture: {flag: [true]}}}, design: " +
             name) +
            "}\n"}) {
    const std::string message = refusal_of(yaml);
    EXPECT_NE(message, "was accepted") << yaml.substr(0, 150);
    EXPECT_LT(message.size(), 1000U) << yaml.substr(0, 150) << "\n" << message.substr(0, 300);
  }
}

TEST(HostileFiles, ControlCharactersOfANameDoNotReachTheTerminal) {
  const std::string message =
      refusal_of(kProblems + std::string("arms: [fixture]\nname: \"a\\e[31mred\\a\"\n"));
  EXPECT_THAT(message, HasSubstr(R"(key 'name' is 'a\x1b[31mred\x07'; a name has)"));
  EXPECT_THAT(message, HasSubstr("no control character"));
  EXPECT_EQ(std::count_if(message.begin(), message.end(),
                          [](unsigned char c) { return std::iscntrl(c); }),
            0)
      << message;
}

TEST(HostileFiles, ANameThatShowsInAnotherOrderIsRefusedAndQuoted) {
  EXPECT_THAT(refusal_of(kProblems + std::string("arms: [fixture]\nname: a\u202eb\n")),
              HasSubstr(R"(key 'name' is 'a\u202eb'; a name has)"));
  EXPECT_THAT(refusal_of(kProblems + std::string("arms: [\"fix\u2066ture\"]\n")),
              HasSubstr(R"(fix\u2066ture)"));
}

TEST(HostileFiles, DeepNestingIsRefused) {
  EXPECT_THAT(refusal_of(std::string(100'000, '[')), HasSubstr("x.yaml:1:"));
  EXPECT_THAT(refusal_of(std::string(100'000, '{')), HasSubstr("x.yaml:1:"));
}

TEST(HostileFiles, ModerateNestingIsRefusedBeforeTheParserRecurses) {
  EXPECT_THAT(refusal_of("a: " + std::string(50, '[') + std::string(50, ']')),
              HasSubstr("values are nested more than 40 deep"));
}

TEST(HostileFiles, AFileOfVeryManyValuesIsRefused) {
  std::string yaml;
  for (int i = 0; i < 500'001; ++i) yaml += "-\n";
  EXPECT_THAT(refusal_of(yaml), HasSubstr("x.yaml:500001:1: the file has more than 500000 values"));
}

TEST(HostileFiles, AnIncludeWithASecondDocumentIsRefused) {
  const TemporaryDirectory directory;
  directory.write("other.yaml", "recipes: {a: [fixture]}\n---\nrecipes: {b: [fixture]}\n");
  const auto file =
      directory.write("x.yaml", std::string(kProblems) + "arms: [a]\ninclude: [other.yaml]\n");
  EXPECT_THAT(refusal(file), HasSubstr("other.yaml:2:1: a second document begins here"));
}

TEST(HostileFiles, IncludesThatNameEachOtherEnd) {
  const TemporaryDirectory directory;
  directory.write("a.yaml", "include: [b.yaml]\nrecipes: {a: [fixture]}\n");
  directory.write("b.yaml", "include: [a.yaml]\nrecipes: {b: [fixture]}\n");
  const auto file =
      directory.write("x.yaml", std::string(kProblems) + "include: [a.yaml]\narms: [a, b]\n");
  EXPECT_EQ(load_experiment(file, fixture_registry()).arms.size(), 2U);
}

}  // namespace
}  // namespace msda::test
