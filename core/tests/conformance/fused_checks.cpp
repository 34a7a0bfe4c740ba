#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "conformance/conformance.hpp"
#include "conformance/simt_checks.hpp"
#include "input/elements.hpp"
#include "operators/operator.hpp"
#include "support/problems.hpp"

namespace msda {
namespace {

/// The problem with a row whose weights are no numbers, and rows of large and of small logits.
constexpr std::size_t kLostRow = 12;

}  // namespace

std::vector<AwkwardProblem> fused_problems() {
  constexpr std::int64_t kSome = -1;  // anchors: a few
  constexpr std::array<References, 6> kKinds = {
      {{2, 0}, {4, 0}, {2, 1}, {4, 1}, {2, kSome}, {4, kSome}}};
  std::vector<AwkwardProblem> problems = awkward_problems();
  const auto add = [&](std::vector<std::int64_t> points, std::vector<Level> levels, DType type) {
    Problem problem = make_problem({.batch = 2,
                                    .queries = 21,
                                    .heads = 2,
                                    .channels = 32,
                                    .points = std::ranges::max(points),
                                    .levels = std::move(levels),
                                    .types = Types::all(type)});
    if (points.size() > 1) problem.level_points = std::move(points);
    Generation generation;
    generation.distribution = Distribution::kLocal;
    problems.push_back({problem, generation});
  };
  add({4}, {{9, 14}, {5, 7}, {3, 4}}, DType::kFloat16);
  add({7}, {{9, 14}, {5, 7}, {3, 4}, {2, 2}, {1, 1}}, DType::kFloat16);
  add({8}, {{9, 14}, {5, 7}, {3, 4}, {2, 2}}, DType::kFloat16);
  add({3, 6, 3}, {{9, 14}, {5, 7}, {3, 4}}, DType::kFloat16);
  add({4, 4, 2}, {{9, 14}, {5, 7}, {3, 4}}, DType::kFloat32);
  add({8, 4, 4, 12}, {{9, 14}, {5, 7}, {3, 4}, {2, 2}}, DType::kFloat16);
  add({1, 5, 2, 3}, {{9, 14}, {5, 7}, {3, 4}, {1, 1}}, DType::kBFloat16);
  for (std::size_t i = 0; i < problems.size(); ++i) {
    References& references = problems[i].problem.references;
    references = kKinds.at(i % kKinds.size());
    problems[i].problem.padding = i / 2 % 2 == 1;
    const std::int64_t points = problems[i].problem.points;
    const auto& by_level = problems[i].problem.level_points;
    if (references.anchors == kSome && !by_level.empty()) {
      references.anchors = std::accumulate(by_level.begin(), by_level.end(), points,
                                           [](auto a, auto b) { return std::gcd(a, b); });
    }
    if (references.anchors == kSome) references.anchors = points % 4 == 0 ? 4 : points;
    problems[i].problem = named(problems[i].problem);
    problems[i].generation.seed += 100;
  }
  // The first and the fourth of those above with scales for points, no two of which are the same.
  for (const std::size_t like : {problems.size() - 7, problems.size() - 5}) {
    AwkwardProblem scaled = problems[like];
    References& references = scaled.problem.references;
    references.coordinates = 4;
    references.scale = 0.75;
    for (std::int64_t p = 0; p < scaled.problem.row_points(); ++p) {
      references.point_scales.push_back(0.125 + 0.0625 * static_cast<double>(p));
    }
    scaled.problem = named(scaled.problem);
    problems.push_back(scaled);
  }
  return problems;
}

namespace {

/// Makes all logits of a row minus infinity, and has its points far outside.
void lose_row(const Problem& problem, std::int64_t row, Input& input) {
  constexpr float kFar = 1e4F;
  const std::int64_t points = problem.row_points();
  for (std::int64_t i = row * points; i < (row + 1) * points; ++i) {
    store_element(problem.types.weight, input.at("logits").data(), i,
                  -std::numeric_limits<float>::infinity());
    store_element(problem.types.location, input.at("offsets").data(), 2 * i, kFar);
  }
}

/// Adds to all logits of a row, which changes no weight.
void add_to_row(const Problem& problem, std::int64_t row, float shift, Input& input) {
  const std::int64_t points = problem.row_points();
  for (std::int64_t i = row * points; i < (row + 1) * points; ++i) {
    const DType type = problem.types.weight;
    Bytes& logits = input.at("logits");
    store_element(type, logits.data(), i,
                  static_cast<float>(load_element(type, logits.data(), i)) + shift);
  }
}

/// Levels that differ in their points, of the operator `forward`.
const std::vector<Case>& level_points_cases() {
  static const std::vector<Case> kCases = [] {
    const auto with = [](std::vector<std::int64_t> points, DType type) {
      return AwkwardProblem{named(problem_with_points(std::move(points), Types::all(type))),
                            Generation{}};
    };
    return make_cases({with({3, 6, 3}, DType::kFloat16), with({4, 4, 2}, DType::kFloat32),
                       with({2, 1, 4}, DType::kBFloat16)});
  }();
  return kCases;
}

const std::vector<Case>& fused_cases() {
  static const std::vector<Case> kCases = [] {
    std::vector<Case> cases = make_cases(fused_problems(), "fused");
    constexpr std::int64_t kRow = 3;
    constexpr float kFar = 200;
    Case& extreme = cases[kLostRow];
    lose_row(extreme.problem, kRow, extreme.input);
    add_to_row(extreme.problem, kRow + 2, kFar, extreme.input);
    add_to_row(extreme.problem, kRow + 4, -kFar, extreme.input);
    extreme.truths = make_truths(find_operator("fused"), extreme.input);
    return cases;
  }();
  return kCases;
}

/// References that a run of points reads in several words, as no neighbours, or of several levels.
const std::vector<Case>& reference_runs_cases() {
  static const std::vector<Case> kCases = [] {
    const auto with = [](std::vector<std::int64_t> points, References references, DType location) {
      Types types = Types::all(DType::kFloat16);
      types.location = location;
      Problem problem = problem_with_points(std::move(points), types);
      problem.references = references;
      return AwkwardProblem{named(problem), Generation{}};
    };
    return make_cases({with({3, 6, 3}, {4, 0}, DType::kFloat16), with({6}, {2, 3}, DType::kFloat16),
                       with({4}, {4, 2}, DType::kFloat32)},
                      "fused");
  }();
  return kCases;
}

/// What meets in the winners (experiments/winners.yaml), at sizes that small problems fill.
std::vector<std::vector<Use>> met_in_winners() {
  using V = ParameterValue;
  const Use few{"vector-loads", {{"width", V(std::int64_t{4})}, {"threads", V(std::int64_t{64})}}};
  const Use sides{"corner-pair", {{"threads", V(std::int64_t{64})}}};
  const Use packed{"shared-metadata", {{"packed", V(true)}}};
  const Use compact{"shared-metadata", {{"packed", V(true)}, {"compact", V(true)}}};
  const Use behind{"prefetch-query", {{"behind-values", V(true)}}};
  const Use blocks{"persistent", {{"blocks", V(std::int64_t{1})}, {"chunks", V(std::int64_t{2})}}};
  return {
      {few, compact, {"prefetch-query", {}}, {"mixed-precision", {}}, blocks},
      {sides, packed, behind, {"mixed-precision", {}}, blocks},
      {few, packed, {"async-pipeline", {}}, blocks},
      {few, {"async-pipeline", {}}, blocks},
      {few, {"prefetch-query", {}}, {"warp-shuffle", {}}, blocks},
      {{"register-blocking", {}}, {"shared-metadata", {}}},
      {{"register-blocking", {}}, {"warp-shuffle", {}}},
      {{"warp-roles", {}}, packed, few},
      {{"warp-roles", {}}, packed, behind, few, blocks},
      {{"warp-roles", {}}, {"memcpy-async", {}}, few},
      {{"levels", {{"sizes", V(std::string("given"))}}}, few, packed},
      {{"levels", {{"sizes", V(std::string("stored"))}}}, few, packed},
      {{"levels", {{"sizes", V(std::string("stored"))}}}, few, {"warp-shuffle", {}}},
  };
}

}  // namespace

std::vector<SimtCheck> fused_checks() {
  constexpr std::size_t kProblems = 4;
  const Operator& fused = find_operator("fused");
  std::vector<SimtCheck> checks;
  const auto add = [&](const Composition& composition) {
    if (!composition.refuses(fused).empty()) return;
    const std::size_t n = checks.size();
    std::vector<std::size_t> cases;
    for (std::size_t i = 0; i < kProblems; ++i) {
      cases.push_back((n + 5 * i) % fused_cases().size());
    }
    checks.push_back({"fused", check_name(n, composition), composition.computing(fused),
                      "simt:" + std::to_string(n) + ":races", fused_cases, std::move(cases)});
  };
  for (const std::vector<Use>& uses : met_in_winners()) add({shipped_plugins(), uses});
  // Each way that a lane takes to weights, where these are no numbers.
  for (const std::string name : {"default", "texture", "shared-metadata"}) {
    add(shipped_composition(name));
    checks.back().cases = {kLostRow};
  }
  for (const Composition& composition : shipped_compositions(DeviceKind::kCuda)) add(composition);
  using V = ParameterValue;
  const Use wide{"vector-loads", {{"width", V(std::int64_t{8})}, {"threads", V(std::int64_t{64})}}};
  add({shipped_plugins(),
       {wide, {"shared-metadata", {{"packed", V(true)}}}, {"mixed-precision", {}}}});
  checks.back().pool = reference_runs_cases;
  checks.back().cases = {0, 1, 2};
  return checks;
}

std::vector<SimtCheck> level_points_checks() {
  std::vector<SimtCheck> checks;
  const auto add = [&](const Composition& composition) {
    if (composition.op().name() != kDefaultOperator) return;
    const std::size_t n = checks.size();
    checks.push_back({"level-points",
                      check_name(n, composition),
                      composition,
                      "simt:" + std::to_string(n) + ":races",
                      level_points_cases,
                      {n % 3}});
  };
  for (const std::vector<Use>& uses : met_in_winners()) add({shipped_plugins(), uses});
  for (const Composition& composition : shipped_compositions(DeviceKind::kCuda)) add(composition);
  // Runs of two points, some of which are of two levels.
  using V = ParameterValue;
  add({shipped_plugins(),
       {{"vector-loads", {{"width", V(std::int64_t{8})}, {"threads", V(std::int64_t{64})}}},
        {"shared-metadata", {{"packed", V(true)}}},
        {"mixed-precision", {}}}});
  checks.back().cases = {0};
  // Pairs of levels of which one has more visits.
  add({shipped_plugins(),
       {{"vector-loads", {{"width", V(std::int64_t{8})}, {"threads", V(std::int64_t{64})}}},
        {"loop-unrolling", {{"points", V(std::int64_t{2})}, {"alternate", V(true)}}}}});
  checks.back().cases = {2};
  return checks;
}

}  // namespace msda
