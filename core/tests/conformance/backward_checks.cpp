#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "conformance/simt_checks.hpp"
#include "operators/operator.hpp"
#include "support/problems.hpp"

namespace msda {
namespace {

using Uses = std::vector<Use>;

std::map<std::string, ParameterValue> items(std::int64_t chunks) {
  return {{"blocks", std::int64_t{1}}, {"chunks", chunks}};
}

const std::vector<Case>& backward_cases() { return awkward_cases("backward"); }

/// Small gradients behind many rows of zeros, as a model has them of queries that nothing reads.
const std::vector<Case>& late_gradients() {
  static const std::vector<Case> kCases = [] {
    const Problem problem = named(make_problem({.batch = 1,
                                                .queries = 700,
                                                .heads = 1,
                                                .channels = 32,
                                                .points = 2,
                                                .levels = {{5, 7}, {3, 4}},
                                                .types = Types::all(DType::kFloat32)}));
    std::vector<Case> cases = make_cases({{problem, Generation{}}}, "backward");
    Case& late = cases.front();
    auto* gradients = reinterpret_cast<float*>(late.input.at("grad_output").data());
    constexpr std::int64_t kZeroRows = 500;
    for (std::int64_t i = 0; i < problem.queries * problem.channels; ++i)
      gradients[i] *= i < kZeroRows * problem.channels ? 0.0F : 1.0e-7F;
    late.truths = make_truths(find_operator("backward"), late.input);
    return cases;
  }();
  return kCases;
}

}  // namespace

std::vector<std::vector<Use>> backward_compositions() {
  return {
      {{"l2-red", {}}},
      {{"native-sums", {}}},
      {{"fixed-sums", {}}},
      {{"float32-sums", {{"clear", std::string("converter")}}}},
      {{"half2-dots", {}}, {"native-sums", {}}},
      {{"lane-reds", {{"scalar", true}}}},
      {{"lane-reds", {}}, {"native-sums", {}}},
      {{"row-lanes", {{"threads", std::int64_t{64}}, {"sides", std::int64_t{1}}}}},
      {{"row-lanes", {{"bytes", std::int64_t{4}}}}, {"fixed-sums", {}}},
      {{"shared-fixed", {}}},
      {{"shared-fixed", {{"budget", std::int64_t{1}}}}, {"persistent", items(2)}},
      {{"shared-fixed", {}}, {"persistent", items(3)}, {"native-sums", {}}},
      {{"shared-fixed", {}}, {"persistent", items(2)}, {"fixed-sums", {}}},
      {{"l2-red", {}}, {"spatial-order", {}}, {"work-stealing", {}}},
      {{"half2-dots", {}}, {"native-sums", {{"products", std::string("pairs")}}}},
      {{"row-lanes", {{"threads", std::int64_t{64}}, {"levels", std::string("apart")}}}},
      {{"row-lanes", {{"levels", std::string("apart")}, {"points", std::int64_t{1}}}},
       {"shared-fixed", {}},
       {"persistent", items(2)}},
      {{"row-lanes", {{"points", std::int64_t{2}}}},
       {"shared-fixed", {}},
       {"work-redistribution", {{"ends", std::string("warp")}}}},
      {{"shared-values", {{"budget", std::int64_t{1}}}}, {"persistent", items(2)}},
      {{"shared-values", {}}, {"shared-fixed", {}}, {"native-sums", {}}, {"persistent", items(3)}},
      {{"shared-values", {}},
       {"row-lanes", {{"sides", std::int64_t{1}}, {"bytes", std::int64_t{8}}}},
       {"work-redistribution", {}}},
      {{"tile-sums", {{"budget", std::int64_t{1}}, {"points", std::int64_t{1}}}}},
      {{"tile-sums", {}}, {"half2-dots", {}}},
      {{"two-passes", {}}, {"native-sums", {}}},
      {{"two-passes", {{"order", std::string("serial")}}},
       {"shared-fixed", {}},
       {"persistent", items(2)}},
      {{"two-passes", {}}, {"row-lanes", {{"levels", std::string("apart")}}}, {"fixed-sums", {}}},
      {{"lane-reds", {{"scalar", true}}}, {"fixed-sums", {}}},
      {{"two-passes", {}}, {"tile-sums", {}}},
  };
}

namespace {

/// Levels that differ in their points.
const std::vector<Case>& points_by_level_cases() {
  static const std::vector<Case> kCases = [] {
    const auto with = [](std::vector<std::int64_t> points, DType type) {
      return AwkwardProblem{named(problem_with_points(std::move(points), Types::all(type))),
                            Generation{}};
    };
    return make_cases({with({3, 6, 3}, DType::kFloat16), with({4, 4, 2}, DType::kFloat32),
                       with({2, 1, 5}, DType::kBFloat16)},
                      "backward");
  }();
  return kCases;
}

}  // namespace

std::vector<SimtCheck> backward_checks() {
  constexpr std::size_t kHostile = 12;
  std::vector<SimtCheck> checks;
  for (const Uses& uses : backward_compositions()) {
    const std::size_t n = checks.size();
    const std::size_t problems = backward_cases().size();
    const Composition composition(shipped_plugins(), uses);
    checks.push_back({"backward",
                      check_name(n, composition),
                      composition,
                      fmt::format("simt:{}:races", n),
                      backward_cases,
                      {n % problems, (n + 5) % problems, kHostile + n % 2}});
  }
  for (const Uses& uses : backward_compositions()) {
    const std::size_t n = checks.size();
    const Composition composition(shipped_plugins(), uses);
    checks.push_back({"backward",
                      check_name(n, composition),
                      composition,
                      fmt::format("simt:{}:races", n),
                      points_by_level_cases,
                      {n % 3}});
  }
  const Composition one_item(shipped_plugins(), {{"shared-fixed", {}}, {"persistent", items(1)}});
  checks.push_back({"backward",
                    check_name(checks.size(), one_item),
                    one_item,
                    "simt:1:races",
                    late_gradients,
                    {0}});
  return checks;
}

}  // namespace msda
