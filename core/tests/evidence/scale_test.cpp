#include "evidence/scale.hpp"

#include <gtest/gtest.h>

#include "input/input.hpp"

namespace msda {
namespace {

constexpr int kMultiprocessors = 132;

/// Tiles of 64 rows.
LaunchPlan plan_of(unsigned resident_blocks, unsigned rows_per_item, unsigned chunks) {
  LaunchPlan plan{};
  plan.tile_rows = 64;
  plan.main.threads = 256;
  plan.main.resident_blocks = resident_blocks;
  plan.main.planes = 1;
  plan.main.rows_per_query = 1;
  plan.main.rows_per_item = rows_per_item;
  plan.main.chunks = chunks;
  return plan;
}

double items_of_a_block(const Problem& problem, const LaunchPlan& plan, int multiprocessors) {
  return static_cast<double>(item_count(plan.main, problem.batch, problem.queries)) /
         (static_cast<double>(plan.main.resident_blocks) * multiprocessors);
}

TEST(ScaledProblem, LeavesABlockSeveralOfManyItems) {
  const Problem problem = preset("ledger-48");
  const LaunchPlan plan = plan_of(1, 64, 0);
  const Scaled scaled = scaled_down(problem, plan, kMultiprocessors);
  ASSERT_GT(items_of_a_block(problem, plan, kMultiprocessors), 80);
  EXPECT_GT(items_of_a_block(scaled.problem, plan, scaled.multiprocessors), 4);
  EXPECT_LT(scaled.problem.queries, problem.queries);
  EXPECT_EQ(scaled.problem.levels, problem.levels);
}

TEST(ScaledProblem, LeavesABlockOneItemWhereItHasNoMore) {
  Problem problem = preset("ledger-48");
  problem.queries = 170;  // three items in each of 48 images
  const LaunchPlan plan = plan_of(2, 64, 0);
  const Scaled scaled = scaled_down(problem, plan, kMultiprocessors);
  ASSERT_LT(items_of_a_block(problem, plan, kMultiprocessors), 1);
  EXPECT_LE(items_of_a_block(scaled.problem, plan, scaled.multiprocessors), 1);
}

TEST(ScaledProblem, IsTheWholeWhereThatIsSmall) {
  Problem problem = preset("ddetr-decoder");
  problem.queries = 30;
  const Scaled scaled = scaled_down(problem, plan_of(1, 64, 0), kMultiprocessors);
  EXPECT_EQ(scaled.problem, problem);
  EXPECT_EQ(scaled.multiprocessors, kMultiprocessors);
}

TEST(ScaledProblem, LeavesEachDeviceAsManyImagesAsOne) {
  Problem problem = preset("ledger-48");
  const LaunchPlan plan = plan_of(1, 64, 0);
  const auto images = [&](int devices) {
    return scaled_down(problem, plan, kMultiprocessors, devices).problem.batch;
  };
  EXPECT_EQ(images(5), 5 * images(1));
  problem.batch = 5;
  EXPECT_EQ(images(5), 5);
}

TEST(ScaledProblem, KeepsSeveralTilesInAChunk) {
  const Problem problem = preset("ledger-48");
  const LaunchPlan plan = plan_of(4, 0, 200);  // 78 rows a chunk: two tiles
  const Scaled scaled = scaled_down(problem, plan, kMultiprocessors);
  EXPECT_GT(rows_per_plane(plan.main, scaled.problem.queries) / 200, plan.tile_rows);
}

}  // namespace
}  // namespace msda
