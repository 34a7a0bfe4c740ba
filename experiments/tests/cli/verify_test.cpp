// Commands that run variants, recipes and arms by their names: verify and bench.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jit/compiler.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(CliVerify, ChecksByNameAndSaysHowFarOff) {
  const Outcome outcome = run({"verify", "fixture", "--device", "cpu"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("ok       fixture  relative L2 "));
}

TEST(CliVerify, AWrongRecipeIsExitCodeOne) {
  const TemporaryDirectory directory;
  const auto recipes = directory.write(
      "r.yaml",
      "recipes: {bad: [{fixture: {behaviour: wrong}}], plain: [], hung: [{fixture: {behaviour: "
      "hang}}]}\n");
  const Outcome outcome = run({"verify", "bad", "plain", "fixture", "hung", "--device", "cpu",
                               "--recipes", recipes, "--timeout", "2 s"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("wrong    bad"));
  EXPECT_THAT(outcome.out, HasSubstr("hung     hung"));
  EXPECT_THAT(outcome.out, HasSubstr("skipped  plain    runs on cuda"));
  EXPECT_THAT(outcome.out, HasSubstr("ok       fixture"));
}

TEST(CliVerify, TakesTheProblemOfAnArmsExperimentOrOfWords) {
  const TemporaryDirectory directory;
  const auto file = directory.write("e.yaml",
                                    "problems:\n"
                                    "  - {name: one, queries: 30, levels: [[4, 5]]}\n"
                                    "  - {name: two, queries: 31, levels: [[4, 5]]}\n"
                                    "arms: [fixture]\n");
  const std::string arm = file.string() + ":fixture";
  const auto first_line = [](std::vector<std::string> words) {
    words.insert(words.begin(), "verify");
    words.insert(words.end(), {"--device", "cpu"});
    const Outcome outcome = run(words);
    return outcome.exit_code == 0 ? outcome.out.substr(0, outcome.out.find('\n')) : outcome.err;
  };
  EXPECT_THAT(first_line({arm}), HasSubstr("one on cpu"));
  EXPECT_THAT(first_line({arm}), HasSubstr("Q=30 "));
  EXPECT_THAT(first_line({arm, "--problem", "two"}), HasSubstr("two on cpu"));
  const Outcome unknown = run({"verify", arm, "--problem", "tow", "--device", "cpu"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("the experiment has no problem 'tow' (did you mean 'two'?); "
                                     "there are: one, two; or name a preset"));
  EXPECT_THAT(first_line({arm, "num_query=7", "levels=3x4"}), HasSubstr("Q=7 "));
  EXPECT_THAT(first_line({"fixture", "num_query=7", "levels=3x4"}), HasSubstr("Q=7 "));
  EXPECT_THAT(first_line({"fixture"}), HasSubstr("small on cpu"));
  EXPECT_THAT(first_line({"fixture", "num_query=7", "--problem", "two"}),
              HasSubstr("verify: give either --problem or the problem's keys (num_query=7)"));
  EXPECT_THAT(first_line({"fixture", "num_query=7", "levels=3x4", "chanels=8"}),
              HasSubstr("verify: unknown key 'chanels' (did you mean"));
}

TEST(CliVerify, AnArchitectureCompilesAndRunsNothing) {
  if (nvrtc_version().empty()) GTEST_SKIP() << "built without NVRTC";
  const TemporaryDirectory directory;
  const auto recipes = directory.write("r.yaml", "recipes: {plain: []}\n");
  const Outcome outcome =
      run({"verify", "plain", "fixture", "--device", "sm_120", "--recipes", recipes});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::ContainsRegex("compiles +plain +[0-9]+ registers x [0-9]+ "
                                                  "threads, [0-9]+ of 101376 B shared memory"));
  EXPECT_THAT(outcome.out, HasSubstr("is compiled with its plugin, and not at run time"));
  EXPECT_THAT(outcome.out, HasSubstr("sm_120: 1 compiles, 1 skipped; nothing ran."));
  const Outcome several =
      run({"verify", "plain", "fixture", "--device", "sm_80,sm_90a", "--recipes", recipes});
  EXPECT_EQ(several.exit_code, 0) << several.err;
  EXPECT_THAT(several.out, HasSubstr("\n| sm_80 | 1 of 1 | no GPU | 0 | none |\n"));
  EXPECT_THAT(several.out, testing::ContainsRegex("sm_90a . 1 of 1 . NVIDIA H[0-9A-Z, ]+"));
  for (const char* architectures : {"sm_90", "sm_80,sm_90"}) {
    const Outcome broken = run(
        {"verify", "misspelt-slot", "--device", architectures, "--plugin-dir", MSDA_MISSPELT_DIR});
    EXPECT_EQ(broken.exit_code, 1) << broken.out;
  }
  const Outcome unknown = run({"verify", "plain", "--device", "sm_12", "--recipes", recipes});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("no architecture 'sm_12'; there are: sm_80"));
}

TEST(CliVerify, NamesTheTimeOutThatIsNone) {
  const Outcome outcome = run({"verify", "fixture", "--device", "cpu", "--timeout", "0"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("verify: --timeout must be a duration such as '2 min', more "
                                     "than zero and at most a year, not '0'"));
}

TEST(CliVerify, OfEverythingSkipsAreCountedInOneLine) {
  const TemporaryDirectory directory;
  const auto recipes = directory.write(
      "r.yaml", "recipes: {a: [], b: [], told: [{fixture: {behaviour: unsupported}}]}\n");
  const Outcome outcome = run({"verify", "all", "--device", "cpu", "--recipes", recipes});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("ok       fixture"));
  // Beside the fixture there are the plugins of the build tree.
  EXPECT_THAT(outcome.out, testing::ContainsRegex(
                               "\nskipped  [0-9]+: runs on cuda \\([0-9]+\\), it computes the "
                               "operator 'backward', and the problem asks for 'forward' "
                               "\\([0-9]+\\), fixture: as it was told \\(1\\)(, [0-9]+ for "
                               "other reasons)?; 'msda verify NAME' says why\n"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("skipped  a")));
}

TEST(CliVerify, NamesNoPyramidsOnWhichNothingRuns) {
  const TemporaryDirectory directory;
  const auto recipes = directory.write("r.yaml", "recipes: {plain: []}\n");
  const Outcome outcome =
      run({"verify", "plain", "--levels", "given", "--device", "cpu", "--recipes", recipes});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("skipped  plain  runs on cuda"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("small-2 on cpu")));
}

TEST(CliVerify, UsesTheOutputThatCameWithTheInput) {
  const std::string input = std::string(MSDA_SOURCE_DIR) + "/experiments/inputs/captured_decoder";
  const Outcome outcome = run({"verify", "fixture", "--device", "cpu", "--input", input});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("against the input's own output"));
  const Outcome half =
      run({"verify", "fixture", "--device", "cpu", "--input", input, "--dtype", "fp16"});
  EXPECT_EQ(half.exit_code, 0) << half.err;
  EXPECT_THAT(half.out, HasSubstr("output.npy is not used"));
  EXPECT_THAT(half.out, HasSubstr("skipped  fixture"));
}

TEST(CliVerify, AnOptimizationWithoutEffectIsExitCodeOne) {
  const TemporaryDirectory directory;
  const auto recipes =
      directory.write("r.yaml", "recipes: {narrow: [{vector-loads: {width: 1}}]}\n");
  const auto evidence = [&](const std::string& name) {
    return run({"verify", name, "--evidence", "--device", "simt", "--recipes", recipes,
                "num_query=8", "levels=8x8,4x4", "num_heads=1"});
  };
  const Outcome none = evidence("narrow");
  EXPECT_EQ(none.exit_code, 1) << none.err;
  EXPECT_THAT(none.out, HasSubstr("no effect narrow"));
  const Outcome shown = evidence("vector-loads");
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("shown    vector-loads"));
}

TEST(CliVerify, ConvertsAllTensorsToATypeOfTheList) {
  for (const std::string type : {"fp32", "fp16", "bf16"}) {
    const Outcome outcome = run({"verify", "cpu-scalar", "--dtype", type, "--device", "cpu"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, testing::ContainsRegex("^small on cpu .* P=4 " + type + "\n"));
    EXPECT_THAT(outcome.out, HasSubstr("ok       cpu-scalar"));
  }
}

TEST(CliVerify, UsageErrors) {
  EXPECT_THAT(run({"verify", "fixtur"}).err, HasSubstr("did you mean 'fixture'?"));
  EXPECT_EQ(run({"verify", "--problem", "a", "--input", "b"}).exit_code, 2);
  EXPECT_EQ(run({"verify", "--input", "/nowhere"}).exit_code, 2);
  EXPECT_THAT(run({"verify", "fixture", "--dtype", "fp61"}).err, HasSubstr("'fp16'"));
}

TEST(CliBench, TimesOneVariant) {
  const Outcome outcome = run({"bench", "fixture", "batch=1", "spatial_size=100", "num_query=10",
                               "channels=8", "blocks=2", "samples=2", "after=1"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("fixture"));
  EXPECT_THAT(outcome.out, HasSubstr("warm"));
}

TEST(CliBench, AWrongKernelIsExitCodeOne) {
  const Outcome outcome = run({"bench", "fixture", "behaviour=wrong", "levels=4x4", "num_query=3",
                               "channels=4", "blocks=2", "samples=1"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("wrong"));
}

TEST(CliBench, UsageErrors) {
  EXPECT_THAT(run({"bench", "fixtur"}).err, HasSubstr("did you mean 'fixture'?"));
  EXPECT_THAT(run({"bench", "fixture", "spatial_size=100", "num_hed=2"}).err,
              HasSubstr("unknown key 'num_hed'"));
  EXPECT_THAT(run({"bench", "fixture", "spatial_size=100", "after=x"}).err,
              HasSubstr("after=x: parameter of fixture is integer"));
  EXPECT_EQ(run({"bench", "fixture", "spatial_size=100", "mode=tepid"}).exit_code, 2);
  EXPECT_EQ(run({"bench", "fixture", "spatial_size=100", "device=cuda:99"}).exit_code, 3);
}

TEST(Cli, AnArmOfAnExperimentIsTakenWhereARecipeIs) {
  const TemporaryDirectory directory;
  const std::string file =
      directory
          .write("x.yaml",
                 "problems: [{preset: rtdetr-decoder}]\n"
                 "arms: [fixture, {name: slow, use: [{fixture: {milliseconds: 2}}]}]\n")
          .string();
  EXPECT_THAT(run({"show", file + ":slow"}).out, HasSubstr("milliseconds=2"));
  const Outcome verify = run({"verify", file + ":slow", "fixture", "--device", "cpu"});
  EXPECT_EQ(verify.exit_code, 0) << verify.err;
  EXPECT_THAT(verify.out, testing::ContainsRegex("ok +[^ ]*x.yaml:slow"));
  const Outcome bench = run({"bench", file + ":slow", "levels=4x4", "channels=4", "num_levels=1",
                             "num_query=3", "blocks=2", "samples=1"});
  EXPECT_EQ(bench.exit_code, 0) << bench.err;
  const Outcome wrong = run({"show", file + ":slwo"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("has no arm 'slwo' (did you mean 'slow'?)"));
}

}  // namespace
}  // namespace msda::test
