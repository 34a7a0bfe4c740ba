// Every mistake in an experiment file is answered with its place, the offending text and a
// suggestion.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiment/mistakes.hpp"
#include "runner/experiment/experiment.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class ExperimentError : public testing::TestWithParam<Mistake> {};

TEST_P(ExperimentError, SaysWhereAndWhat) {
  const TemporaryDirectory directory;
  const auto file = directory.write("x.yaml", GetParam().yaml);
  try {
    load_experiment(file, fixture_registry());
    FAIL() << "was accepted";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), StartsWith(file.string() + ":" + GetParam().place + ": "));
    for (const char* words : GetParam().says) EXPECT_THAT(error.what(), HasSubstr(words));
  }
}

/// In the file as a whole.
std::vector<Mistake> file_mistakes() {
  return {
      {"NotYaml", "arms: [a\nb: c", "2:2", {"not YAML"}},
      {"NotAMap", "- a\n", "1:1", {"the file must be a map"}},
      {"Empty", "", "1:1", {"the file must be a map of 'key: value', not nothing"}},
      {"UnknownTopKey",
       with("arms: [fixture]\nproblms: []\n"),
       "3:1",
       {"unknown key 'problms' (did you mean 'problems'?)"}},
      {"NoProblems", "arms: [fixture]\n", "1:1", {"lacks key 'problems'"}},
      {"NoArms", with(""), "1:1", {"lacks key 'arms'"}},
      {"SecondDocument", with("arms: [fixture]\n---\nseed: 1\n"), "3:1", {"a second document"}},
      {"EmptySecondDocument", with("arms: [fixture]\n---\n"), "3:1", {"a second document"}},
      {"EmptyFirstDocument", "---\n--- {arms: [a]}\n", "2:1", {"a second document"}},
      {"TextAfterTheEnd",
       with("arms: [fixture]\n...\nname: x\n"),
       "4:1",
       {"a second document begins here"}},
      {"Tag", with("arms: [fixture]\nname: !!str 5\n"), "3:7", {"tags such as !!str"}},
      {"MergeKey",
       with("arms: [fixture]\nmeasure: &m {blocks: 1}\nprofile: {<<: *m}\n"),
       "4:11",
       {"merge keys ('<<') are not read"}},
      {"AliasInItself",
       with("arms: [{name: a, use: &u [*u]}]\n"),
       "2:27",
       {"an alias stands inside the value that it names"}},
      {"SameKeyByAlias", with("arms: &n [fixture]\narms: *n\n"), "3:1", {"first in line 2"}},
      {"Tab", with("measure:\n\tblocks: 1\n"), "3:8", {"not YAML"}},
      {"EndOfTransmission", with("arms: [fixture]\n\x04name: x\n"), "3:1", {"character \\x04"}},
      {"CarriageReturn", with("arms: [fixture] # b\rname: x\n"), "2:20", {"character \\x0d"}},
      {"NulInText", with("arms: [fixture]\nname: \"a\\0b\"\n"), "3:7", {"character \\x00"}},
      {"NotUtf8", with("arms: [fixture]\n# \xC3\x28\n"), "3:3", {"the file is not UTF-8"}},
      {"OverlongUtf8", with("# \xC0\xAF\n"), "2:3", {"the file is not UTF-8"}},
      {"Include",
       with("arms: [fixture]\ninclude: [absent.yaml]\n"),
       "3:11",
       {"absent.yaml: no such file"}},
  };
}

std::vector<Mistake> mistakes() {
  std::vector<Mistake> all = file_mistakes();
  for (const auto& part :
       {problem_mistakes(), arm_mistakes(), measure_mistakes(), claim_mistakes()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Mistakes, ExperimentError, testing::ValuesIn(mistakes()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(ExperimentFile, MissingFileIsNamed) {
  try {
    load_experiment("/nowhere/x.yaml", fixture_registry());
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "cannot read /nowhere/x.yaml: no such file");
  }
}

}  // namespace
}  // namespace msda::test
