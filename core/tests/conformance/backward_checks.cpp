#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <msda/operators/backward.hpp>

#include "conformance/simt_checks.hpp"
#include "input/elements.hpp"
#include "operators/operator.hpp"
#include "support/problems.hpp"

namespace msda {
namespace {

using Uses = std::vector<Use>;

std::map<std::string, ParameterValue> items(std::int64_t chunks) {
  return {{"blocks", std::int64_t{1}}, {"chunks", chunks}};
}

/// Of tile-bins, with products for the smallest run, too.
std::map<std::string, ParameterValue> bins(std::map<std::string, std::int64_t> others) {
  others.emplace("few", 0);
  return {others.begin(), others.end()};
}

const std::vector<Case>& backward_cases() { return awkward_cases("backward"); }

/// A case of one head and four points, after a change of its input.
Case small_case(std::int64_t batch, std::int64_t queries, std::vector<Level> levels, DType type,
                const std::function<void(Input&)>& change, std::int64_t channels = 32) {
  const Problem problem = named(make_problem({.batch = batch,
                                              .queries = queries,
                                              .heads = 1,
                                              .channels = channels,
                                              .points = 4,
                                              .levels = std::move(levels),
                                              .types = Types::all(type)}));
  std::vector<Case> cases = make_cases({{problem, Generation{}}}, "backward");
  change(cases.front().input);
  cases.front().truths = make_truths(find_operator("backward"), cases.front().input);
  return std::move(cases.front());
}

/// Makes all elements of a tensor from number `first` on, or as many as `count`, one number.
void fill(Input& input, std::string_view name, float number, std::int64_t first = 0,
          std::int64_t count = -1) {
  Bytes& tensor = input.at(name);
  const DType type = input.problem.types.output;
  const auto all = static_cast<std::int64_t>(tensor.size() / size_of(type));
  for (std::int64_t i = first; i < (count < 0 ? all : first + count); ++i) {
    store_element(type, tensor.data(), i, number);
  }
}

/// What one work item has of all rows: small gradients behind many rows of zeros, as a model has
/// them of queries that nothing reads; and all points in one pixel, so that as much meets there as
/// can.
const std::vector<Case>& whole_items() {
  static const std::vector<Case> kCases = [] {
    std::vector<Case> cases;
    cases.push_back(small_case(1, 700, {{5, 7}, {3, 4}}, DType::kFloat32, [](Input& input) {
      auto* gradients = reinterpret_cast<float*>(input.at("grad_output").data());
      constexpr std::int64_t kZeroRows = 500;
      for (std::int64_t i = 0; i < input.problem.queries * input.problem.channels; ++i)
        gradients[i] *= i < kZeroRows * input.problem.channels ? 0.0F : 1.0e-7F;
    }));
    cases.push_back(small_case(1, 700, {{1, 1}}, DType::kFloat16, [](Input& input) {
      fill(input, "locations", 0.5F);
      fill(input, "weights", 0.25F);
      fill(input, "grad_output", 1.0F);
    }));
    return cases;
  }();
  return kCases;
}

/// One or two of the three gradients, in all ways.
const std::vector<Case>& some_gradients() {
  static const std::vector<Case> kCases = [] {
    std::vector<AwkwardProblem> problems;
    for (std::uint32_t unasked = 1; unasked < 7; ++unasked) {
      const DType type = unasked % 2 == 0 ? DType::kFloat32 : DType::kFloat16;
      Problem problem = make_problem({.batch = 2,
                                      .queries = 11,
                                      .heads = 3,
                                      .channels = 24,
                                      .points = 3,
                                      .levels = {{5, 7}, {1, 1}, {3, 4}},
                                      .types = Types::all(type)});
      problem.unasked = unasked << backward::kGradValue;
      problems.push_back({named(problem), Generation{}});
    }
    return make_cases(problems, "backward");
  }();
  return kCases;
}

/// A level that is a little larger than what a block has room for.
const std::vector<Case>& large_level() {
  static const std::vector<Case> kCases = [] {
    std::vector<Case> cases;
    cases.push_back(small_case(1, 9, {{64, 62}, {2, 2}}, DType::kFloat16, [](Input&) {}));
    return cases;
  }();
  return kCases;
}

/// A row of the gradient that is no numbers, among others that are: no pixel is spoiled that its
/// points do not touch.
const std::vector<Case>& spoiled_rows() {
  static const std::vector<Case> kCases = [] {
    constexpr std::int64_t kRow = 5;
    std::vector<Case> cases;
    for (const auto& [type, channels] :
         {std::pair{DType::kFloat16, 32}, {DType::kBFloat16, 32}, {DType::kFloat16, 136}}) {
      cases.push_back(small_case(
          1, 40, {{12, 14}, {6, 5}, {1, 3}}, type, [](Input&) {}, channels));
      Case& one = cases.back();
      fill(one.input, "grad_output", std::numeric_limits<float>::quiet_NaN(), kRow * channels,
           channels);
      // What a right result may be off by follows from the numbers before.
      const std::vector<Truth> spoiled = make_truths(find_operator("backward"), one.input);
      for (std::size_t n = 0; n < spoiled.size(); ++n) {
        for (std::size_t i = 0; i < spoiled[n].output.size(); ++i) {
          if (std::isnan(spoiled[n].output[i])) one.truths[n].output[i] = spoiled[n].output[i];
        }
      }
    }
    return cases;
  }();
  return kCases;
}

/// A row of the first image adds more than sums of whole numbers have room for, or all of its rows
/// add to one pixel more than float32 holds. What they leave is no number, anywhere in the image,
/// and no wrong one.
const std::vector<Case>& endless_rows() {
  static const std::vector<Case> kCases = [] {
    constexpr std::int64_t kRow = 5;
    std::vector<Case> cases;
    cases.push_back(small_case(2, 40, {{5, 7}, {3, 4}}, DType::kFloat32, [](Input& input) {
      const std::int64_t channels = input.problem.channels;
      fill(input, "grad_output", 1.0e7F, kRow * channels, channels);
    }));
    cases.push_back(small_case(2, 40, {{1, 1}}, DType::kFloat32, [](Input& input) {
      fill(input, "grad_output", 2.0e37F, 0, input.problem.queries * input.problem.channels);
      fill(input, "locations", 0.4F);
    }));
    for (Case& one : cases) {
      std::vector<double>& of_value = one.truths.front().output;
      std::fill_n(of_value.begin(), of_value.size() / 2, std::numeric_limits<double>::quiet_NaN());
    }
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
      {{"mma-dots", {}}},
      {{"mma-dots", {{"turns", std::int64_t{4}}}},
       {"native-sums", {{"products", std::string("pairs")}}},
       {"row-lanes", {{"points", std::int64_t{8}}}}},
      {{"mma-dots", {{"turns", std::int64_t{1}}}},
       {"row-lanes", {{"bytes", std::int64_t{4}}, {"levels", std::string("apart")}}}},
      {{"lane-reds", {{"scalar", true}}}},
      {{"lane-reds", {}}, {"native-sums", {}}},
      {{"row-lanes", {{"threads", std::int64_t{64}}, {"sides", std::int64_t{1}}}}},
      {{"row-lanes", {{"bytes", std::int64_t{4}}}}, {"fixed-sums", {}}},
      {{"shared-fixed", {}}},
      {{"shared-fixed", {{"budget", std::int64_t{1}}}}, {"persistent", items(2)}},
      {{"shared-fixed", {}}, {"persistent", items(3)}, {"native-sums", {}}},
      {{"shared-fixed", {}}, {"persistent", items(2)}, {"fixed-sums", {}}},
      {{"shared-floats", {}}},
      {{"shared-floats", {{"cluster", std::int64_t{2}}, {"budget", std::int64_t{1}}}},
       {"persistent", items(2)},
       {"native-sums", {}}},
      {{"shared-floats", {{"cluster", std::int64_t{8}}}}, {"work-redistribution", {}}},
      {{"shared-floats", {{"cluster", std::int64_t{4}}}}, {"two-passes", {}}},
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
      {{"dependent-clear", {}}},
      {{"dependent-clear", {}},
       {"native-sums", {}},
       {"row-lanes", {{"levels", std::string("apart")}, {"points", std::int64_t{2}}}}},
      {{"dependent-clear", {}}, {"shared-fixed", {}}, {"persistent", items(2)}},
      {{"dependent-clear", {}}, {"fixed-sums", {}}},
      {{"tile-bins", {}}},
      {{"tile-bins", bins({{"queries", 5}, {"tiles", 2}})},
       {"native-sums", {}},
       {"persistent", items(2)}},
      {{"tile-bins", bins({{"levels", 1}})},
       {"row-lanes", {{"levels", std::string("apart")}, {"points", std::int64_t{2}}}},
       {"persistent", items(2)}},
      {{"tile-bins", bins({{"queries", 40}})},
       {"spatial-order", {}},
       {"work-redistribution", {{"ends", std::string("warp")}}},
       {"dependent-clear", {}}},
      {{"tile-bins", bins({})},
       {"two-passes", {}},
       {"native-sums", {{"products", std::string("pairs")}}}},
      {{"tile-bins", {}}, {"fixed-sums", {}}},
      {{"sorted-points", {{"budget", std::int64_t{1}}, {"shares", std::int64_t{4}}}}},
      {{"sorted-points", {}}, {"half2-dots", {}}, {"spatial-order", {}}, {"persistent", items(2)}},
      {{"two-passes", {}}, {"sorted-points", {{"shares", std::int64_t{16}}}}},
      {{"bulk-rows", {}}},
      {{"bulk-rows", {{"buffers", std::int64_t{1}}}},
       {"native-sums", {}},
       {"persistent", items(2)}},
      {{"bulk-rows", {{"buffers", std::int64_t{4}}}},
       {"fixed-sums", {}},
       {"work-redistribution", {{"ends", std::string("warp")}}}},
      {{"bulk-rows", {}},
       {"dependent-clear", {}},
       {"native-sums", {{"products", std::string("pairs")}}},
       {"row-lanes",
        {{"threads", std::int64_t{64}},
         {"levels", std::string("apart")},
         {"points", std::int64_t{2}}}}},
      {{"bulk-rows", {}}, {"two-passes", {}}, {"spatial-order", {}}},
      {{"bulk-rows", {}}, {"lane-reds", {{"scalar", true}}}, {"native-sums", {}}},
      {{"bulk-rows", {}},
       {"row-lanes", {{"sides", std::int64_t{1}}, {"bytes", std::int64_t{4}}}},
       {"fixed-sums", {}}},
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
  const auto add = [&](const Uses& uses, const std::vector<Case>& (*pool)(),
                       const std::vector<std::size_t>& cases) {
    const Composition composition(shipped_plugins(), uses);
    checks.push_back({"backward", check_name(checks.size(), composition), composition,
                      "simt:1:races", pool, cases});
  };
  add({{"shared-fixed", {}}, {"persistent", items(1)}}, whole_items, {0, 1});
  add({{"fixed-sums", {}}}, whole_items, {1});
  add({{"fixed-sums", {}}}, endless_rows, {0, 1});
  add({{"shared-fixed", {}}, {"persistent", items(1)}}, endless_rows, {1});
  add({{"tile-sums", {}}}, endless_rows, {1});
  add({{"sorted-points", {{"budget", std::int64_t{1}}}}}, large_level, {0});
  add({{"sorted-points", {}}}, whole_items, {1});
  add({{"shared-values", {{"budget", std::int64_t{220}}}}}, large_level, {0});
  checks.back().has_to_run = true;  // and not be refused, as a block with the level would be
  for (const Uses& uses :
       std::vector<Uses>{{{"l2-red", {}}},
                         {{"tile-bins", bins({})}, {"persistent", items(1)}},
                         {{"tile-bins", bins({{"levels", 2}})}, {"native-sums", {}}}}) {
    add(uses, spoiled_rows, {0, 1, 2});
  }
  for (const std::int64_t chunks : {1, 3}) {
    add({{"tile-bins", {}}, {"persistent", items(chunks)}}, whole_items, {1});
    add({{"tile-bins", bins({{"tiles", 3}})}, {"persistent", items(chunks)}}, backward_cases,
        {3, 5, 6, 7, 9, 11, kHostile + 1});
  }
  for (std::size_t n = 0;
       const Uses& uses : std::vector<Uses>{{{"l2-red", {}}},
                                            {{"row-lanes", {{"levels", std::string("apart")}}}},
                                            {{"shared-fixed", {}}, {"fixed-sums", {}}},
                                            {{"bulk-rows", {}}, {"native-sums", {}}},
                                            {{"two-passes", {}}, {"native-sums", {}}},
                                            {{"tile-sums", {}}},
                                            {{"tile-bins", {}}},
                                            {{"sorted-points", {}}}}) {
    add(uses, some_gradients, {n % 6, (n + 3) % 6});
    ++n;
  }
  return checks;
}

}  // namespace msda
