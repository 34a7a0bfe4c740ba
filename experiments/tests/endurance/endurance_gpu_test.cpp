// Recipes whose warps, blocks or copies wait for each other: launched a thousand times on each of
// twenty shapes, right before and right after. A hang is the test's time-out. Under a sanitizer,
// MSDA_LAUNCHES makes it fewer, MSDA_SHAPES takes the first shapes only, which are small, and
// MSDA_RECIPE one recipe.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "conformance/combinations.hpp"
#include "input/input.hpp"
#include "measure/verify.hpp"
#include "operators/operator.hpp"
#include "problem/validate.hpp"
#include "runner/experiment/experiment.hpp"
#include "support/problems.hpp"

namespace msda {
namespace {

int setting(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoi(text);
}

Problem make(std::int64_t batch, std::int64_t queries, std::int64_t heads, std::int64_t channels,
             std::int64_t points, std::vector<Level> levels, DType type) {
  return named(make_problem({.batch = batch,
                             .queries = queries,
                             .heads = heads,
                             .channels = channels,
                             .points = points,
                             .levels = std::move(levels),
                             .types = Types::all(type)}));
}

/// One query, seven, numbers that nothing divides, one image, many; few blocks and more than a GPU
/// holds at a time. Small ones first.
std::vector<Problem> shapes() {
  const std::vector<Level> tiny = {{9, 14}, {5, 7}, {3, 4}, {2, 2}};
  const std::vector<Level> single = {{7, 11}, {1, 6}, {1, 1}};
  const std::vector<Level> wide = {{23, 40}, {12, 20}, {6, 10}, {3, 5}};
  const auto half = DType::kFloat16;
  const auto full = DType::kFloat32;
  const auto brain = DType::kBFloat16;
  return {make(1, 1, 1, 32, 8, tiny, half),     make(1, 7, 1, 32, 8, tiny, half),
          make(3, 61, 1, 32, 8, tiny, half),    make(1, 257, 1, 32, 8, tiny, full),
          make(2, 1, 8, 32, 4, tiny, half),     make(5, 7, 2, 64, 3, single, half),
          make(1, 127, 4, 32, 4, wide, brain),  make(7, 13, 1, 16, 8, tiny, half),
          make(1, 1009, 1, 32, 8, wide, half),  make(2, 311, 8, 32, 4, wide, full),
          make(131, 7, 1, 32, 8, tiny, half),   make(137, 1, 1, 32, 8, tiny, half),
          make(48, 331, 1, 32, 8, wide, half),  make(1, 20011, 1, 32, 8, wide, half),
          make(4, 5003, 1, 32, 8, wide, half),  make(16, 1021, 8, 32, 4, wide, half),
          make(300, 101, 1, 32, 8, tiny, half), make(2, 10007, 2, 64, 2, single, brain),
          make(1, 3001, 8, 32, 4, wide, full),  make(64, 257, 1, 32, 8, wide, full)};
}

bool waits(const Composition& composition) {
  const auto& parts = composition.parts();
  return std::any_of(parts.begin(), parts.end(), [](const Part& part) {
    const std::string& name = part.plugin->name;
    return name == "warp-roles" || name == "handover" || name == "tma-boxes" ||
           name == "memcpy-async" || name == "distributed-smem";
  });
}

/// False when the recipe was refused with a reason.
bool endures(Device& device, const Composition& composition, const Problem& problem,
             const Input& input, const std::vector<Truth>& truths, int launches) {
  if (composition.unsupported(problem, device.info())) return false;
  try {
    const Prepared prepared = device.prepare(composition, problem);
    DeviceInput tensors(device, input);
    const auto is_right = [&] {
      return verify(device, *prepared.executable, composition, tensors, problem, truths);
    };
    const Verdict before = is_right();
    EXPECT_TRUE(before.right) << before.reason;
    for (int i = 0; i < launches; ++i) {
      prepared.executable->launch(tensors.tensors(), device.stream());
    }
    const Verdict after = is_right();
    EXPECT_TRUE(after.right) << after.reason;
    return true;
  } catch (const Unsupported&) {
    return false;
  }
}

TEST(EnduranceOnGpu, WhatWaitsForOthersNeverHangs) {
  const auto device = open_device("cuda:0");
  const int launches = setting("MSDA_LAUNCHES", 1000);
  auto problems = shapes();
  const auto wanted = static_cast<std::size_t>(setting("MSDA_SHAPES", 20));
  problems.resize(std::min(wanted, problems.size()));

  std::vector<std::pair<std::string, Composition>> recipes;
  for (const auto& [name, recipe] :
       load_recipes(MSDA_BINARY_DIR "/share/msda/experiments/recipes.yaml", shipped_plugins())) {
    Composition composition(shipped_plugins(), usable(recipe));
    const char* wanted_recipe = std::getenv("MSDA_RECIPE");
    if (wanted_recipe != nullptr && name != wanted_recipe) continue;
    if (waits(composition)) recipes.emplace_back(name, std::move(composition));
  }
  ASSERT_FALSE(recipes.empty());
  std::vector<Composition> compositions;
  compositions.reserve(recipes.size());
  for (const auto& [name, composition] : recipes) compositions.push_back(composition);
  compile_all(compositions, problems, device->info());

  std::vector<int> ran(recipes.size(), 0);
  for (const Problem& problem : problems) {
    const Input input = generate(problem, {});
    const std::vector<Truth> truths = make_truths(find_operator("forward"), input);
    for (std::size_t r = 0; r < recipes.size(); ++r) {
      SCOPED_TRACE(recipes[r].first + " on " + problem.name);
      std::cout << recipes[r].first << " on " << problem.name << std::endl;  // names a hang
      ran[r] += endures(*device, recipes[r].second, problem, input, truths, launches) ? 1 : 0;
      if (::testing::Test::HasFailure()) return;
    }
  }
  for (std::size_t r = 0; r < recipes.size(); ++r) EXPECT_GT(ran[r], 0) << recipes[r].first;
}

}  // namespace
}  // namespace msda
