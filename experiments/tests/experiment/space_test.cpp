// A space from YAML to candidates.
#include <filesystem>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operators/operator.hpp"
#include "runner/experiment/parse.hpp"
#include "runner/tune/candidates.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

SpaceSpec parse(const std::string& text, const Registry& registry = fixture_registry()) {
  return parse_space(YamlNode::parse(text, "space.yaml"), {}, registry);
}

std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "was accepted";
}

std::vector<std::string> names_of(const SpaceSpec& spec) {
  std::vector<std::string> names;
  for (const SpaceFactor& factor : spec.space.factors()) names.push_back(factor.name);
  return names;
}

TEST(Space, HasAFactorForEachDecisionAndEachVariedParameter) {
  const SpaceSpec spec = parse(R"(
factors:
  kernel:
    - none
    - fixture: {milliseconds: [2, 0, 1], after: 3, flag: [true, false]}
)");
  EXPECT_THAT(names_of(spec), ElementsAre("kernel", "kernel.milliseconds", "kernel.flag"));
  EXPECT_THAT(spec.space.factors()[0].levels, ElementsAre("none", "fixture(after=3)"));
  EXPECT_THAT(spec.space.factors()[1].levels, ElementsAre("0", "1", "2"));
  EXPECT_EQ(spec.space.size(), 1U + 3U * 2U);
}

TEST(Space, PutsWhatAPointChoosesIntoItsComposition) {
  const SpaceSpec spec = parse("factors: {kernel: {fixture: {milliseconds: [0, 1], after: 3}}}\n");
  const std::vector<Use> uses = uses_at(fixture_registry(), spec, {0, 1});
  ASSERT_THAT(uses, SizeIs(1));
  EXPECT_EQ(uses[0].variant, "fixture");
  EXPECT_EQ(std::get<double>(uses[0].parameters.at("milliseconds")), 1.0);
  EXPECT_EQ(std::get<std::int64_t>(uses[0].parameters.at("after")), 3);
}

TEST(Space, SharesAParameterOfOneNameBetweenAlternatives) {
  const SpaceSpec spec = parse(R"(
factors:
  mapping:
    - vector-loads: {threads: [128, 256]}
    - corner-pair: {threads: [256, 512]}
)",
                               shipped_registry());
  EXPECT_THAT(names_of(spec), ElementsAre("mapping", "mapping.threads"));
  EXPECT_THAT(spec.space.factors()[1].levels, ElementsAre("128", "256", "512"));
  EXPECT_EQ(spec.space.size(), 4U);
}

TEST(Space, LaysChoicesOverTheBase) {
  const SpaceSpec spec = parse(R"(
base: [{vector-loads: {width: 4}}, mixed-precision]
factors:
  mapping: [{vector-loads: {threads: [512]}}, corner-pair]
  unroll: [none, {loop-unrolling: {points: [2, 4]}}]
)",
                               shipped_registry());
  const auto text = [&](const Levels& levels) {
    return Composition(shipped_registry(), uses_at(shipped_registry(), spec, levels)).describe();
  };
  EXPECT_THAT(text({0, 0, 0, kInactive}), HasSubstr("vector-loads"));
  EXPECT_THAT(text({0, 0, 0, kInactive}), HasSubstr("width=4"));
  EXPECT_THAT(text({0, 0, 0, kInactive}), HasSubstr("mixed-precision"));
  EXPECT_THAT(text({1, kInactive, 1, 1}), HasSubstr("points=4"));
  EXPECT_THAT(text({1, kInactive, 1, 1}), testing::Not(HasSubstr("vector-loads")));
}

TEST(Space, SwitchesAVariantThatStandsAlone) {
  const SpaceSpec spec = parse("factors: {mixed-precision: }\n", shipped_registry());
  EXPECT_THAT(spec.space.factors()[0].levels, ElementsAre("none", "mixed-precision"));
}

TEST(Space, IsRefusedWhereItsRulesLeaveNoPoint) {
  const std::string error = error_of(R"(
factors:
  k: {fixture: {milliseconds: [1, 2, 3]}}
requires: [{when: {k.milliseconds: 3}, then: {k.milliseconds: 1}}]
excludes: [{k.milliseconds: [1, 2]}]
)");
  EXPECT_THAT(error, HasSubstr("space.yaml:5:"));
  EXPECT_THAT(error, HasSubstr("the rules leave no point of the space: of 3 are removed 1 by "
                               "'k.milliseconds=3 requires k.milliseconds=1', 2 by 'excluded: "
                               "k.milliseconds=1|2'"));
}

TEST(Space, SaysWhereAndWhatIsWrong) {
  EXPECT_THAT(error_of("factors: {}\n"), HasSubstr("at least one factor"));
  EXPECT_THAT(error_of("factor: {}\n"), HasSubstr("did you mean 'factors'?"));
  EXPECT_THAT(error_of("factors: {k: [fixtur]}\n"), HasSubstr("did you mean 'fixture'?"));
  EXPECT_THAT(error_of("factors:\n  k: {fixture: {milisec: [1]}}\n"), HasSubstr("space.yaml:2:"));
  EXPECT_THAT(error_of("factors: {k: [fixture, fixture]}\n"), HasSubstr("a second time"));
  EXPECT_THAT(error_of("factors: {k: {fixture: {after: [1, 1]}}}\n"), HasSubstr("a second time"));
  EXPECT_THAT(error_of("factors: {k: {fixture: {after: [-1]}}}\n"), HasSubstr("after"));
  const std::string factors = "factors: {k: {fixture: {after: [1, 2]}}}\n";
  EXPECT_THAT(error_of(factors + "excludes: [{k.aftr: 1}]\n"),
              HasSubstr("did you mean 'k.after'?"));
  EXPECT_THAT(error_of(factors + "excludes: [{k.after: 3}]\n"), HasSubstr("there are 1, 2"));
  EXPECT_THAT(error_of(factors + "requires: [{when: {k.after: 1}}]\n"),
              HasSubstr("lacks key 'then'"));
  EXPECT_THAT(error_of(factors + "excludes: [{}]\n"), HasSubstr("at least one factor"));
  EXPECT_THAT(error_of(factors + "error: 2\n"), HasSubstr("error"));
  for (const char* alone : {"worst: 0.2\n", "together: false\nworst: 0.2\n"}) {
    EXPECT_THAT(error_of(factors + alone), HasSubstr("add that, or take 'worst' away"));
  }
  EXPECT_THAT(error_of("base: best\n" + factors), HasSubstr("nothing can build on it"));
}

class CandidatesTest : public testing::Test {
 protected:
  Candidates candidates(const std::string& text, const std::vector<Arm>& known = {}) {
    spec_ = parse(text);
    known_ = known;
    return {fixture_registry(), spec_, baseline_, known_, problems_, device_};
  }

  SpaceSpec spec_;
  Arm baseline_ = make_arm(fixture_registry(), "base", {{"fixture", {}}});
  std::vector<Arm> known_;
  std::vector<ProblemSpec> problems_{tiny_problem()};
  DeviceInfo device_{.id = "cpu", .name = "CPU", .kind = DeviceKind::kCpu};
};

TEST_F(CandidatesTest, AreThePointsThatCanRunWithoutTheBaselineAndRepetitions) {
  const Candidates found = candidates(R"(
factors:
  kernel:
    - fixture: {behaviour: [good, unsupported], milliseconds: [0, 1, 2]}
    - {fixture: {after: 0, milliseconds: [1]}}
excludes: [{kernel.milliseconds: 2}]
)");
  // 0 ms is the baseline; after: 0 is the default, so that it is 1 ms again; 2 ms is excluded.
  EXPECT_THAT(found.all(), SizeIs(1));
  EXPECT_EQ(found.name(found.all()[0]), "c" + std::to_string(found.all()[0]));
  const std::string text = to_text(found.count());
  EXPECT_THAT(text, HasSubstr("7 points"));
  EXPECT_THAT(text, HasSubstr("2 removed: excluded: kernel.milliseconds=2"));
  EXPECT_THAT(text, HasSubstr("2 removed: fixture: as it was told"));
  EXPECT_THAT(text, HasSubstr("1 removed: the same composition as another point"));
  EXPECT_THAT(text, HasSubstr("1 removed: the baseline"));
  EXPECT_THAT(text, HasSubstr("1 left"));
}

TEST_F(CandidatesTest, IncludeKnownArmsWhetherTheSpaceHasThemOrNot) {
  const auto arm = [](const std::string& name, double milliseconds) {
    return make_arm(fixture_registry(), name, {{"fixture", {{"milliseconds", milliseconds}}}});
  };
  const Candidates found = candidates("factors: {k: {fixture: {milliseconds: [1, 2]}}}\n",
                                      {arm("inside", 2), arm("beyond", 5)});
  ASSERT_THAT(found.known(), SizeIs(2));
  EXPECT_LT(found.known()[0], spec_.space.size());
  EXPECT_EQ(found.levels(found.known()[0]), (Levels{0, 1}));
  EXPECT_EQ(found.name(found.known()[1]), "beyond");
  EXPECT_THAT(found.levels(found.known()[1]), IsEmpty());
}

TEST_F(CandidatesTest, OfALargeSpaceAreCountedBySample) {
  std::string values = "0";
  for (int i = 1; i < 1000; ++i) values += ", " + std::to_string(i);
  const Candidates found =
      candidates("factors: {k: {fixture: {milliseconds: [" + values + "], after: [" + values +
                 "], behaviour: [good, unsupported]}}}\n");
  EXPECT_EQ(found.count().points, 2'000'000U);
  EXPECT_FALSE(found.count().is_whole());
  EXPECT_THAT(found.all(), IsEmpty());
  const double share =
      static_cast<double>(found.count().left) / static_cast<double>(found.count().looked_at);
  EXPECT_NEAR(share, 0.5, 0.03);
  EXPECT_THAT(to_text(found.count()), HasSubstr("drawn at random"));
}

/// `use: best` takes what a search has found: there is one for each operator of a model's layer.
TEST(SpacesOfTheProgram, SearchEveryOperatorOfALayer) {
  std::set<std::string> operators;
  for (const auto& entry : std::filesystem::directory_iterator(MSDA_SOURCE_DIR "/experiments")) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("tune")) continue;
    const Experiment experiment = load_experiment(entry.path(), shipped_registry());
    ASSERT_TRUE(experiment.space) << name;
    for (const ProblemSpec& problem : experiment.problems) {
      operators.insert(problem.op);
      for (const ArmSpec& arm : experiment.arms) {
        if (arm.uses.empty()) continue;
        EXPECT_EQ(Composition(shipped_registry(), arm.uses).refuses(find_operator(problem.op)), "")
            << name << ": " << arm.name << " for " << problem.problem.name;
      }
    }
  }
  EXPECT_THAT(operators, ElementsAre("backward", "forward", "fused", "fused-backward"));
}

}  // namespace
}  // namespace msda::test
