#include "runner/experiment/experiment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <msda/operators/forward.hpp>

#include "support/support.hpp"

namespace msda::test {
namespace {

using testing::ElementsAre;

Experiment load(const TemporaryDirectory& directory, const std::string& yaml,
                const Registry& registry = fixture_registry()) {
  return load_experiment(directory.write("my-study.yaml", yaml), registry);
}

TEST(Experiment, ReadsEveryKey) {
  const TemporaryDirectory directory;
  const Experiment experiment = load(directory, R"(
name: study
summary: all keys at once
device: cpu
recipes:
  good: [fixture]
  slow: [{fixture: {milliseconds: 2, flag: true}}]
problems:
  - {preset: ddetr-decoder, name: decoder-fp16, types: fp16, distribution: local, sigma: 3, seed: 7}
  - name: mine
    batch: 2
    queries: 10
    heads: 8
    channels: 16
    points: 3
    levels: [[16, 20], [8, 10]]
    layout: zero-border
    types: {value: fp16, weight: bf16}
arms: [good, slow, {name: late, use: [{fixture: {after: 4}}]}]
baseline: slow
measure: {modes: [cold, graph], processes: 3, most_processes: 4, precision: 0.5%, blocks: 3, samples: 4, warmup: 0, seed: 9, input_sets: 5, timeout: 2 min, budget: 1500 ms}
)");
  EXPECT_EQ(experiment.name, "study");
  EXPECT_EQ(experiment.summary, "all keys at once");
  EXPECT_EQ(experiment.device, "cpu");
  EXPECT_EQ(experiment.baseline, "slow");
  ASSERT_EQ(experiment.problems.size(), 2U);
  const ProblemSpec& decoder = experiment.problems[0];
  EXPECT_EQ(decoder.name(), "decoder-fp16");
  EXPECT_EQ(decoder.problem.queries, 300);
  EXPECT_EQ(decoder.problem.types, Types::all(DType::kFloat16));
  EXPECT_EQ(decoder.generation.distribution, Distribution::kLocal);
  EXPECT_EQ(decoder.generation.sigma, 3);
  EXPECT_EQ(decoder.generation.seed, 7U);
  const Problem& mine = experiment.problems[1].problem;
  EXPECT_EQ(mine.channels, 16);
  EXPECT_EQ(mine.layout, ValueLayout::kZeroBorder);
  EXPECT_EQ(mine.types,
            (Types{DType::kFloat16, DType::kFloat32, DType::kBFloat16, DType::kFloat32}));
  EXPECT_THAT(mine.levels, ElementsAre(Level{16, 20}, Level{8, 10}));
  ASSERT_EQ(experiment.arms.size(), 3U);
  EXPECT_EQ(experiment.arms[1].uses.at(0).parameters.at("milliseconds"), ParameterValue(2.0));
  EXPECT_EQ(experiment.arms[1].uses.at(0).parameters.at("flag"), ParameterValue(true));
  EXPECT_EQ(experiment.arms[2].uses.at(0).parameters.at("after"), ParameterValue(std::int64_t{4}));
  const MeasureSettings& measure = experiment.measure;
  EXPECT_THAT(measure.modes, ElementsAre(TimingMode::kCold, TimingMode::kGraph));
  EXPECT_EQ(measure.blocks, 3);
  EXPECT_EQ(measure.samples, 4);
  EXPECT_EQ(measure.warmup, 0);
  EXPECT_EQ(measure.input_sets, 5);
  EXPECT_EQ(measure.seed, 9U);
  EXPECT_EQ(measure.processes, 3);
  EXPECT_EQ(measure.most_processes, 4);
  EXPECT_DOUBLE_EQ(measure.precision, 0.005);
  EXPECT_EQ(measure.timeouts.compile.count(), 120);
  EXPECT_EQ(measure.timeouts.measure.count(), 120);
  EXPECT_EQ(measure.budget.count(), 1.5);
  EXPECT_EQ(measure.budget_of_process().count(), 0.5);
}

MeasureSettings measured(const std::string& settings) {
  const TemporaryDirectory directory;
  return load(directory, "problems: [ledger-48]\narms: [fixture]\nmeasure: " + settings).measure;
}

TEST(LoadExperiment, AProblemMayHaveTheKeysOfOlderCommandLines) {
  const TemporaryDirectory directory;
  const Experiment experiment = load(directory, R"(
problems:
  - {name: a, batch: 48, spatial_size: 20522, num_query: 20522, num_heads: 1, num_points: 8, num_levels: 4, im2col_step: 1, dtype: fp16}
  - {name: b, queries: 5, levels: "4x5,2x3"}
arms: [fixture]
)");
  Problem expected = preset("ledger-48-square");
  expected.name = "a";
  expected.types = Types::all(DType::kFloat16);
  EXPECT_EQ(experiment.problems.at(0).problem, expected);
  EXPECT_THAT(experiment.problems.at(1).problem.levels, ElementsAre(Level{4, 5}, Level{2, 3}));
}

TEST(LoadExperiment, LevelsMayDifferInTheirPointsAndPixelsMayBePadding) {
  const TemporaryDirectory directory;
  const Experiment experiment = load(directory, R"(
problems:
  - {preset: rtdetr-decoder, operator: fused, points: [3, 6, 3], padding: true, references: {coordinates: 4, scale: 0.25}}
  - {preset: rtdetr-decoder, name: even, points: [5, 5, 5]}
  - {preset: rtdetr-decoder, name: scaled, operator: fused, points: [1, 2, 1],
     references: {coordinates: 4, point_scales: [0.5, 0.25, 1, 2]}}
arms: [fixture]
)");
  EXPECT_THAT(experiment.problems.at(2).problem.references.point_scales,
              ElementsAre(0.5, 0.25, 1, 2));
  const Problem& problem = experiment.problems.at(0).problem;
  EXPECT_THAT(problem.level_points, ElementsAre(3, 6, 3));
  EXPECT_EQ(problem.points, 6);
  EXPECT_TRUE(problem.padding);
  EXPECT_EQ(problem.references.scale, 0.25);
  const Problem& even = experiment.problems.at(1).problem;
  EXPECT_TRUE(even.level_points.empty());
  EXPECT_EQ(even.points, 5);
}

TEST(LoadExperiment, SweepsMakeAProblemOfEachCombination) {
  const TemporaryDirectory directory;
  const Experiment experiment = load(directory, R"(
problems:
  - distribution: local
    sweep: {preset: [ddetr-decoder, dino-decoder], batch: [1, 8], types: [fp16, bf16]}
  - {preset: ddetr-decoder, name: wide, sweep: {sigma: [2, 4.5]}}
arms: [fixture]
)");
  std::vector<std::string> names;
  for (const ProblemSpec& spec : experiment.problems) names.push_back(spec.name());
  EXPECT_THAT(names,
              ElementsAre("ddetr-decoder-1-fp16", "ddetr-decoder-1-bf16", "ddetr-decoder-8-fp16",
                          "ddetr-decoder-8-bf16", "dino-decoder-1-fp16", "dino-decoder-1-bf16",
                          "dino-decoder-8-fp16", "dino-decoder-8-bf16", "wide-2", "wide-4.5"));
  const ProblemSpec& one = experiment.problems.at(6);
  EXPECT_EQ(one.problem.batch, 8);
  EXPECT_EQ(one.problem.queries, 900);
  EXPECT_EQ(one.problem.types, Types::all(DType::kFloat16));
  EXPECT_EQ(one.generation.distribution, Distribution::kLocal);
  EXPECT_EQ(experiment.problems.back().generation.sigma, 4.5);
}

TEST(LoadExperiment, SweptNumbersNameTheirProblemsInTheShortestForm) {
  const TemporaryDirectory directory;
  const Experiment experiment = load(directory, R"(
problems: [{preset: ddetr-decoder, name: p, sweep: {sigma: [.5, 1.0, 2.50, +3, 0.00001]}}]
arms: [fixture]
)");
  std::vector<std::string> names;
  for (const ProblemSpec& spec : experiment.problems) names.push_back(spec.name());
  EXPECT_THAT(names, ElementsAre("p-0.5", "p-1", "p-2.5", "p-3", "p-1e-05"));
  EXPECT_EQ(experiment.problems.front().generation.sigma, 0.5);
}

TEST(Experiment, EachPhaseMayHaveATimeOutOfItsOwn) {
  const Timeouts timeouts = measured("{timeout: {compile: 10 min, measure: 500 ms}}").timeouts;
  EXPECT_EQ(timeouts.compile.count(), 600);
  EXPECT_EQ(timeouts.prepare.count(), Timeouts{}.prepare.count());
  EXPECT_EQ(timeouts.verify.count(), Timeouts{}.verify.count());
  EXPECT_EQ(timeouts.measure.count(), 0.5);
}

TEST(Experiment, ProcessesMayDoubleUnlessThereIsOne) {
  EXPECT_EQ(measured("{}").processes, 5);
  EXPECT_EQ(measured("{}").most_processes, 10);
  EXPECT_EQ(measured("{processes: 3}").most_processes, 6);
  EXPECT_EQ(measured("{processes: 1}").most_processes, 1);
}

TEST(Experiment, ReadsClaims) {
  const TemporaryDirectory directory;
  const Experiment experiment = load(
      directory,
      "problems: [ledger-48]\n"
      "arms: [fixture, {name: late, use: [{fixture: {after: 4}}]}]\n"
      "claims:\n"
      "  - {text: faster, source: a paper, arm: late, over: fixture, speedup: +5..10%}\n"
      "  - {text: quick, source: a paper, arm: fixture, time: 724 us, mode: cold,\n"
      "     problem: ledger-48, note: another GPU}\n"
      "  - {text: local, source: a paper, arm: late, counter: {dram__bytes.sum: at most 2e9}}\n"
      "measure: {modes: [warm, cold]}\n");
  ASSERT_EQ(experiment.claims.size(), 3U);
  EXPECT_EQ(experiment.claims[0].over_text(), "fixture");
  EXPECT_DOUBLE_EQ(experiment.claims[0].range.high, 1.1);
  EXPECT_EQ(experiment.claims[1].quantity, Claim::Quantity::kTime);
  EXPECT_EQ(experiment.claims[1].mode, TimingMode::kCold);
  EXPECT_EQ(experiment.claims[1].value, "724 us");
  EXPECT_EQ(experiment.claims[2].quantity, Claim::Quantity::kCounter);
  EXPECT_EQ(experiment.claims[2].metric, "dram__bytes.sum");
  EXPECT_EQ(experiment.claims[2].range.high, 2e9);
}

TEST(Experiment, ReadsWhatIsCounted) {
  const TemporaryDirectory directory;
  const std::string head = "problems: [ledger-48]\narms: [fixture]\n";
  const ProfileSettings settings =
      load(directory, head +
                          "profile: {metrics: [dram__bytes.sum, lts__t_bytes.sum], sections: "
                          "[MemoryWorkloadAnalysis]}\n")
          .profile;
  EXPECT_THAT(settings.metrics, ElementsAre("dram__bytes.sum", "lts__t_bytes.sum"));
  EXPECT_THAT(settings.sections, ElementsAre("MemoryWorkloadAnalysis"));
  EXPECT_TRUE(load(directory, head).profile.metrics.empty());
}

TEST(Experiment, NameIsTheFilesWithoutOne) {
  const TemporaryDirectory directory;
  EXPECT_EQ(load(directory, "problems: [ledger-48]\narms: [fixture]\n").name, "my-study");
}

TEST(Experiment, IncludesRecipesOfIncludedFiles) {
  const TemporaryDirectory directory;
  directory.write("deep.yaml", "recipes: {deep: [fixture]}\n");
  directory.write("base.yaml", "include: [deep.yaml]\nrecipes: {base: [fixture]}\n");
  const Experiment experiment =
      load(directory, "include: [base.yaml]\nproblems: [ledger-48]\narms: [base, deep]\n");
  EXPECT_EQ(experiment.arms.size(), 2U);
}

TEST(Experiment, KnowsTheShippedRecipesAndMayDefineThemAnew) {
  const TemporaryDirectory directory;
  const std::string head = "problems: [ledger-48]\n";
  EXPECT_TRUE(load(directory, head + "arms: [plain]\n").arms.front().uses.empty());
  const Experiment own = load(
      directory, "recipes: {plain: [fixture], mine: [plain]}\n" + head + "arms: [plain, mine]\n");
  for (const ArmSpec& arm : own.arms) EXPECT_EQ(arm.uses.front().variant, "fixture") << arm.name;
}

TEST(Experiment, IncludesAShippedFileWhereThereIsNoneOfItsNameBesideIt) {
  const TemporaryDirectory directory;
  const std::string text = "include: [recipes.yaml]\nproblems: [ledger-48]\narms: [plain]\n";
  EXPECT_TRUE(load(directory, text).arms.front().uses.empty());
  directory.write("recipes.yaml", "recipes: {plain: [fixture]}\n");
  EXPECT_EQ(load(directory, text).arms.front().uses.front().variant, "fixture");
}

TEST(Experiment, AnIncludedRecipeThatIsNotUsedNeedNotWork) {
  const TemporaryDirectory directory;
  directory.write("base.yaml", "recipes:\n  base: [fixture]\n  odd: [absent]\n");
  const std::string head = "include: [base.yaml]\nproblems: [ledger-48]\n";
  EXPECT_EQ(load(directory, head + "arms: [base]\n").arms.size(), 1U);
  try {
    load(directory, head + "arms: [odd]\n");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("my-study.yaml:3:8: "));
    EXPECT_THAT(error.what(), testing::HasSubstr("base.yaml:3:9: no variant 'absent'"));
  }
}

TEST(Experiment, AListTakesTheVariantsOfARecipeWhoseSlotsItDoesNotFill) {
  const TemporaryDirectory directory;
  const Experiment experiment = load(directory,
                                     "recipes:\n"
                                     "  base: [vector-loads, {persistent: {blocks: 1}}]\n"
                                     "  more: [base, {persistent: {blocks: 2}}]\n"
                                     "problems: [ledger-48]\n"
                                     "arms:\n"
                                     "  - {name: other-mapping, use: [more, corner-pair]}\n",
                                     shipped_registry());
  const std::vector<Use>& uses = experiment.arms.at(0).uses;
  ASSERT_EQ(uses.size(), 2U);
  EXPECT_EQ(uses[0].variant, "persistent");
  EXPECT_EQ(uses[0].parameters.at("blocks"), ParameterValue(std::int64_t{2}));
  EXPECT_EQ(uses[1].variant, "corner-pair");
}

TEST(Experiment, AnEmptyRecipeIsTheDirectSkeleton) {
  const TemporaryDirectory directory;
  const Experiment experiment =
      load(directory, "recipes: {plain: []}\nproblems: [ledger-48]\narms: [plain]\n");
  EXPECT_TRUE(experiment.arms.at(0).uses.empty());
}

TEST(Experiment, ReadsTheCapturedInput) {
  const TemporaryDirectory directory;
  const Experiment experiment = load(directory,
                                     "problems:\n"
                                     "  - captured-decoder\n"
                                     "  - {preset: captured-decoder, name: half, types: fp16}\n"
                                     "arms: [fixture]\n");
  const ProblemSpec& spec = experiment.problems.at(0);
  ASSERT_TRUE(spec.directory);
  EXPECT_EQ(spec.problem.queries, 300);
  EXPECT_EQ(spec.name(), "captured-decoder");
  const Input input = make_input(spec);
  EXPECT_FALSE(input.expected[forward::kOutput].empty());
  EXPECT_EQ(experiment.problems.at(1).problem.types, Types::all(DType::kFloat16));
  EXPECT_EQ(make_input(experiment.problems.at(1)).problem.types, Types::all(DType::kFloat16));
}

TEST(Experiment, InputsWithAShapeOfTheirOwnRefuseAnother) {
  const TemporaryDirectory directory;
  write_directory(make_input(tiny_problem()), directory.path() / "tiny", FileFormat::kNpy);
  try {
    load(directory, "problems:\n  - {input: tiny, batch: 3}\narms: [fixture]\n");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(":2:19: key 'batch' does not apply"));
  }
}

TEST(Experiment, ReadsRawTensorsWithTheShapeGiven) {
  const TemporaryDirectory directory;
  const ProblemSpec spec = tiny_problem();
  const Input input = make_input(spec);
  write_directory(input, directory.path() / "raw", FileFormat::kRaw);
  const Experiment experiment = load(directory, R"(
problems:
  - {input: raw, batch: 1, queries: 5, heads: 2, channels: 8, points: 2, levels: [[4, 5], [2, 3]]}
arms: [fixture]
)");
  EXPECT_EQ(experiment.problems.at(0).name(), "raw");
  EXPECT_EQ(make_input(experiment.problems.at(0)).at("value"), input.at("value"));
}

TEST(Experiment, ASaltChangesGeneratedTensors) {
  const ProblemSpec spec = tiny_problem();
  EXPECT_EQ(make_input(spec).at("value"), make_input(spec, 0).at("value"));
  EXPECT_NE(make_input(spec).at("value"), make_input(spec, 1).at("value"));
}

}  // namespace
}  // namespace msda::test
