#include "compose/level_class.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include <msda/runtime/level_sizes.hpp>

namespace msda {
namespace {

/// ptx::kFastFloorLimit
constexpr std::int64_t kFastFloor = std::int64_t{1} << 22;

}  // namespace

LevelClass class_of(const Problem& problem, LevelForm form) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = 0;
  for (const Level& level : problem.levels) {
    least = std::min({least, level.height, level.width});
    most = std::max({most, level.height, level.width});
  }
  const std::int64_t pixels = problem.spatial_size();
  if (form == LevelForm::kStored) {
    least = 1;
    most = pixels;
  }
  return {
      .packs = pixels <= runtime::kMostPackedPixels,
      .least = least == 1 ? 1 : 2,
      .most = most <= kFastFloor ? static_cast<int>(kFastFloor) : std::numeric_limits<int>::max()};
}

LevelSizes sizes_of(const Problem& problem) {
  LevelSizes sizes{};
  const auto starts = problem.level_starts();
  for (std::size_t l = 0; l < problem.levels.size(); ++l) {
    sizes.width[l] = static_cast<int>(problem.levels[l].width);
    sizes.height[l] = static_cast<int>(problem.levels[l].height);
    sizes.start[l] = static_cast<int>(starts[l]);
  }
  sizes.pixels = static_cast<int>(problem.spatial_size());
  return sizes;
}

void choose_kernel(ComposedUnit& composed, const LaunchPlan& plan, const Problem& problem) {
  if (composed.sized_kernels.empty()) return;
  const auto levels = static_cast<int>(problem.level_count());
  const int resident = resident_levels(sizes_of(problem), levels, plan.resident);
  composed.main_kernel = composed.sized_kernels.at(static_cast<std::size_t>(resident));
}

}  // namespace msda
