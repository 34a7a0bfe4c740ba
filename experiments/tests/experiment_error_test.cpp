// Every mistake in an experiment file is answered with its place, the offending text and a
// suggestion.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/spec/experiment.hpp"
#include "support.hpp"

namespace msda::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Mistake {
  const char* name;
  std::string yaml;
  const char* place;  ///< "line:column"
  std::vector<const char*> says;
};

std::ostream& operator<<(std::ostream& stream, const Mistake& mistake) {
  return stream << mistake.name;
}

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

constexpr const char* kProblems = "problems: [{name: p, queries: 3, levels: [[4, 4]]}]\n";

/// A file whose problems are right, followed by `lines`.
std::string with(const std::string& lines) { return std::string(kProblems) + lines; }

std::vector<Mistake> mistakes() {
  return {
      {"NotYaml", "arms: [a\nb: c", "2:2", {"not YAML"}},
      {"NotAMap", "- a\n", "1:1", {"the file must be a map"}},
      {"Empty", "", "1:1", {"the file must be a map of 'key: value', not nothing"}},
      {"UnknownTopKey",
       with("arms: [fixture]\nproblms: []\n"),
       "3:1",
       {"unknown key 'problms' (did you mean 'problems'?)"}},
      {"SweptKeyTwice",
       "problems:\n  - {preset: ddetr-encoder, batch: 3, sweep: {batch: [1, 2]}}\narms: "
       "[fixture]\n",
       "2:47",
       {"key 'batch' stands beside 'sweep' too"}},
      {"SweptLevels",
       "problems:\n  - {preset: ddetr-encoder, sweep: {levels: [[[4, 4]]]}}\narms: [fixture]\n",
       "2:37",
       {"unknown key 'levels'", "known here: preset, input"}},
      {"SweepOfNothing",
       "problems:\n  - {preset: ddetr-encoder, sweep: {}}\narms: [fixture]\n",
       "2:36",
       {"'sweep' names no key"}},
      {"SweptValueTwice",
       "problems:\n  - {preset: ddetr-encoder, sweep: {batch: [1, 1]}}\narms: [fixture]\n",
       "2:5",
       {"problem 'ddetr-encoder-1' stands here a second time"}},
      {"SweptValue",
       "problems:\n  - {preset: ddetr-encoder, sweep: {batch: [1, x]}}\narms: [fixture]\n",
       "2:48",
       {"batch must be an integer, not 'x'"}},
      {"ClaimArm",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: c, speedup: 2x}\n"),
       "5:31",
       {"no arm 'c'"}},
      {"ClaimWithoutQuantity",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b}\n"),
       "5:5",
       {"lacks its quantity", "speed-of-light"}},
      {"ClaimWithTwoQuantities",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, speedup: 2x, time: 3 us}\n"),
       "5:53",
       {"a claim has one of"}},
      {"ClaimSpeedup",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, speedup: fast}\n"),
       "5:43",
       {"'fast' is no speedup above zero", "+5.3%"}},
      {"ClaimTime",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, time: 724}\n"),
       "5:40",
       {"'724' is no time above zero", "724 us"}},
      {"ClaimShare",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, speed-of-light: 0.8}\n"),
       "5:50",
       {"'0.8' is no speed-of-light above zero, such as 85%"}},
      {"ClaimCounter",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, counter: {dram__bytes.sum: -1}}\n"),
       "5:61",
       {"'-1' is no counter, such as {metric: 0}"}},
      {"ClaimCounterWithoutMetric",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, counter: {Bank conflicts: 0}}\n"),
       "5:44",
       {"'Bank conflicts' is no name of a metric"}},
      {"ClaimCounterOfTwoArms",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: [b, fixture], counter: {m.sum: 0}}\n"),
       "5:31",
       {"'counter' is about one arm"}},
      {"ProfileMetric",
       with("arms: [fixture]\nprofile: {metrics: [dram__bytes.sum, a b]}\n"),
       "3:38",
       {"'a b' is no name of a metric"}},
      {"ProfileKey",
       with("arms: [fixture]\nprofile: {metric: [dram__bytes.sum]}\n"),
       "3:11",
       {"unknown key 'metric' (did you mean 'metrics'?)"}},
      {"ClaimOver",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, over: b, speedup: 2x}\n"),
       "5:40",
       {"not compared with itself"}},
      {"ClaimOverItselfAmongOthers",
       with(
           "arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
           "fixture\nclaims:\n  - {text: t, source: s, arm: b, over: [fixture, b], speedup: 2x}\n"),
       "5:40",
       {"not compared with itself"}},
      {"ClaimOfOutputsOfSeveral",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}, {name: c, use: [{fixture: "
            "{after: 3}}]}]\nbaseline: fixture\nclaims:\n"
            "  - {text: t, source: s, arm: b, over: [fixture, c], outcome: identical}\n"),
       "5:40",
       {"an output is identical with that of one arm"}},
      {"ClaimOfTheBaseline",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: fixture, speedup: 2x}\n"),
       "5:31",
       {"'fixture' is the baseline"}},
      {"ClaimProblem",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, speedup: 2x, problem: x}\n"),
       "5:56",
       {"no problem 'x'"}},
      {"ClaimWithoutSource",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, arm: b, time: 1 s}\n"),
       "5:5",
       {"lacks key 'source'"}},
      {"ClaimEmptyText",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: '', source: s, arm: b, time: 1 s}\n"),
       "5:12",
       {"key 'text' is empty"}},
      {"ClaimEmptyReason",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, not-testable: ''}\n"),
       "5:48",
       {"key 'not-testable' is empty"}},
      {"ClaimKey",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, speedupp: 1x}\n"),
       "5:34",
       {"unknown key 'speedupp' (did you mean 'speedup'?)"}},
      {"ClaimUnmeasuredMode",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, time: 1 s, mode: cold}\n"),
       "5:51",
       {"no measured mode 'cold'"}},
      {"ClaimOverOfATime",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, time: 1 s, over: fixture}\n"),
       "5:51",
       {"'over' belongs to a speedup"}},
      {"ClaimOfNothing",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, speedup: 0x}\n"),
       "5:43",
       {"'0x' is no speedup above zero"}},
      {"ClaimList",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, speedup: [1, 2]}\n"),
       "5:43",
       {"key 'speedup' must be text, not a list"}},
      {"ClaimOutcome",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, outcome: hangs}\n"),
       "5:43",
       {"'hangs' is no outcome, such as hung, crashed"}},
      {"ClaimOutcomeOfSeveral",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: [b, fixture], outcome: hung}\n"),
       "5:31",
       {"'outcome' is about one arm"}},
      {"ClaimArmTwice",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: [b, b], time: 1 s}\n"),
       "5:35",
       {"arm 'b' stands here a second time"}},
      {"ClaimAgainstOfASpeedup",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, speedup: 2x, against: {fixture: 1 "
            "s}}\n"),
       "5:56",
       {"'against' belongs to a time, throughput or bandwidth"}},
      {"ClaimAgainstItself",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, time: 1 s, against: {b: 2 s}}\n"),
       "5:54",
       {"an arm is not measured against itself"}},
      {"ClaimAgainstInAnotherQuantity",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, time: 1 s, against: {fixture: "
            "2x}}\n"),
       "5:64",
       {"'2x' is no time above zero"}},
      {"ClaimUnit",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, throughput: 3 GB/s}\n"),
       "5:46",
       {"'3 GB/s' is no throughput above zero, such as 22.9 TFLOP/s"}},
      {"AblationFactorInBase",
       with("ablation:\n  base: [fixture]\n  factors: {a: fixture}\n  design: full\n"),
       "4:16",
       {"the base has 'fixture' already"}},
      {"AblationLeaveOneOutWithoutAll",
       with("ablation:\n  base: [fixture]\n  factors: {a: {fixture: {flag: [true]}}, b: {fixture: "
            "{after: [1]}}}\n  excludes: [[a, b]]\n  design: leave-one-out\n"),
       "6:11",
       {"all factors together cannot run: a excludes b; 'leave-one-out' needs them together"}},
      {"AblationDesign",
       with("ablation:\n  base: [fixture]\n  factors: {a: {fixture: {flag: [true]}}}\n"
            "  design: ful\n"),
       "5:11",
       {"no design 'ful' (did you mean 'full'?)"}},
      {"AblationRequires",
       with("ablation:\n  base: [fixture]\n  factors: {abc: {fixture: {flag: [true]}}}\n"
            "  design: full\n  requires: {abc: abd}\n"),
       "6:19",
       {"no factor 'abd' (did you mean 'abc'?)"}},
      {"NoProblems", "arms: [fixture]\n", "1:1", {"lacks key 'problems'"}},
      {"NoArms", with(""), "1:1", {"lacks key 'arms'"}},
      {"EmptyArms", with("arms: []\n"), "2:7", {"key 'arms' is empty", "at least one arm"}},
      {"ArmsNotList", with("arms: fixture\n"), "2:7", {"key 'arms' must be a list, not 'fixture'"}},
      {"UnknownVariant",
       with("arms: [fixtur]\n"),
       "2:8",
       {"no recipe or variant 'fixtur' (did you mean 'fixture'?)"}},
      {"UnknownVariantInUse",
       with("arms:\n  - {name: a, use: [fixtur]}\n"),
       "3:21",
       {"no variant 'fixtur' (did you mean 'fixture'?)"}},
      {"UnknownParameter",
       with("arms:\n  - {name: a, use: [{fixture: {aftr: 1}}]}\n"),
       "3:32",
       {"no parameter 'aftr' (did you mean 'after'?)"}},
      {"ParameterType",
       with("arms:\n  - {name: a, use: [{fixture: {after: two}}]}\n"),
       "3:39",
       {"must be an integer, not 'two'"}},
      {"ParameterRange",
       with("arms:\n  - {name: a, use: [{fixture: {after: -1}}]}\n"),
       "3:39",
       {"'after'", "-1 is out of range, expected at least 0"}},
      {"ParameterChoice",
       with("arms:\n  - {name: a, use: [{fixture: {behaviour: god}}]}\n"),
       "3:43",
       {"'god' is not a choice (did you mean 'good'?)"}},
      {"ParameterBool",
       with("arms:\n  - {name: a, use: [{fixture: {flag: 3}}]}\n"),
       "3:38",
       {"must be true or false, not '3'"}},
      {"TwoKernels",
       with("arms:\n  - {name: a, use: [fixture, fixture]}\n"),
       "3:30",
       {"'fixture' stands in this list a second time"}},
      {"DuplicateArm",
       with("arms:\n  - fixture\n  - fixture\n"),
       "4:5",
       {"arm 'fixture' stands here a second time", ":3:5"}},
      {"TimeoutOfYears",
       with("arms: [fixture]\nmeasure:\n  timeout: 9000000 h\n"),
       "4:12",
       {"it must be at most a year"}},
      {"ArmName", with("arms:\n  - {name: a/b, use: [fixture]}\n"), "3:12", {"'a/b'", "no '/'"}},
      {"ArmNameThatLeadsElsewhere",
       with("arms:\n  - {name: .., use: [fixture]}\n"),
       "3:12",
       {"'..'", "does not begin with '.'"}},
      {"ArmWithoutUse", with("arms:\n  - {name: a}\n"), "3:5", {"arm lacks key 'use'"}},
      {"TwoKeysInUse",
       with("arms:\n  - {name: a, use: [{fixture: {after: 1}, other: {}}]}\n"),
       "3:21",
       {"one a map; here are 2 keys"}},
      {"Baseline",
       with("arms: [fixture]\nbaseline: fixtures\n"),
       "3:11",
       {"no arm 'fixtures' (did you mean 'fixture'?)"}},
      {"Device",
       with("arms: [fixture]\ndevice: cude:0\n"),
       "3:9",
       {"no device 'cude:0' (did you mean 'cuda:0'?)"}},
      {"Mode",
       with("arms: [fixture]\nmeasure:\n  modes: [warm, clod]\n"),
       "4:17",
       {"'clod'", "did you mean 'cold'?"}},
      {"ModeTwice",
       with("arms: [fixture]\nmeasure:\n  modes: [warm, warm]\n"),
       "4:17",
       {"mode 'warm' stands here a second time"}},
      {"ModesEmpty",
       with("arms: [fixture]\nmeasure:\n  modes: []\n"),
       "4:10",
       {"key 'modes' is empty"}},
      {"MeasureKey",
       with("arms: [fixture]\nmeasure:\n  bloks: 3\n"),
       "4:3",
       {"unknown key 'bloks' (did you mean 'blocks'?)"}},
      {"Blocks",
       with("arms: [fixture]\nmeasure:\n  blocks: 0\n"),
       "4:11",
       {"key 'blocks' is 0; it must be from 1"}},
      {"BlocksText",
       with("arms: [fixture]\nmeasure:\n  blocks: many\n"),
       "4:11",
       {"must be an integer, not 'many'"}},
      {"BlocksFraction",
       with("arms: [fixture]\nmeasure:\n  blocks: 2.5\n"),
       "4:11",
       {"must be an integer, not '2.5'"}},
      {"Duration",
       with("arms: [fixture]\nmeasure:\n  timeout: 3 weeks\n"),
       "4:12",
       {"a duration such as '2 s'", "'3 weeks'"}},
      {"TimeoutPhase",
       with("arms: [fixture]\nmeasure:\n  timeout: {compil: 3 s}\n"),
       "4:13",
       {"unknown key 'compil' (did you mean 'compile'?)"}},
      {"Processes",
       with("arms: [fixture]\nmeasure:\n  processes: 0\n"),
       "4:14",
       {"key 'processes' is 0; it must be from 1"}},
      {"FewerProcessesAtMost",
       with("arms: [fixture]\nmeasure:\n  processes: 4\n  most_processes: 3\n"),
       "5:19",
       {"key 'most_processes' is 3; it must be from 4"}},
      {"Precision",
       with("arms: [fixture]\nmeasure:\n  precision: 0.01\n"),
       "4:14",
       {"a percentage such as 1%"}},
      {"DurationZero",
       with("arms: [fixture]\nmeasure:\n  budget: 0 s\n"),
       "4:11",
       {"more than zero"}},
      {"Include",
       with("arms: [fixture]\ninclude: [absent.yaml]\n"),
       "3:11",
       {"absent.yaml: no such file"}},
      {"RecipeVariant",
       with("recipes:\n  r: [fixtre]\narms: [r]\n"),
       "3:7",
       {"no variant 'fixtre' (did you mean 'fixture'?)"}},
      {"RecipeTwice",
       with("recipes:\n  r: [fixture]\n  r: [fixture]\narms: [r]\n"),
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
       {"key 'queries' is 0; it must be from 1 to 1099511627776"}},
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
       "  - {name: p, queries: 1099511627776, heads: 1099511627776, levels: [[4, 4]]}\n",
       "3:5",
       {"does not fit in 63 bits"}},
      {"TooManyQueries",
       "arms: [fixture]\nproblems:\n  - {name: p, queries: 4611686018427387904, levels: [[4, "
       "4]]}\n",
       "3:24",
       {"key 'queries' is 4611686018427387904; it must be from 1 to 1099511627776"}},
      {"InputMissing",
       "arms: [fixture]\nproblems:\n  - {input: absent}\n",
       "3:13",
       {"input directory 'absent' does not exist"}},
      {"InputAndPreset",
       "arms: [fixture]\nproblems:\n  - {preset: ledger-48, input: absent}\n",
       "3:32",
       {"either 'preset' or 'input'"}},
  };
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
