// What an ablation's factors and the lists of arms make of the variants that they change.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/experiment/experiment.hpp"
#include "runner/plan/plan.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Experiment load(const std::string& yaml, const Registry& registry = shipped_registry()) {
  const TemporaryDirectory directory;
  return load_experiment(
      directory.write("x.yaml", "problems: [{name: p, queries: 3, levels: [[4, 4]]}]\n" + yaml),
      registry);
}

std::string composition(const Experiment& experiment, const std::string& arm) {
  for (const ArmSpec& spec : experiment.arms) {
    if (spec.name == arm) return Composition(shipped_registry(), spec.uses).describe();
  }
  return "no arm " + arm;
}

std::string refusal(const std::string& yaml, const Registry& registry = fixture_registry()) {
  try {
    load(yaml, registry);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "was accepted";
}

constexpr const char* kThreads = R"(
ablation:
  base: [cpu-threads: {threads: 1, isa: portable, head_planes: off}]
)";

TEST(Factors, OfAVariantThatTheBaseHasChangeTheParametersThatTheyName) {
  const Experiment experiment = load(std::string(kThreads) + R"(
  factors:
    small-blocks: {cpu-threads: {block: 16}}
    planes: {cpu-threads: {head_planes: on}}
  design: full
)");
  EXPECT_THAT(composition(experiment, "base+small-blocks"),
              AllOf(HasSubstr("block=16"), HasSubstr("threads=1}"), HasSubstr("isa=portable"),
                    HasSubstr("head_planes=off")));
  EXPECT_THAT(composition(experiment, "all"),
              AllOf(HasSubstr("block=16"), HasSubstr("threads=1}"), HasSubstr("isa=portable"),
                    HasSubstr("head_planes=on")));
}

TEST(Factors, MayTakeTheVariantsDefaultsForTheRest) {
  const Experiment experiment = load(std::string(kThreads) + R"(
  factors: {small-blocks: {cpu-threads: {block: 16, others: default}}}
  design: add-one
)");
  EXPECT_THAT(composition(experiment, "base+small-blocks"),
              AllOf(HasSubstr("block=16"), HasSubstr("threads=0"), HasSubstr("isa=auto")));
}

TEST(Factors, ThatAddOneVariantTogetherCombineToo) {
  const Experiment experiment = load(R"(
ablation:
  base: [vector-loads]
  factors:
    points: {loop-unrolling: {points: 8}}
    alternate: {loop-unrolling: {alternate: true}}
  design: full
)");
  EXPECT_THAT(composition(experiment, "all"),
              AllOf(HasSubstr("points=8"), HasSubstr("alternate=true")));
}

TEST(Factors, ThatSetOneParameterToDifferentValuesDoNotRunTogether) {
  const std::string factors = std::string(kThreads) + R"(
  factors:
    small: {cpu-threads: {block: 16}}
    large: {cpu-threads: {block: [512]}}
)";
  EXPECT_THAT(refusal(factors + "  design: full\n", shipped_registry()),
              HasSubstr("all factors together cannot run: small and large set cpu-threads.block to "
                        "16 and to 512; if that is meant, rule it out with 'excludes'"));
  const Experiment experiment = load(factors + "  excludes: [[small, large]]\n  design: full\n");
  ASSERT_EQ(experiment.design->dropped.size(), 1U);
  EXPECT_THAT(dropped_notes(*experiment.design),
              ElementsAre("arm 'all' is dropped: small excludes large"));
}

TEST(Factors, OneOfThemMayNotUndoWhatAnotherChanges) {
  const Experiment experiment = load(R"(
ablation:
  base: [vector-loads]
  factors:
    narrow: {vector-loads: {width: 4}}
    pairs: corner-pair
  excludes: [[narrow, pairs]]
  design: full
)");
  EXPECT_THAT(composition(experiment, "base+pairs"), testing::Not(HasSubstr("vector-loads")));
  EXPECT_THAT(refusal(R"(
ablation:
  base: [vector-loads]
  factors:
    narrow: {vector-loads: {width: 4}}
    pairs: corner-pair
  design: full
)",
                      shipped_registry()),
              HasSubstr("'vector-loads' and 'corner-pair' both fill slot 'mapping'"));
}

TEST(Factors, ThatOnlyRepeatTheBaseAreRefused) {
  EXPECT_THAT(refusal("ablation:\n  base: [fixture: {after: 3}]\n"
                      "  factors: {a: {fixture: {after: 3}}}\n  design: full\n"),
              HasSubstr(":4:16: the base has 'fixture' already with these parameters"));
}

constexpr const char* kLevels = R"(
ablation:
  base: [fixture]
  factors:
    flag: {fixture: {flag: [true]}}
    wait: {fixture: {milliseconds: [0, 1, 2]}}
)";

TEST(Levels, OfAFactorThatHasSeveralSayWhichIsOn) {
  for (const std::string kind : {"leave-one-out", "ladder", "full"}) {
    EXPECT_THAT(refusal(std::string(kLevels) + "  design: " + kind + "\n"),
                HasSubstr(":8:11: factor 'wait' has the levels 0, 1, 2: say which of them it has "
                          "where all factors are on, as '" +
                          kind + "' needs, in the ablation's 'all: {wait: 2}'"));
  }
  EXPECT_EQ(load(std::string(kLevels) + "  design: add-one\n", fixture_registry()).arms.size(), 4U);
}

TEST(Levels, TheOneThatIsOnIsInAllAndInLadders) {
  const Experiment experiment =
      load(std::string(kLevels) + "  all: {wait: 1}\n  design: [leave-one-out, ladder]\n",
           fixture_registry());
  std::vector<std::string> names;
  for (const ArmSpec& arm : experiment.arms) names.push_back(arm.name);
  EXPECT_THAT(names, ElementsAre("base", "all", "base+wait=1", "base+flag=true"));
  EXPECT_EQ(experiment.arms.at(1).uses.at(0).parameters.at("milliseconds"), ParameterValue(1.0));
}

TEST(Levels, InAListOfCombinationsAreNamedWhereThereAreSeveral) {
  const std::string list = std::string(kLevels) + "  design: list\n  list: [[flag, ";
  EXPECT_THAT(refusal(list + "wait]]\n"),
              HasSubstr(":9:17: factor 'wait' has the levels 0, 1, 2; say which, as {wait: 2}"));
  EXPECT_EQ(load(list + "{wait: 1}]]\n", fixture_registry()).arms.at(1).name,
            "base+flag=true+wait=1");
  EXPECT_EQ(load(list + "wait]]\n  all: {wait: 1}\n", fixture_registry()).arms.at(1).name, "all");
}

TEST(Levels, TheBasesIsNotOn) {
  EXPECT_THAT(refusal(std::string(kLevels) + "  all: {wait: 0}\n  design: full\n"),
              HasSubstr(":8:15: '0' is what the base has"));
  EXPECT_THAT(refusal(std::string(kLevels) + "  all: {wait: 3}\n  design: full\n"),
              HasSubstr(":8:15: factor 'wait' has no level '3'"));
}

TEST(UseLists, KeepTheParametersThatTheyDoNotName) {
  const Experiment experiment = load(R"(
recipes:
  wide: [{vector-loads: {width: 8, threads: 512}}, {persistent: {blocks: 1}}]
arms:
  - {name: narrow, use: [wide, {vector-loads: {width: 4}}]}
  - {name: anew, use: [wide, {vector-loads: {width: 4, others: default}}]}
  - {name: other, use: [wide, corner-pair]}
)");
  EXPECT_THAT(composition(experiment, "narrow"),
              AllOf(HasSubstr("width=4"), HasSubstr("threads=512"), HasSubstr("blocks=1")));
  EXPECT_THAT(composition(experiment, "anew"),
              AllOf(HasSubstr("width=4"), HasSubstr("threads=256"), HasSubstr("blocks=1")));
  EXPECT_THAT(composition(experiment, "other"), testing::Not(HasSubstr("vector-loads")));
}

TEST(UseLists, RefuseWhatChangesNothing) {
  EXPECT_THAT(
      refusal(
          "recipes: {late: [{fixture: {after: 3}}]}\narms: [{name: a, use: [late, fixture]}]\n"),
      HasSubstr(":3:30: 'fixture' is there already, and this changes none of its "
                "parameters; its defaults are {fixture: {others: default}}"));
}

TEST(UseLists, TakeNothingButDefaultForTheOthers) {
  EXPECT_THAT(refusal("arms: [{name: a, use: [{fixture: {others: 3}}]}]\n"),
              HasSubstr(":2:43: 'others' takes only 'default'"));
}

TEST(Ends, AnAblationWithoutItsBaseIsNotPlanned) {
  const Experiment experiment =
      load("recipes: {plain: []}\nablation: {base: plain, factors: {f: fixture}, design: full}\n",
           fixture_registry());
  DeviceInfo cpu;
  cpu.id = "cpu";
  try {
    make_plan(experiment, fixture_registry(), cpu);
    FAIL() << "was planned";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the ablation's 'base' does not run on cpu"));
  }
}

}  // namespace
}  // namespace msda::test
