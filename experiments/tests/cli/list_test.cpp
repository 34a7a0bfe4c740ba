// What the program says of variants, presets, recipes and plugins, broken ones among them.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "jit/compiler.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

using testing::HasSubstr;

TEST(CliList, ShowsVariantsPresetsAndRecipes) {
  EXPECT_THAT(run({"list"}).out, HasSubstr("fixture"));
  const Outcome json = run({"list", "--json"});
  const auto variants = nlohmann::json::parse(json.out).at("variants");
  const auto found = std::find_if(variants.begin(), variants.end(),
                                  [](const auto& v) { return v.at("name") == "fixture"; });
  ASSERT_NE(found, variants.end());
  EXPECT_EQ(found->at("kind"), "kernel");
  EXPECT_EQ(found->at("devices"), nlohmann::json::array({"cpu"}));
  EXPECT_EQ(found->at("version"), "1.2.3");
  EXPECT_EQ(found->at("parameters").at(1).at("minimum"), 0);
  EXPECT_THAT(run({"list", "--presets"}).out, HasSubstr("ledger-48"));
  const TemporaryDirectory directory;
  const auto file = directory.write("r.yaml", "recipes: {mine: [{fixture: {after: 3}}]}\n");
  EXPECT_THAT(run({"list", "--recipes", file}).out, HasSubstr("fixture{after=3}"));
}

TEST(CliList, ShowsBrokenPluginsWithTheReason) {
  const TemporaryDirectory directory;
  directory.write("broken.so", "not a library");
  const Outcome outcome = run({"list", "--plugin-dir", directory.path()});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("broken  "));
  EXPECT_THAT(outcome.out, HasSubstr("broken.so"));
  EXPECT_THAT(outcome.out, HasSubstr("does as it is told"));
}

TEST(CliList, TakesAWordForWhatIsListed) {
  EXPECT_THAT(run({"list", "presets"}).out, HasSubstr("ledger-48"));
  EXPECT_THAT(run({"list", "slots"}).out, testing::ContainsRegex("mapping +.*"));
  EXPECT_THAT(run({"list", "slots"}).out,
              testing::ContainsRegex("points +\\(its default alone\\)"));
  const Outcome unknown = run({"list", "recipe"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 'recipes'?"));
}

TEST(CliShow, OfASlotNamesItsContractAndWhoFillsIt) {
  const Outcome outcome = run({"show", "mapping"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("contract: concept MappingPolicy in msda/slots/mapping.cuh"));
  EXPECT_THAT(outcome.out, HasSubstr("vector-loads"));
  EXPECT_THAT(run({"show", "red-map"}).out,
              HasSubstr("contract: concept RedMapPolicy in backward/red_map.cuh"));
  EXPECT_THAT(run({"show", "points"}).out, HasSubstr("PointsPolicy in msda/slots/points.cuh"));
}

TEST(CliCache, SaysWhatIsKeptAndClearsIt) {
  const TemporaryDirectory directory;
  const Outcome outcome = run_script(
      "export MSDA_CACHE_DIR=$PWD/cache; mkdir -p cache/jit/a cache/ceilings; echo x > "
      "cache/jit/a/unit.cu; \"$msda\" cache; \"$msda\" cache --clear; \"$msda\" cache; ls cache",
      directory.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::ContainsRegex("jit +1 entries(.|\n)*freed 0.0 MB(.|\n)*jit +0 "
                                                  "entries(.|\n)*ceilings"));
}

TEST(CliCache, SaysThatAFileIsNoPlaceForIt) {
  const TemporaryDirectory directory;
  const auto file = directory.write("file", "");
  const Outcome outcome = run_script("MSDA_CACHE_DIR=$PWD/file \"$msda\" cache", directory.path());
  EXPECT_EQ(outcome.exit_code, 3) << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr("cache: " + file.string() + " is no directory"));
}

TEST(CliCache, KeepsWhatWasUsedLast) {
  const TemporaryDirectory directory;
  const Outcome outcome = run_script(
      "export MSDA_CACHE_DIR=$PWD/cache; mkdir -p cache/jit/new cache/jit/middle "
      "cache/reference/old;"
      "for entry in cache/*/*; do head -c 600000 /dev/zero > $entry/file; done;"
      "touch -d 2020-01-03 cache/jit/new; touch -d 2020-01-02 cache/jit/middle;"
      "touch -d 2020-01-01 cache/reference/old; \"$msda\" cache --keep 1; ls -d cache/*/*",
      directory.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::EndsWith("freed 1.2 MB\ncache/jit/new\n"));
}

TEST(CliShow, ShowsParametersSizesAndParts) {
  const Outcome variant = run({"show", "fixture"});
  EXPECT_EQ(variant.exit_code, 0);
  EXPECT_THAT(variant.out, HasSubstr("after: launches that go well before (integer, at least 0, "
                                     "default 0)"));
  EXPECT_THAT(run({"show", "ledger-48"}).out, HasSubstr("S=19560"));
  const Outcome unknown = run({"show", "fixtur"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 'fixture'?"));
}

TEST(Cli, InspectTakesTheWordOperatorAsTheOption) {
  const Outcome both = run({"inspect", "vector-loads", "operator=fused", "--operator", "fused"});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_THAT(both.err, HasSubstr("give either operator= or --operator, not both"));
  const Outcome word = run({"inspect", "cpu-scalar", "operator=fused"});
  const Outcome option = run({"inspect", "cpu-scalar", "--operator", "fused"});
  EXPECT_EQ(word.exit_code, 2);
  EXPECT_EQ(word.err, option.err);
  EXPECT_THAT(word.err, HasSubstr("computes the operator 'forward' alone"));
}

TEST(Cli, InspectHasTheTypesOfTheExperimentsProblem) {
  const TemporaryDirectory directory;
  const auto file = directory.write("x.yaml",
                                    "problems:\n"
                                    "  - {name: a, queries: 2, levels: [[3, 3]], dtype: fp16}\n"
                                    "  - {name: b, queries: 2, levels: [[3, 3]], dtype: fp32}\n"
                                    "arms: [{name: f, use: [fixture]}]\n");
  for (const auto& [problem, type] : {std::pair{"a", "fp16"}, {"b", "fp32"}}) {
    EXPECT_THAT(run({"inspect", file.string() + ":f", "--problem", problem}).out, HasSubstr(type));
  }
}

TEST(Cli, OneArchitectureIsLookedAtAtATime) {
  for (const char* command : {"inspect", "validate", "plan"}) {
    const Outcome outcome = run({command, "quickstart", "--device", "sm_80,sm_90"});
    EXPECT_EQ(outcome.exit_code, 2) << command;
    EXPECT_THAT(outcome.err, HasSubstr("sm_80,sm_90 names several architectures; give one"));
  }
}

TEST(Cli, InspectForMachineCodeFailsWhereNothingDisassembles) {
  if (nvrtc_version().empty()) GTEST_SKIP() << "built without NVRTC";
  const TemporaryDirectory directory;
  const Outcome outcome =
      run_script("PATH=/nowhere CUDA_HOME= CUDA_PATH= \"$msda\" inspect vector-loads --sass",
                 directory.path());
  if (outcome.exit_code == 0) {
    EXPECT_THAT(outcome.out, HasSubstr("LDG")) << "by the toolkit in /usr/local/cuda";
    return;
  }
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("inspect: --sass needs cuobjdump or nvdisasm"));
  EXPECT_THAT(outcome.out, HasSubstr("registers of a thread"));
}

TEST(Cli, InspectSaysWhatAVariantDoesNotTake) {
  const Outcome outcome = run({"inspect", "mixed-precision", "--dtype", "fp32"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("inspect: 'mixed-precision': "));
  EXPECT_THAT(outcome.err, HasSubstr("values are fp32: there is no 16-bit blend"));
}

TEST(CliPlugins, AMisspeltSlotIsFoundWhenThePluginIsLoadedAndStopsNothingElse) {
  const std::string fault =
      "fills slot 'ordr', which skeleton 'direct' does not have (did you mean 'order'?)";
  const Outcome list = run({"list", "--plugin-dir", MSDA_MISSPELT_DIR});
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_THAT(list.out, HasSubstr(fault));
  EXPECT_THAT(run({"doctor", "--plugin-dir", MSDA_MISSPELT_DIR}).out, HasSubstr(fault));
  EXPECT_THAT(run({"show", "misspelt-slot", "--plugin-dir", MSDA_MISSPELT_DIR}).err,
              HasSubstr(fault));
  const Outcome verify =
      run({"verify", "all", "--device", "cpu", "--plugin-dir", MSDA_MISSPELT_DIR});
  EXPECT_EQ(verify.exit_code, 1);
  EXPECT_THAT(verify.out, HasSubstr(fault));
  EXPECT_THAT(verify.out, testing::ContainsRegex("ok +cpu-scalar"));
}

TEST(CliDoctor, SaysWhatIsThere) {
  const Outcome outcome = run({"doctor"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  for (const char* what : {"program", "processor", "nvtx", "cuda", "cpu", "plugins", "cache"}) {
    EXPECT_THAT(outcome.out, HasSubstr(what));
  }
}

TEST(CliDoctor, ABrokenPluginIsExitCodeThree) {
  const TemporaryDirectory directory;
  directory.write("broken.so", "not a library");
  EXPECT_EQ(run({"doctor", "--plugin-dir", directory.path()}).exit_code, 3);
}

}  // namespace
}  // namespace msda::test
