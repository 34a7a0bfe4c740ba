#include "evidence/scale.hpp"

#include <algorithm>
#include <cmath>

namespace msda {
namespace {

constexpr std::int64_t kImages = 2;
constexpr std::int64_t kRows = 512;  ///< of all heads of all images, about

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Queries that leave items of several tiles, which a cluster shares, more than one for each block.
std::int64_t queries_for_tiles(const Problem& problem, const LaunchPlan& plan) {
  const LaunchShape& shape = plan.main;
  const bool in_chunks = shape.rows_per_item == 0 && shape.chunks > 0;
  if (!in_chunks || plan.tile_rows == 0) return 0;
  const std::int64_t rows = rows_per_plane(shape, problem.queries);
  const std::int64_t together = std::int64_t{plan.tile_rows} * std::max(1U, shape.cluster);
  const std::int64_t tiles = divided_up(divided_up(rows, shape.chunks), together);
  const std::int64_t wanted = std::min<std::int64_t>(tiles, 2);
  return divided_up(shape.chunks * ((wanted - 1) * together + 1), shape.rows_per_query);
}

/// Queries that leave each block that a multiprocessor holds two tiles of an image, to go from one
/// to the next; and more where what a tile reads may come during those before.
std::int64_t queries_for_blocks(const LaunchPlan& plan) {
  const LaunchShape& shape = plan.main;
  if (shape.resident_blocks == 0 || shape.rows_per_query == 0) return 0;
  const std::int64_t rows = std::int64_t{plan.resident_arrives_late != 0 ? 4 : 2} * plan.tile_rows *
                            shape.resident_blocks;
  return divided_up(rows, shape.rows_per_query);
}

/// What a launch's blocks share: items, or rows where they divide the work by themselves.
std::int64_t work(const Problem& problem, const LaunchShape& shape) {
  const bool has_items = shape.rows_per_item != 0 || shape.chunks != 0;
  return has_items ? item_count(shape, problem.batch, problem.queries)
                   : problem.batch * problem.queries * problem.heads;
}

}  // namespace

Scaled scaled_down(const Problem& problem, const LaunchPlan& plan, int multiprocessors,
                   int devices) {
  Scaled scaled{problem, multiprocessors};
  Problem& small = scaled.problem;
  const std::int64_t needed = std::min(
      problem.queries, std::max(queries_for_tiles(problem, plan), queries_for_blocks(plan)));
  const bool is_much = needed * problem.heads > kRows;
  small.batch = devices * (is_much ? 1 : std::min(problem.batch / devices, kImages));
  const std::int64_t queries = std::max(kRows / (small.batch * small.heads), needed);
  small.queries = std::min(problem.queries, std::max<std::int64_t>(queries, 1));
  const double share =
      static_cast<double>(work(small, plan.main)) / static_cast<double>(work(problem, plan.main));
  scaled.multiprocessors = std::max(1, static_cast<int>(std::lround(share * multiprocessors)));
  return scaled;
}

}  // namespace msda
