// The program as its users see it: exit codes and messages.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/property_tree/xml_parser.hpp>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "compose/skeleton.hpp"
#include "files/read.hpp"
#include "support.hpp"

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

TEST(Cli, VersionIsOneLine) {
  const Outcome outcome = run({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("msda " MSDA_VERSION " ("));
}

TEST(Cli, NothingPrintsHelpAndFails) {
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("Usage: msda COMMAND"));
}

TEST(Cli, InspectSaysWhatAVariantDoesNotTake) {
  const Outcome outcome = run({"inspect", "mixed-precision", "--dtype", "fp32"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("inspect: 'mixed-precision': "));
  EXPECT_THAT(outcome.err, HasSubstr("values are fp32: there is no 16-bit blend"));
}

TEST(Cli, AnUnknownCommandGetsASuggestion) {
  const Outcome outcome = run({"verfy"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("unknown command 'verfy' (did you mean 'verify'?)"));
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
  EXPECT_THAT(run({"run", "a", "--device"}).err, HasSubstr("--device"));
  EXPECT_EQ(run({"run", "a", "--device"}).exit_code, 2);
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

TEST(CliValidate, NamesEveryBrokenFile) {
  const TemporaryDirectory directory;
  const auto good = directory.write("good.yaml", "problems: [ledger-48]\narms: [fixture]\n");
  const auto bad = directory.write("bad.yaml", "problems: [ledger-48]\narms: [fixtur]\n");
  const auto recipes = directory.write("recipes.yaml", "recipes: {r: [fixture]}\n");
  const Outcome outcome = run({"validate", bad, good, recipes});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr(bad.string() + ":2:8: "));
  EXPECT_THAT(outcome.out, HasSubstr(good.string() + ": ok (1 problems, 1 arms, 1 modes)"));
  EXPECT_THAT(outcome.out, HasSubstr(recipes.string() + ": ok (1 recipes)"));
  EXPECT_EQ(run({"validate", good}).exit_code, 0);
}

TEST(CliPlan, PrintsTextAndJson) {
  const TemporaryDirectory directory;
  const auto file = directory.write(
      "x.yaml", "problems: [{name: p, queries: 2, levels: [[3, 3]]}]\narms: [fixture]\n");
  EXPECT_THAT(run({"plan", file, "--device", "cpu"}).out, HasSubstr("p/fixture/warm"));
  const Outcome json = run({"plan", file, "--device", "cpu", "--json"});
  EXPECT_EQ(nlohmann::json::parse(json.out).at("cells").at(0), "p/fixture/warm");
}

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

TEST(CliVerify, OfEverythingSkipsAreCountedInOneLine) {
  const TemporaryDirectory directory;
  const auto recipes = directory.write(
      "r.yaml", "recipes: {a: [], b: [], told: [{fixture: {behaviour: unsupported}}]}\n");
  const Outcome outcome = run({"verify", "all", "--device", "cpu", "--recipes", recipes});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("ok       fixture"));
  // Beside the fixture there are the plugins of the build tree.
  EXPECT_THAT(outcome.out,
              testing::ContainsRegex("\nskipped  [0-9]+: runs on cuda \\([0-9]+\\), fixture: as it "
                                     "was told \\(1\\); 'msda verify NAME' says why\n"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("skipped  a")));
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

TEST(CliBench, UsageErrors) {
  EXPECT_THAT(run({"bench", "fixtur"}).err, HasSubstr("did you mean 'fixture'?"));
  EXPECT_THAT(run({"bench", "fixture", "spatial_size=100", "num_hed=2"}).err,
              HasSubstr("unknown key 'num_hed'"));
  EXPECT_THAT(run({"bench", "fixture", "spatial_size=100", "after=x"}).err,
              HasSubstr("after=x: parameter of fixture is integer"));
  EXPECT_EQ(run({"bench", "fixture", "spatial_size=100", "mode=tepid"}).exit_code, 2);
  EXPECT_EQ(run({"bench", "fixture", "spatial_size=100", "device=cuda:99"}).exit_code, 3);
}

TEST(CliInput, GeneratesAndConverts) {
  const TemporaryDirectory directory;
  const std::string npy = directory.path() / "npy";
  const std::string raw = directory.path() / "raw";
  const Outcome generated = run({"input", "generate", "batch=1", "levels=4x5,2x3", "num_levels=2",
                                 "num_query=5", "channels=8", "num_points=2", "--output", npy});
  EXPECT_EQ(generated.exit_code, 0) << generated.err;
  EXPECT_TRUE(std::filesystem::exists(npy + "/value.npy"));
  const Outcome converted =
      run({"input", "convert", "dir=" + npy, "dtype=fp16", "--output", raw, "--format", "raw"});
  EXPECT_EQ(converted.exit_code, 0) << converted.err;
  EXPECT_EQ(std::filesystem::file_size(raw + "/value.bin"), 26U * 8 * 2);
  EXPECT_EQ(run({"verify", "fixture", "--device", "cpu", "--input", npy}).exit_code, 0);
}

TEST(CliInput, OverwritesWhatIsThereOnlyWhenToldTo) {
  const TemporaryDirectory directory;
  const std::string tensors = (directory.path() / "tensors").string();
  const auto generate = [&](const char* seed, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"input", "generate", "levels=4x5", "channels=4", seed, "--output"});
    more.insert(more.begin() + 6, tensors);
    return run(more);
  };
  const auto value = [&] { return read_text(tensors + "/value.npy"); };
  ASSERT_EQ(generate("seed=1").exit_code, 0);
  const std::string first = value();
  const Outcome refused = generate("seed=2");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--force"));
  EXPECT_EQ(value(), first);
  EXPECT_EQ(generate("seed=2", {"--force"}).exit_code, 0);
  EXPECT_NE(value(), first);
}

TEST(CliInput, UsageErrors) {
  EXPECT_THAT(run({"input", "genrate", "--output", "x"}).err, HasSubstr("'generate'?"));
  EXPECT_THAT(run({"input", "convert", "--output", "x"}).err, HasSubstr("needs dir="));
  EXPECT_THAT(run({"input", "generate", "levels=4x4"}).err, HasSubstr("give --output"));
  EXPECT_THAT(run({"input", "generate", "levels=4x4", "--output", "x", "--format", "rwa"}).err,
              HasSubstr("did you mean 'raw'?"));
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

TEST(CliCompletions, OfferWhatMayFollow) {
  EXPECT_THAT(run({"completions"}).out, HasSubstr("\nverify\n"));
  EXPECT_THAT(run({"completions"}).out, Not(HasSubstr("worker")));
  const std::string verify = run({"completions", "verify"}).out;
  EXPECT_THAT(verify, HasSubstr("--problem\n"));
  EXPECT_THAT(verify, HasSubstr("\nfixture\n"));
  EXPECT_THAT(run({"completions", "verify", "--device"}).out, HasSubstr("cpu\n"));
  EXPECT_THAT(run({"completions", "verify", "--problem"}).out, HasSubstr("rtdetr-decoder\n"));
  EXPECT_EQ(run({"completions", "worker"}).out, "");
  EXPECT_EQ(run({"completions", "nothing"}).exit_code, 0);
}

TEST(CliCompletions, ReachTheShell) {
  const TemporaryDirectory directory;
  const auto completed = [&](const std::string& words, int cursor) {
    return run_script(
               "source " MSDA_SOURCE_DIR "/experiments/cli/completion.bash; COMP_WORDS=(" + words +
                   "); COMP_CWORD=" + std::to_string(cursor) +
                   "; _msda \"$msda\" \"${COMP_WORDS[COMP_CWORD]}\"; echo \"${COMPREPLY[@]}\"",
               directory.path())
        .out;
  };
  EXPECT_EQ(completed("msda verif", 1), "verify\n");
  EXPECT_EQ(completed("msda report --fi", 2), "--figures\n");
  EXPECT_EQ(completed("msda show fixtu", 2), "fixture\n");
}

TEST(Cli, ACommandLineCanBeCheckedAlone) {
  EXPECT_EQ(run({"run", "nothing.yaml", "--device", "cpu", "--check-usage"}).exit_code, 0);
  EXPECT_EQ(run({"run", "nothing.yaml", "--devise", "cpu", "--check-usage"}).exit_code, 2);
}

/// All text of the files below a folder.
std::string text_below(const std::filesystem::path& folder) {
  std::string text;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
    if (file.is_regular_file()) text += read_text(file);
  }
  return text;
}

TEST(CliNewVariant, WritesAFolderForEverySlotAndKernel) {
  const TemporaryDirectory directory;
  std::vector<std::vector<std::string>> kinds = {{"--kernel", "cpu"}, {"--kernel", "cuda"}};
  for (const Skeleton& skeleton : skeletons()) {
    if (skeleton.name == "whole") continue;
    for (const std::string& slot : skeleton.slot_names()) kinds.push_back({"--slot", slot});
  }
  for (const std::vector<std::string>& kind : kinds) {
    const std::string name = "my-" + kind[1];
    const std::filesystem::path folder = directory.path() / name;
    const Outcome outcome =
        run({"new-variant", name, kind[0], kind[1], "--output", folder, "--force"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("ctest --test-dir " + folder.string() + "/build"));
    const std::string text = text_below(folder);
    EXPECT_THAT(text, Not(HasSubstr("@")));
    EXPECT_THAT(text, HasSubstr("msda_add_variant(" + name + " SOURCES plugin.cpp"));
    EXPECT_THAT(text, HasSubstr("msda_test_variant(" + name + " DEVICE "));
    EXPECT_THAT(text, HasSubstr("MSDA_PLUGIN(My"));
  }
}

TEST(CliNewVariant, GoesBesideTheOthersAtTheRootOfTheSources) {
  const TemporaryDirectory directory;
  const Outcome outcome = run_script(
      "mkdir variants && touch variants/CMakeLists.txt && \"$msda\" new-variant far-order --slot "
      "order",
      directory.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("./msda verify far-order --device simt:1:races"));
  const std::filesystem::path folder = directory.path() / "variants" / "far-order";
  EXPECT_EQ(read_text(folder / "CMakeLists.txt"),
            "msda_add_variant(far-order SOURCES plugin.cpp DEVICE order.cuh)\n");
  EXPECT_THAT(read_text(folder / "device" / "order.cuh"),
              HasSubstr("struct Order : StoredOrder<K, Parameters> {"));
}

TEST(CliNewVariant, UsageErrors) {
  const TemporaryDirectory directory;
  const auto error = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "new-variant");
    words.insert(words.end(), {"--output", directory.path() / "x"});
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 2);
    return outcome.err;
  };
  EXPECT_THAT(error({"mine"}), HasSubstr("give either --slot or --kernel"));
  EXPECT_THAT(error({"mine", "--slot", "ordr"}), HasSubstr("did you mean 'order'?"));
  EXPECT_THAT(error({"mine", "--slot", "kernel"}), HasSubstr("no slot 'kernel'"));
  EXPECT_THAT(error({"mine", "--kernel", "cud"}), HasSubstr("did you mean 'cuda'?"));
  EXPECT_THAT(error({"My_Order", "--slot", "order"}), HasSubstr("is no name for a variant"));
  EXPECT_THAT(error({"../mine", "--slot", "order"}), HasSubstr("is no name for a variant"));
  EXPECT_THAT(error({"fixture", "--slot", "order"}), HasSubstr("there is a variant 'fixture'"));
  directory.write("x", "a file");
  EXPECT_THAT(error({"mine", "--slot", "order"}), HasSubstr("--force"));
}

TEST(CliReport, NeedsARun) {
  const TemporaryDirectory directory;
  EXPECT_EQ(run({"report", directory.path()}).exit_code, 2);
  EXPECT_THAT(run({"report", directory.path(), "--format", "jsn"}).err,
              HasSubstr("did you mean 'json'?"));
}

TEST(CliReport, PrintsEveryFormat) {
  const TemporaryDirectory directory;
  const auto file = directory.write(
      "x.yaml",
      "device: cpu\n"
      "problems: [{name: p, queries: 2, levels: [[3, 3]]}]\n"
      "arms: [fixture]\nmeasure: {noise_pair: false, processes: 1, blocks: 2, samples: 1}\n");
  const std::string results = directory.path() / "results";
  ASSERT_EQ(run({"run", file, "--output", results}).exit_code, 0);
  EXPECT_THAT(run({"report", results}).out, HasSubstr("fixture"));
  EXPECT_THAT(run({"report", results, "--format", "md"}).out, HasSubstr("| "));
  EXPECT_THAT(run({"report", results, "--format", "csv"}).out, HasSubstr(","));
  EXPECT_TRUE(nlohmann::json::parse(run({"report", results, "--format", "json"}).out).is_object());
}

/// A short run in `directory`/results, with a claim.
std::string run_with_claim(const TemporaryDirectory& directory) {
  const auto file =
      directory.write("claims.yaml",
                      "device: cpu\n"
                      "problems: [{name: p, queries: 2, levels: [[3, 3]]}]\n"
                      "arms: [fixture, {name: slow, use: [{fixture: {milliseconds: 2}}]}]\n"
                      "claims: [{text: slow is fast, source: a test, arm: slow, speedup: 2x}]\n"
                      "measure: {blocks: 3, samples: 2}\n");
  std::string results = directory.path() / "results";
  EXPECT_EQ(run({"run", file, "--output", results}).exit_code, 0);
  return results;
}

TEST(CliReport, JoinsTheClaimsOfSeveralRuns) {
  const TemporaryDirectory directory;
  const std::string results = run_with_claim(directory);
  const Outcome joined = run({"report", "--claims", results, results, "--format", "md"});
  EXPECT_EQ(joined.exit_code, 0) << joined.err;
  EXPECT_THAT(joined.out, HasSubstr("Of 2 checks: 2 opposite."));
  EXPECT_THAT(joined.out, HasSubstr("| run | source |"));
  EXPECT_THAT(joined.out, HasSubstr("| claims | a test | slow is fast |"));
  EXPECT_THAT(run({"report", results, results}).err, HasSubstr("--claims"));
  EXPECT_THAT(run({"report", "--claims", results, "--format", "html"}).err,
              HasSubstr("terminal, md, tex"));
}

TEST(CliReport, DrawsFiguresOrSaysWhatIsMissing) {
  const TemporaryDirectory directory;
  const std::string results = run_with_claim(directory);
  const auto figures = directory.path() / "figures";
  const Outcome outcome = run({"report", results, "--figures", figures});
  if (outcome.exit_code == 3) {
    EXPECT_THAT(outcome.err, testing::AnyOf(HasSubstr("nodejs"), HasSubstr("libjs-vega")));
    GTEST_SKIP() << outcome.err;
  }
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("f1-speedups.svg  Speedups: p, warm"));
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(figures)) {
    ++count;
    EXPECT_EQ(entry.path().extension(), ".svg");
    boost::property_tree::ptree svg;
    ASSERT_NO_THROW(boost::property_tree::read_xml(entry.path(), svg)) << entry.path();
    EXPECT_TRUE(svg.get_child_optional("svg.g")) << entry.path();
  }
  EXPECT_GE(count, 4);
  std::ifstream stream(figures / "f1-speedups.svg");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_THAT(text, HasSubstr("Speedups: p, warm"));
  EXPECT_THAT(text, HasSubstr(">slow<"));
  EXPECT_THAT(text, HasSubstr("mark-symbol"));
}

TEST(CliPlan, TakesItsTimeFromAnEarlierRun) {
  const TemporaryDirectory directory;
  const std::string results = run_with_claim(directory);
  const std::string file = directory.path() / "claims.yaml";
  EXPECT_THAT(run({"plan", file}).out, HasSubstr("assumed: no earlier run"));
  const Outcome planned = run({"plan", file, "--like", results});
  EXPECT_THAT(planned.out, HasSubstr(": 3 of 3 cells as measured in " + results + "\n"));
  const auto json = nlohmann::json::parse(run({"plan", file, "--like", results, "--json"}).out);
  EXPECT_EQ(json.at("measured_cells"), 3);        // two arms, and the baseline again
  EXPECT_GT(json.at("estimated_seconds"), 0.01);  // 3 blocks of 5 launches of 2 ms
  EXPECT_EQ(run({"plan", file, "--like", directory.path()}).exit_code, 2);
}

TEST(CliPlan, AResumedRunTellsItsTimeToo) {
  const TemporaryDirectory directory;
  const std::string results = run_with_claim(directory);
  const std::string file = directory.path() / "claims.yaml";
  const auto estimate = [&] {
    const Outcome planned = run({"plan", file, "--like", results, "--json"});
    return nlohmann::json::parse(planned.out).at("estimated_seconds").get<double>();
  };
  const double before = estimate();
  EXPECT_EQ(run({"run", file, "--resume", results}).exit_code, 0);
  EXPECT_GT(estimate(), before / 2);
  EXPECT_LT(estimate(), before * 2);
}

TEST(CliPlan, PlansForTheDeviceOfAnEarlierRunThatIsNotHere) {
  const TemporaryDirectory directory;
  const std::string results = run_with_claim(directory);
  const std::string manifest_file = results + "/manifest.json";
  std::ifstream stream(manifest_file);
  auto manifest = nlohmann::json::parse(stream);
  auto& device = manifest.at("device");
  device.update({{"id", "cuda:99"}, {"kind", "cuda"}, {"name", "Elsewhere"}});
  device.update({{"compute_capability", 90}, {"shared_bytes", 232448}});
  std::ofstream(manifest_file) << manifest;
  const std::string file = directory.write("gpu.yaml", R"(
device: cuda:99
problems: [{preset: rfdetr-decoder}]
arms: [tma-boxes, vector-loads]
)");
  EXPECT_EQ(run({"plan", file}).exit_code, 3);
  const auto json = nlohmann::json::parse(run({"plan", file, "--like", results, "--json"}).out);
  EXPECT_EQ(json.at("device").at("name"), "Elsewhere");
  EXPECT_EQ(json.at("arms").size(), 3U);
  device.erase("l2_bytes");
  std::ofstream(manifest_file) << manifest;
  const Outcome broken = run({"plan", file, "--like", results});
  EXPECT_EQ(broken.exit_code, 2);
  EXPECT_THAT(broken.err, HasSubstr("manifest.json: device lacks field 'l2_bytes'"));
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

TEST(CliPackage, PointsToTheScript) {
  const Outcome outcome = run({"package"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("./msda package"));
}

}  // namespace
}  // namespace msda::test
