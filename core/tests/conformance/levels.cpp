#include "conformance/levels.hpp"

#include <fmt/format.h>

#include "operators/operator.hpp"
#include "problem/validate.hpp"

namespace msda {
namespace {

std::vector<AwkwardProblem> pyramids() {
  const std::vector<std::vector<Level>> all = {
      {{17, 23}, {9, 12}, {5, 6}, {3, 3}},    {{40, 60}, {30, 40}, {20, 20}, {5, 5}},
      {{10, 10}, {40, 40}, {40, 40}, {5, 5}}, {{2, 2}, {5, 5}, {10, 10}, {40, 60}},
      {{1, 13}, {8, 1}, {6, 9}, {1, 1}},
  };
  std::vector<AwkwardProblem> problems;
  for (const std::vector<Level>& levels : all) {
    AwkwardProblem& one = problems.emplace_back(awkward_problems()[5]);
    one.problem.batch = 2;
    one.problem.queries = 19;
    one.problem.heads = 2;
    one.problem.points = 4;
    one.problem.levels = levels;
    one.problem.name = describe(one.problem);
    one.generation.distribution = Distribution::kOutside;
  }
  return problems;
}

const std::vector<Case>& pyramid_cases() {
  static const std::vector<Case> kCases = make_cases(pyramids());
  return kCases;
}

const std::vector<Case>& padded_cases() {
  static const std::vector<Case> kCases = [] {
    std::vector<AwkwardProblem> problems = pyramids();
    for (AwkwardProblem& one : problems) {
      one.problem.padding = true;
      one.problem.name = describe(one.problem);
    }
    return make_cases(problems, "fused");
  }();
  return kCases;
}

const std::vector<Case>& backward_pyramid_cases() {
  static const std::vector<Case> kCases = [] {
    std::vector<AwkwardProblem> problems = pyramids();
    for (const std::size_t in_float : {0, 2, 4}) {
      problems[in_float].problem.types = Types::all(DType::kFloat32);
    }
    problems[3].problem.layout = ValueLayout::kZeroBorder;
    for (AwkwardProblem& one : problems) one.problem.name = describe(one.problem);
    return make_cases(problems, "backward");
  }();
  return kCases;
}

std::vector<SimtCheck> checks_on(const std::vector<Case>& (*cases)(), const std::string& name,
                                 const std::vector<Use>& uses) {
  std::vector<SimtCheck> checks;
  for (const LevelForm form : {LevelForm::kGiven, LevelForm::kStored}) {
    const auto composition = with_levels(uses, form);
    if (!composition) continue;
    checks.push_back({"levels",
                      fmt::format("{}_{}", name, name_of(form)),
                      *composition,
                      "simt:1:races",
                      cases,
                      {0, 1, 2, 3, 4}});
  }
  return checks;
}

}  // namespace

std::optional<Composition> with_levels(const std::vector<Use>& uses, LevelForm form) {
  std::vector<Use> all = uses;
  all.push_back({kLevelsVariant, {{kSizesParameter, std::string(name_of(form))}}});
  const Composition plain(shipped_plugins(), uses);
  try {
    return Composition(shipped_plugins(), all);
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

std::vector<SimtCheck> level_checks(const std::string& name, const std::vector<Use>& uses) {
  return checks_on(pyramid_cases, name, uses);
}

std::vector<SimtCheck> padded_level_checks(const std::string& name, const std::vector<Use>& uses) {
  const Operator& fused = find_operator("fused");
  std::vector<SimtCheck> checks = checks_on(padded_cases, "padded_" + name, uses);
  std::erase_if(checks,
                [&](const SimtCheck& one) { return !one.composition.refuses(fused).empty(); });
  for (SimtCheck& one : checks) one.composition = one.composition.computing(fused);
  return checks;
}

std::vector<SimtCheck> forward_level_checks() {
  const auto whole = [](std::int64_t value) { return ParameterValue(value); };
  const Use pairs{"corner-pair", {{"threads", whole(64)}}};
  const Use packed{"shared-metadata", {{"packed", true}}};
  const Use alternating{"loop-unrolling", {{"points", whole(4)}, {"alternate", true}}};
  const auto bulk = [&](std::int64_t budget, std::int64_t heads) {
    return Use{"smem-levels",
               {{"budget", whole(budget)}, {"heads", whole(heads)}, {"copy", std::string("bulk")}}};
  };
  const std::vector<std::pair<std::string, std::vector<Use>>> compositions = {
      {"plain", {}},
      {"words", {{"vector-loads", {}}, {"smem-levels", {{"budget", whole(16)}}}}},
      {"boxes",
       {pairs,
        packed,
        {"mixed-precision", {}},
        alternating,
        bulk(150, 2),
        {"prefetch-query", {}},
        {"work-redistribution", {}}}},
      // Each warp reads the sizes by itself: warps with their own rows, a block for all rows, and
      // points that come a tile ahead.
      {"by_warp", {pairs, packed, {"mixed-precision", {}}, {"dependent-launch", {}}}},
      {"by_warp_of_block", {{"vector-loads", {{"threads", whole(96)}}}, {"shared-metadata", {}}}},
      {"by_warp_ahead", {pairs, packed, {"prefetch-query", {}}, {"work-redistribution", {}}}},
      {"producers", {pairs, packed, bulk(76, 1), {"warp-roles", {}}}},
      {"handed_over", {pairs, packed, {"handover", {}}}},
      {"whole", {{"im2col", {}}}},
      {"staged", {{"vector-loads", {}}, {"memcpy-async", {}}, bulk(76, 1)}}};
  std::vector<SimtCheck> checks;
  for (const auto& [name, uses] : compositions) {
    for (SimtCheck& check : level_checks(name, uses)) checks.push_back(std::move(check));
    if (name == "words") continue;  // a source that "boxes" has too
    for (SimtCheck& check : padded_level_checks(name, uses)) checks.push_back(std::move(check));
  }
  return checks;
}

std::vector<SimtCheck> backward_level_checks() {
  const auto whole = [](std::int64_t value) { return ParameterValue(value); };
  const auto text = [](const char* value) { return ParameterValue(std::string(value)); };
  const Use two_items{"persistent", {{"blocks", whole(1)}, {"chunks", whole(2)}}};
  const std::vector<std::pair<std::string, std::vector<Use>>> compositions = {
      {"reds", {{"l2-red", {}}}},
      {"apart",
       {{"native-sums", {}},
        {"dependent-clear", {}},
        {"l2-hints", {{"value", text("default")}, {"bypass-l1", whole(8)}}},
        {"row-lanes", {{"threads", whole(64)}, {"points", whole(2)}, {"levels", text("apart")}}}}},
      {"bulk_rows",
       {{"bulk-rows", {}}, {"native-sums", {}}, {"dependent-clear", {}}, {"persistent", {}}}},
      {"repeatable", {{"fixed-sums", {}}, {"shared-fixed", {}}, two_items}},
      {"sorted", {{"sorted-points", {{"budget", whole(1)}, {"shares", whole(2)}}}}},
      {"fast",
       {{"native-sums", {{"products", text("pairs")}}},
        {"half2-dots", {}},
        {"row-lanes", {{"points", whole(2)}}},
        {"shared-fixed", {}},
        two_items}},
      {"few_on_chip",
       {{"float32-sums", {{"clear", text("converter")}}},
        {"row-lanes", {{"sides", whole(1)}}},
        {"shared-fixed", {{"budget", whole(24)}}},
        {"work-redistribution", {}}}},
      {"bins",
       {{"tile-bins", {{"queries", whole(12)}, {"tiles", whole(40)}, {"few", whole(1)}}},
        two_items}}};
  std::vector<SimtCheck> checks;
  for (const auto& [name, uses] : compositions) {
    for (SimtCheck& check : checks_on(backward_pyramid_cases, "backward_" + name, uses)) {
      checks.push_back(std::move(check));
    }
  }
  return checks;
}

}  // namespace msda
