#include <algorithm>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include <msda/operators/fused_backward.hpp>

#include "conformance/conformance.hpp"
#include "conformance/simt_checks.hpp"
#include "input/elements.hpp"
#include "operators/operator.hpp"
#include "support/problems.hpp"

namespace msda {
namespace {

constexpr std::string_view kName = "fused-backward";

/// Problems at which lanes do not come out even: channels of no power of two, of one lane and of
/// more than a warp has, and 13 points.
std::vector<AwkwardProblem> uneven_problems() {
  std::vector<AwkwardProblem> problems = fused_problems();
  const auto add = [&](std::int64_t channels, std::int64_t points, std::int64_t heads,
                       std::vector<Level> levels, const Types& types,
                       const References& references) {
    Problem problem = make_problem({.batch = 2,
                                    .queries = 9,
                                    .heads = heads,
                                    .channels = channels,
                                    .points = points,
                                    .levels = std::move(levels),
                                    .types = types});
    problem.references = references;
    Generation generation;
    generation.distribution = Distribution::kLocal;
    generation.seed = static_cast<std::uint64_t>(channels);
    problems.push_back({named(problem), generation});
  };
  const Types fp16 = Types::all(DType::kFloat16);
  const Types fp32 = Types::all(DType::kFloat32);
  add(7, 13, 3, {{6, 5}, {1, 1}}, fp32, {2, 0});
  add(256, 1, 2, {{4, 7}, {2, 2}}, fp16, {4, 1});
  add(8, 4, 8, {{9, 14}, {5, 7}, {3, 4}, {2, 2}}, fp16, {2, 2});
  return problems;
}

/// The first of the problems whose rows are lost: all logits of one row are minus infinity, one of
/// another is infinite, and half of a third are minus infinity.
constexpr std::size_t kLost = 4;
/// The first that has a padding mask, and levels that differ in their points.
std::size_t lost_padded() {
  const std::vector<AwkwardProblem> problems = uneven_problems();
  const auto found = std::ranges::find_if(problems, [](const AwkwardProblem& one) {
    return one.problem.padding && !one.problem.level_points.empty();
  });
  return static_cast<std::size_t>(found - problems.begin());
}

void lose_rows(Input& input) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const Problem& problem = input.problem;
  const std::int64_t of_row = problem.row_points();
  const auto set = [&](std::int64_t row, std::int64_t point, float logit) {
    store_element(problem.types.weight, input.at("logits").data(), row * of_row + point, logit);
  };
  for (std::int64_t i = 0; i < of_row; ++i) set(3, i, -kInfinity);
  set(problem.heads * problem.queries + 1, 0, kInfinity);
  for (std::int64_t i = 0; i < of_row; i += 2) set(6, i, -kInfinity);
}

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases = [] {
    std::vector<Case> made = make_cases(uneven_problems(), kName);
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (i % 6 != kLost % 6 && i != lost_padded()) continue;
      if (made[i].problem.queries * made[i].problem.heads < 8 || made[i].problem.batch < 2)
        continue;
      lose_rows(made[i].input);
      made[i].truths = make_truths(find_operator(kName), made[i].input);
    }
    return made;
  }();
  return kCases;
}

/// One of the outputs, or all but one, in turn.
const std::vector<Case>& cases_of_some() {
  static const std::vector<Case> kCases = [] {
    const std::vector<std::size_t> outputs = find_operator(kName).outputs();
    std::vector<AwkwardProblem> problems = uneven_problems();
    for (std::size_t i = 0; i < problems.size(); ++i) {
      unsigned all = 0;
      for (const std::size_t output : outputs) all |= 1U << output;
      const unsigned one = 1U << outputs[i % outputs.size()];
      problems[i].problem.unasked = i / outputs.size() % 2 == 0 ? all & ~one : one;
    }
    return make_cases(problems, kName);
  }();
  return kCases;
}

/// All points of all queries in one pixel, which has the first level's weights alone: as much meets
/// there as can.
const std::vector<Case>& full_pixel() {
  static const std::vector<Case> kCases = [] {
    const Problem problem = named(make_problem({.batch = 1,
                                                .queries = 300,
                                                .heads = 1,
                                                .channels = 32,
                                                .points = 4,
                                                .levels = {{1, 1}, {1, 1}},
                                                .types = Types::all(DType::kFloat32)}));
    std::vector<Case> cases = make_cases({{problem, Generation{}}}, kName);
    Input& input = cases.front().input;
    const auto fill = [&](std::string_view name, const std::function<float(std::size_t)>& number) {
      Bytes& tensor = input.at(name);
      for (std::size_t i = 0; i < tensor.size() / sizeof(float); ++i) {
        store_element(DType::kFloat32, tensor.data(), static_cast<std::int64_t>(i), number(i));
      }
    };
    fill("reference_points", [](std::size_t) { return 0.5F; });
    fill("offsets", [](std::size_t) { return 0.0F; });
    fill("logits", [](std::size_t i) { return i % 8 < 4 ? 0.0F : -20.0F; });
    fill("grad_output", [](std::size_t) { return 1.0F; });
    cases.front().truths = make_truths(find_operator(kName), input);
    return cases;
  }();
  return kCases;
}

}  // namespace

std::vector<SimtCheck> fused_backward_checks() {
  const Operator& op = find_operator(kName);
  const std::size_t problems = uneven_problems().size();
  const std::size_t padded = lost_padded();
  std::vector<SimtCheck> checks;
  const auto add = [&](const std::vector<Use>& uses, const std::vector<Case>& (*pool)(),
                       const std::vector<std::size_t>& of_pool) {
    const std::size_t n = checks.size();
    const Composition composition(shipped_plugins(), uses);
    checks.push_back({std::string(kName), check_name(n, composition), composition.computing(op),
                      fmt::format("simt:{}:races", n), pool, of_pool});
  };
  for (const std::vector<Use>& uses : backward_compositions()) {
    const std::size_t n = checks.size();
    add(uses, cases, {n % problems, (7 * n + 5) % problems, n % 2 == 0 ? kLost : padded});
  }
  const auto sizes = [](const char* form) { return Use{"levels", {{"sizes", std::string(form)}}}; };
  for (const std::vector<Use>& uses :
       std::vector<std::vector<Use>>{{sizes("given"), {"shared-fixed", {}}},
                                     {sizes("stored"), {"native-sums", {}}},
                                     {sizes("stored"), {"fixed-sums", {}}}}) {
    const std::size_t n = checks.size();
    add(uses, cases, {n % problems, kLost, padded});
  }
  for (const std::vector<Use>& uses :
       std::vector<std::vector<Use>>{{{"l2-red", {}}},
                                     {{"row-lanes", {{"levels", std::string("apart")}}}},
                                     {{"shared-fixed", {}}, {"fixed-sums", {}}}}) {
    const std::size_t n = checks.size();
    add(uses, cases_of_some, {n % problems, (n + 4) % problems, (n + 9) % problems});
  }
  add({{"fixed-sums", {}}}, full_pixel, {0});
  return checks;
}

}  // namespace msda
