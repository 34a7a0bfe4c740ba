// Every mistake in an experiment file is answered with its place, the offending text and a
// suggestion.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/experiment.hpp"
#include "support.hpp"

namespace msda::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Mistake {
  const char* name;
  const char* yaml;
  const char* place;  ///< "line:column"
  std::vector<const char*> says;
};

void PrintTo(const Mistake& mistake, std::ostream* stream) { *stream << mistake.name; }

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

const char* const kProblems = R"(problems: [{name: p, queries: 3, levels: [[4, 4]]}]
)";

/// A file that is right but for what stands in front of, or behind, its problems and arms.
std::string with(const std::string& head) { return std::string(kProblems) + head; }

const std::string kUnknownTopKey = with("arms: [fixture]\nproblms: []\n");
const std::string kEmptyArms = with("arms: []\n");
const std::string kNoArms = with("");
const std::string kArmsNotList = with("arms: fixture\n");
const std::string kUnknownVariant = with("arms: [fixtur]\n");
const std::string kUnknownInUse = with("arms:\n  - {name: a, use: [fixtur]}\n");
const std::string kUnknownParameter = with("arms:\n  - {name: a, use: [{fixture: {aftr: 1}}]}\n");
const std::string kParameterType = with("arms:\n  - {name: a, use: [{fixture: {after: two}}]}\n");
const std::string kParameterRange = with("arms:\n  - {name: a, use: [{fixture: {after: -1}}]}\n");
const std::string kParameterChoice =
    with("arms:\n  - {name: a, use: [{fixture: {behaviour: god}}]}\n");
const std::string kParameterBool = with("arms:\n  - {name: a, use: [{fixture: {flag: 3}}]}\n");
const std::string kTwoKernels = with("arms:\n  - {name: a, use: [fixture, fixture]}\n");
const std::string kDuplicateArm = with("arms:\n  - fixture\n  - fixture\n");
const std::string kArmName = with("arms:\n  - {name: a/b, use: [fixture]}\n");
const std::string kArmWithoutUse = with("arms:\n  - {name: a}\n");
const std::string kTwoKeysInUse =
    with("arms:\n  - {name: a, use: [{fixture: {after: 1}, other: {}}]}\n");
const std::string kBaseline = with("arms: [fixture]\nbaseline: fixtures\n");
const std::string kDevice = with("arms: [fixture]\ndevice: cude:0\n");
const std::string kMode = with("arms: [fixture]\nmeasure:\n  modes: [warm, clod]\n");
const std::string kModeTwice = with("arms: [fixture]\nmeasure:\n  modes: [warm, warm]\n");
const std::string kModesEmpty = with("arms: [fixture]\nmeasure:\n  modes: []\n");
const std::string kMeasureKey = with("arms: [fixture]\nmeasure:\n  bloks: 3\n");
const std::string kBlocks = with("arms: [fixture]\nmeasure:\n  blocks: 0\n");
const std::string kBlocksText = with("arms: [fixture]\nmeasure:\n  blocks: many\n");
const std::string kBlocksFraction = with("arms: [fixture]\nmeasure:\n  blocks: 2.5\n");
const std::string kDuration = with("arms: [fixture]\nmeasure:\n  timeout: 3 weeks\n");
const std::string kDurationZero = with("arms: [fixture]\nmeasure:\n  budget: 0 s\n");
const std::string kInclude = with("arms: [fixture]\ninclude: [absent.yaml]\n");
const std::string kRecipe = with("recipes:\n  r: [fixtre]\narms: [r]\n");
const std::string kRecipeTwice = with("recipes:\n  r: [fixture]\n  r: [fixture]\narms: [r]\n");

const std::vector<Mistake> kMistakes = {
    {"NotYaml", "arms: [a\nb: c", "2:2", {"not YAML"}},
    {"NotAMap", "- a\n", "1:1", {"the file must be a map"}},
    {"Empty", "", "1:1", {"the file must be a map of 'key: value', not nothing"}},
    {"UnknownTopKey",
     kUnknownTopKey.c_str(),
     "3:1",
     {"unknown key 'problms' (did you mean 'problems'?)"}},
    {"NoProblems", "arms: [fixture]\n", "1:1", {"lacks key 'problems'"}},
    {"NoArms", kNoArms.c_str(), "1:1", {"lacks key 'arms'"}},
    {"EmptyArms", kEmptyArms.c_str(), "2:7", {"key 'arms' is empty", "at least one arm"}},
    {"ArmsNotList", kArmsNotList.c_str(), "2:7", {"key 'arms' must be a list, not 'fixture'"}},
    {"UnknownVariant",
     kUnknownVariant.c_str(),
     "2:8",
     {"no recipe or variant 'fixtur' (did you mean 'fixture'?)"}},
    {"UnknownVariantInUse",
     kUnknownInUse.c_str(),
     "3:21",
     {"no variant 'fixtur' (did you mean 'fixture'?)"}},
    {"UnknownParameter",
     kUnknownParameter.c_str(),
     "3:32",
     {"no parameter 'aftr' (did you mean 'after'?)"}},
    {"ParameterType", kParameterType.c_str(), "3:39", {"must be an integer, not 'two'"}},
    {"ParameterRange",
     kParameterRange.c_str(),
     "3:39",
     {"'after'", "-1 is out of range, expected at least 0"}},
    {"ParameterChoice",
     kParameterChoice.c_str(),
     "3:43",
     {"'god' is not a choice (did you mean 'good'?)"}},
    {"ParameterBool", kParameterBool.c_str(), "3:38", {"must be true or false, not '3'"}},
    {"TwoKernels", kTwoKernels.c_str(), "3:20", {"fixture"}},
    {"DuplicateArm",
     kDuplicateArm.c_str(),
     "4:5",
     {"arm 'fixture' stands here a second time", ":3:5"}},
    {"ArmName", kArmName.c_str(), "3:12", {"'a/b'", "no '/'"}},
    {"ArmWithoutUse", kArmWithoutUse.c_str(), "3:5", {"arm lacks key 'use'"}},
    {"TwoKeysInUse", kTwoKeysInUse.c_str(), "3:21", {"one a map; here are 2 keys"}},
    {"Baseline", kBaseline.c_str(), "3:11", {"no arm 'fixtures' (did you mean 'fixture'?)"}},
    {"Device", kDevice.c_str(), "3:9", {"no device 'cude:0' (did you mean 'cuda:0'?)"}},
    {"Mode", kMode.c_str(), "4:17", {"'clod'", "did you mean 'cold'?"}},
    {"ModeTwice", kModeTwice.c_str(), "4:17", {"mode 'warm' stands here a second time"}},
    {"ModesEmpty", kModesEmpty.c_str(), "4:10", {"key 'modes' is empty"}},
    {"MeasureKey", kMeasureKey.c_str(), "4:3", {"unknown key 'bloks' (did you mean 'blocks'?)"}},
    {"Blocks", kBlocks.c_str(), "4:11", {"key 'blocks' is 0; it must be from 1"}},
    {"BlocksText", kBlocksText.c_str(), "4:11", {"must be an integer, not 'many'"}},
    {"BlocksFraction", kBlocksFraction.c_str(), "4:11", {"must be an integer, not '2.5'"}},
    {"Duration", kDuration.c_str(), "4:12", {"a duration such as '2 s'", "'3 weeks'"}},
    {"DurationZero", kDurationZero.c_str(), "4:11", {"more than zero"}},
    {"Include", kInclude.c_str(), "3:11", {"absent.yaml: no such file"}},
    {"RecipeVariant", kRecipe.c_str(), "3:7", {"no variant 'fixtre' (did you mean 'fixture'?)"}},
    {"RecipeTwice",
     kRecipeTwice.c_str(),
     "4:3",
     {"key 'r' stands here a second time; first in line 3"}},
    {"Preset",
     "arms: [fixture]\nproblems:\n  - ddetr-decodr\n",
     "3:5",
     {"no problem preset 'ddetr-decodr' (did you mean 'ddetr-decoder'?)"}},
    {"PresetInMap",
     "arms: [fixture]\nproblems:\n  - {preset: ledger48}\n",
     "3:14",
     {"did you mean 'ledger-48'?"}},
    {"ProblemKey",
     "arms: [fixture]\nproblems:\n  - {preset: ledger-48, querys: 3}\n",
     "3:25",
     {"unknown key 'querys' (did you mean 'queries'?)"}},
    {"ProblemSize",
     "arms: [fixture]\nproblems:\n  - {preset: ledger-48, queries: 0}\n",
     "3:34",
     {"key 'queries' is 0; it must be at least 1"}},
    {"ProblemWithoutName",
     "arms: [fixture]\nproblems:\n  - {queries: 3, levels: [[4, 4]]}\n",
     "3:5",
     {"problem lacks key 'name'"}},
    {"ProblemTwice",
     "arms: [fixture]\nproblems:\n  - ledger-48\n  - ledger-48\n",
     "4:5",
     {"problem 'ledger-48' stands here a second time"}},
    {"Distribution",
     "arms: [fixture]\nproblems:\n  - {preset: ledger-48, distribution: unifrom}\n",
     "3:39",
     {"no distribution 'unifrom' (did you mean 'uniform'?)"}},
    {"Sigma",
     "arms: [fixture]\nproblems:\n  - {preset: ledger-48, sigma: -2}\n",
     "3:32",
     {"key 'sigma' is -2; it must be at least 0"}},
    {"Types",
     "arms: [fixture]\nproblems:\n  - {preset: ledger-48, types: fp61}\n",
     "3:32",
     {"no type 'fp61' (did you mean 'fp16'?)"}},
    {"TypesKey",
     "arms: [fixture]\nproblems:\n  - {preset: ledger-48, types: {vlaue: fp16}}\n",
     "3:33",
     {"unknown key 'vlaue' (did you mean 'value'?)"}},
    {"Layout",
     "arms: [fixture]\nproblems:\n  - {preset: ledger-48, layout: plian}\n",
     "3:33",
     {"no layout 'plian' (did you mean 'plain'?)"}},
    {"Level",
     "arms: [fixture]\nproblems:\n  - {name: p, queries: 3, levels: [[4, 4, 4]]}\n",
     "3:36",
     {"a level is [height, width], not a list of 3"}},
    {"TooLarge",
     "arms: [fixture]\nproblems:\n"
     "  - {name: p, queries: 4611686018427387904, levels: [[4, 4]]}\n",
     "3:5",
     {"does not fit in 63 bits"}},
    {"InputMissing",
     "arms: [fixture]\nproblems:\n  - {input: absent}\n",
     "3:13",
     {"input directory 'absent' does not exist"}},
    {"InputAndPreset",
     "arms: [fixture]\nproblems:\n  - {preset: ledger-48, input: absent}\n",
     "3:32",
     {"either 'preset' or 'input'"}},
};

INSTANTIATE_TEST_SUITE_P(Mistakes, ExperimentError, testing::ValuesIn(kMistakes),
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
