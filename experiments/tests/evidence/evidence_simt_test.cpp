// Every optimization shows its evidence where it works and is vacuous where it has nothing to do;
// every recipe shows it on the documents' problem.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "conformance/conformance.hpp"
#include "conformance/passed.hpp"
#include "device/simt/device.hpp"
#include "evidence/evidence.hpp"
#include "files/temporary_directory.hpp"
#include "problem/validate.hpp"
#include "runner/experiment/experiment.hpp"
#include "runner/plan/vacuous_notes.hpp"

namespace msda {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::StartsWith;

struct Setting {
  Problem problem;
  Generation generation;
};

Setting setting(const std::string& name) {
  Setting made;
  Problem& problem = made.problem;
  problem.batch = 4;
  problem.queries = 600;
  problem.heads = 1;
  problem.channels = 32;
  problem.points = 8;
  problem.levels = {{24, 40}, {16, 20}, {10, 12}, {8, 8}};
  problem.types = Types::all(DType::kFloat16);
  if (name == "few") {
    problem.batch = 1;
    problem.queries = 20;
  } else if (name == "one") {
    problem.batch = 1;
    problem.queries = 1;
  } else if (name == "heads") {
    problem.heads = 4;
  } else if (name == "narrow") {
    problem.channels = 8;
  } else if (name == "bordered") {
    problem.layout = ValueLayout::kZeroBorder;
  } else if (name == "single") {
    problem.levels = {{1, 1}, {1, 1}};
  } else if (name == "wide") {
    problem.levels = {{64, 64}};
  } else if (name == "fp32") {
    problem.types = Types::all(DType::kFloat32);
  } else if (name == "local") {
    made.generation.distribution = Distribution::kLocal;
  } else if (!name.empty()) {
    throw UsageError("no problem " + name);
  }
  problem.name = describe(problem);
  return made;
}

/// A GPU with so few multiprocessors that each has several tiles of these problems.
DeviceInfo small_gpu() {
  DeviceInfo device = device_to_compile_for(90);
  device.multiprocessors = 4;
  return device;
}

Evidence evidence_of(const Composition& composition, const std::vector<std::string>& conditions,
                     const Setting& on, const DeviceInfo& device) {
  EvidenceRequest request;
  request.composition = &composition;
  for (const std::string& text : conditions) request.conditions.emplace_back(text);
  // Nothing is kept: what counts may have changed since.
  const SmallInputs inputs = {
      [&](const Problem& scaled) { return composition.op().generate(scaled, on.generation, 0); },
      ""};
  return check_evidence({request}, on.problem, device, inputs).front();
}

std::string told(const Evidence& evidence) {
  std::string text = fmt::format("{} {}\n{}\n", name_of(evidence.status), evidence.reason,
                                 fmt::join(evidence.missing, "\n"));
  for (const auto& [name, number] : evidence.numbers)
    text += fmt::format("  {} {:g}\n", name, number);
  return text;
}

/// "works", "warp-shuffle" and "heads" of "works-warp-shuffle.heads".
struct Example {
  std::string kind;
  std::string variant;
  std::string problem;
};
Example parse_example(const std::string& name) {
  const std::size_t dash = name.find('-');
  const std::size_t dot = std::min(name.find('.'), name.size());
  return {name.substr(0, dash), name.substr(dash + 1, dot - dash - 1),
          dot == name.size() ? "" : name.substr(dot + 1)};
}

const Recipes& examples() {
  static const Recipes kExamples =
      load_recipes(MSDA_EVIDENCE "/optimizations.yaml", shipped_plugins());
  return kExamples;
}

std::vector<std::string> names_of(const Recipes& recipes) {
  std::vector<std::string> names;
  for (const auto& [name, recipe] : recipes) names.push_back(name);
  return names;
}

std::string as_test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = test_name(info.param);
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

class EvidenceOfOptimization : public ::testing::TestWithParam<std::string> {};

TEST_P(EvidenceOfOptimization, ShowsWhereItWorksAndNotWhereItHasNothingToDo) {
  const Example example = parse_example(GetParam());
  const Composition composition(shipped_plugins(), usable(examples().at(GetParam())));
  const Passed passed(GetParam(), composition, "");
  if (passed.before()) return;
  const Evidence evidence = evidence_of(composition, {}, setting(example.problem), small_gpu());
  if (example.kind == "vacuous") {
    EXPECT_EQ(name_of(evidence.status), "vacuous") << told(evidence);
    EXPECT_THAT(evidence.missing, Contains(StartsWith(example.variant + ": "))) << told(evidence);
  } else {
    EXPECT_EQ(name_of(evidence.status), "shown") << told(evidence);
  }
  if (!HasFailure()) passed.note();
}

INSTANTIATE_TEST_SUITE_P(Shipped, EvidenceOfOptimization, ::testing::ValuesIn(names_of(examples())),
                         as_test_name);

TEST(EvidenceOfOptimizations, IsAskedForOfEach) {
  std::map<std::string, std::set<std::string>> kinds;
  for (const auto& [name, recipe] : examples()) {
    const Example example = parse_example(name);
    kinds[example.variant].insert(example.kind);
  }
  for (const Plugin& plugin : shipped_plugins().plugins()) {
    if (dynamic_cast<const Kernel*>(plugin.variant.get()) != nullptr) continue;
    const std::set<std::string> both = {"vacuous", "works"};
    const std::set<std::string> always = {"always"};
    EXPECT_TRUE(kinds[plugin.name] == both || kinds[plugin.name] == always) << plugin.name;
  }
}

TEST(VacuousArms, AreNamedInAPlanBeforeAnythingRuns) {
  const TemporaryDirectory directory;
  const auto file = directory.write("x.yaml", R"(
problems:
  - {name: p, queries: 100, heads: 1, levels: [[9, 9]], types: fp16}
  - {name: q, queries: 200, heads: 1, levels: [[9, 9]], types: fp16}
arms:
  - {name: base, use: [vector-loads]}
  - {name: ahead, use: [vector-loads, prefetch-query]}
  - {name: tiled, use: [vector-loads, {persistent: {blocks: 1, chunks: 1}}, prefetch-query]}
)");
  const Experiment experiment = load_experiment(file, shipped_plugins());
  const Plan plan = make_plan(experiment, shipped_plugins(), simt_info({}));
  EXPECT_THAT(
      vacuous_notes(plan),
      ElementsAre(
          "ahead has no effect on p, q: prefetch-query: a work item has one tile: there is no "
          "next one to fetch while it is computed"));
}

const Recipes& shipped_recipes() {
  static const Recipes kRecipes =
      load_recipes(MSDA_BINARY_DIR "/share/msda/experiments/recipes.yaml", shipped_plugins());
  return kRecipes;
}

class EvidenceOfRecipe : public ::testing::TestWithParam<std::string> {};

/// In fp16, with points near their references.
Setting model(const char* name) {
  Setting made{preset(name), {}};
  made.problem.types = Types::all(DType::kFloat16);
  made.generation.distribution = Distribution::kLocal;
  return made;
}

TEST_P(EvidenceOfRecipe, ShowsOnTheDocumentsProblem) {
  const Recipe& recipe = shipped_recipes().at(GetParam());
  const Composition composition(shipped_plugins(), usable(recipe));
  const Passed passed("recipe " + GetParam(), composition,
                      fmt::format("{}", fmt::join(recipe.evidence, "\n")));
  if (passed.before()) return;
  DeviceInfo device = device_to_compile_for(90);
  device.multiprocessors = 132;
  Setting on = model("ledger-48");
  // What needs several heads.
  if (composition.unsupported(on.problem, device)) on = model("ddetr-encoder");
  const Evidence evidence = evidence_of(composition, recipe.evidence, on, device);
  EXPECT_EQ(name_of(evidence.status), "shown") << told(evidence);
  if (!HasFailure()) passed.note();
}

INSTANTIATE_TEST_SUITE_P(Shipped, EvidenceOfRecipe,
                         ::testing::ValuesIn(names_of(shipped_recipes())), as_test_name);

/// Bytes of a 32-byte sector that reds of float32 touch, where values have 16 bits.
double bytes_per_sector(const char* variant) {
  const Composition composition(shipped_plugins(), std::vector<Use>{{variant, {}}});
  const Evidence evidence =
      evidence_of(composition, {"reds.requests > 0"}, setting(""), small_gpu());
  EXPECT_EQ(evidence.status, Evidence::Status::kShown) << told(evidence);
  const auto found = evidence.numbers.find("reds.bytes-per-sector");
  return found == evidence.numbers.end() ? 0 : found->second;
}

TEST(EvidenceOfReds, TellsWholeSectorsFromParts) {
  EXPECT_EQ(bytes_per_sector("l2-red"), 32);
  EXPECT_EQ(bytes_per_sector("lane-reds"), 16);
}

}  // namespace
}  // namespace msda
