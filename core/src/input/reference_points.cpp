#include "input/locations.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace msda {
namespace {

/// Pixel centres of all levels in the order of `value`, each inside `border` pixels of border.
std::vector<Location> pixel_centres(const std::vector<Level>& levels, std::int64_t border) {
  std::vector<Location> centres;
  for (const Level& level : levels) {
    const auto height = static_cast<double>(level.height);
    const auto width = static_cast<double>(level.width);
    for (std::int64_t row = -border; row < level.height + border; ++row) {
      const double y = std::clamp((static_cast<double>(row) + 0.5) / height, 0.0, 1.0);
      for (std::int64_t column = -border; column < level.width + border; ++column) {
        centres.push_back({std::clamp((static_cast<double>(column) + 0.5) / width, 0.0, 1.0), y});
      }
    }
  }
  return centres;
}

/// `count` points in rows that hold as equally many as they can.
std::vector<Location> even_grid(std::int64_t count, const Level& proportions) {
  const double aspect =
      static_cast<double>(proportions.height) / static_cast<double>(proportions.width);
  const auto rows = std::clamp<std::int64_t>(
      std::llround(std::sqrt(static_cast<double>(count) * aspect)), 1, count);
  std::vector<Location> grid;
  grid.reserve(static_cast<std::size_t>(count));
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t columns = (row + 1) * count / rows - row * count / rows;
    for (std::int64_t column = 0; column < columns; ++column) {
      grid.push_back({(static_cast<double>(column) + 0.5) / static_cast<double>(columns),
                      (static_cast<double>(row) + 0.5) / static_cast<double>(rows)});
    }
  }
  return grid;
}

}  // namespace

std::vector<Location> reference_points(const Problem& problem) {
  if (problem.queries == problem.pixels()) {
    return pixel_centres(problem.levels, 0);
  }
  if (problem.layout == ValueLayout::kZeroBorder && problem.queries == problem.spatial_size()) {
    return pixel_centres(problem.levels, 1);
  }
  return even_grid(problem.queries, problem.levels.front());
}

std::vector<Location> initial_directions(std::int64_t heads) {
  std::vector<Location> directions;
  for (std::int64_t head = 0; head < heads; ++head) {
    const double angle =
        2.0 * std::numbers::pi * static_cast<double>(head) / static_cast<double>(heads);
    const double x = std::cos(angle);
    const double y = std::sin(angle);
    const double scale = std::max(std::abs(x), std::abs(y));
    directions.push_back({x / scale, y / scale});
  }
  return directions;
}

}  // namespace msda
