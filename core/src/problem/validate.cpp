#include "problem/validate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <msda/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string_view>

namespace msda {
namespace {

/// Operations and bytes for a point and channel, more than any operator's.
constexpr std::int64_t kMostOperations = 64;

void require_positive(std::string_view field, std::int64_t value) {
  if (value < 1) throw UsageError(fmt::format("{} is {}: it must be at least 1", field, value));
}

/// Those of points: all as the number of them, or none.
void validate_scales(const References& references, std::int64_t row_points) {
  const std::vector<double>& scales = references.point_scales;
  if (scales.empty()) return;
  if (references.coordinates != 4) {
    throw UsageError("references.point_scales are of boxes: coordinates must be 4");
  }
  if (static_cast<std::int64_t>(scales.size()) != row_points) {
    throw UsageError(
        fmt::format("references.point_scales has {} entries for the {} points of a row",
                    scales.size(), row_points));
  }
  for (const double scale : scales) {
    if (scale > 0 && std::isfinite(scale)) continue;
    throw UsageError(
        fmt::format("references.point_scales has {}: each must be a positive number", scale));
  }
}

/// `points`: of the problem's levels.
void validate(const References& references, std::span<const std::int64_t> points) {
  if (references.coordinates != 2 && references.coordinates != 4) {
    throw UsageError(
        fmt::format("references.coordinates is {}: it must be 2 (x, y) or 4 (x, y, "
                    "width, height)",
                    references.coordinates));
  }
  const auto divides = [&](std::int64_t of_level) { return of_level % references.anchors == 0; };
  if (references.anchors < 0 || (references.anchors > 0 && !std::ranges::all_of(points, divides))) {
    throw UsageError(fmt::format(
        "references.anchors is {}: it must be 0, for a reference on each level, or divide the {} "
        "points",
        references.anchors, fmt::join(points, ", ")));
  }
  if (!(references.scale > 0) || !std::isfinite(references.scale)) {
    throw UsageError(
        fmt::format("references.scale is {}: it must be a positive number", references.scale));
  }
  validate_scales(references, std::accumulate(points.begin(), points.end(), std::int64_t{0}));
}

std::vector<std::int64_t> points_by_level(const Problem& problem) {
  std::vector<std::int64_t> points;
  for (std::size_t l = 0; l < problem.levels.size(); ++l) points.push_back(problem.points_of(l));
  return points;
}

/// The highest bits of a pixel's number are flags where gradients go by a mask.
constexpr std::int64_t kMostPaddedPixels = (std::int64_t{1} << 28) - 1;

/// Points that differ by level are as many as there are levels, and `points` is the most of them.
void validate_points(const Problem& problem) {
  const std::vector<std::int64_t>& points = problem.level_points;
  if (points.empty()) return;
  if (points.size() != problem.levels.size()) {
    throw UsageError(
        fmt::format("points has {} entries for {} levels", points.size(), problem.levels.size()));
  }
  for (const std::int64_t of_level : points) require_positive("points", of_level);
  if (problem.points != std::ranges::max(points)) {
    throw UsageError(fmt::format("points is {} with {} by level: it must be the most of these",
                                 problem.points, fmt::join(points, ", ")));
  }
}

Problem with_layout(Problem problem, ValueLayout layout) {
  problem.layout = layout;
  return problem;
}

/// "starts 0, 14720 with spatial_size 18400"
std::string starts_and_size(const Problem& problem) {
  return fmt::format("starts {} with spatial_size {}", fmt::join(problem.level_starts(), ", "),
                     problem.spatial_size());
}

std::string consistent_choices(const Problem& problem) {
  return fmt::format("consistent are {}, or, inside a border of one zero pixel, {}",
                     starts_and_size(with_layout(problem, ValueLayout::kPlain)),
                     starts_and_size(with_layout(problem, ValueLayout::kZeroBorder)));
}

/// What is wrong with level l when it starts at `start`; empty when nothing is.
std::string fault_of_level(const Problem& problem, std::size_t l, std::int64_t start,
                           std::int64_t expected, std::int64_t spatial_size) {
  if (start == expected) return {};
  const Level& level = problem.levels[l];
  std::int64_t end = 0;
  const bool overflows = __builtin_add_overflow(start, problem.level_pixels(l), &end);
  const std::string where =
      overflows ? "its end does not fit in 63 bits" : fmt::format("it would end at {}", end);
  const bool beyond = overflows || end > spatial_size;
  return fmt::format("level {} ({}x{}) starts at {} instead of {}: {}{}", l, level.height,
                     level.width, start, expected, where,
                     beyond ? fmt::format(", beyond spatial_size {}", spatial_size) : "");
}

}  // namespace

void validate(const Problem& problem, std::span<const TensorSpec> specs) {
  require_positive("batch", problem.batch);
  require_positive("queries", problem.queries);
  require_positive("heads", problem.heads);
  require_positive("channels", problem.channels);
  require_positive("points", problem.points);
  if (problem.levels.empty() || problem.level_count() > kMaxLevels) {
    throw UsageError(fmt::format("levels has {} entries: it must have 1 to {}",
                                 problem.levels.size(), kMaxLevels));
  }
  for (std::size_t l = 0; l < problem.levels.size(); ++l) {
    require_positive(fmt::format("levels[{}].height", l), problem.levels[l].height);
    require_positive(fmt::format("levels[{}].width", l), problem.levels[l].width);
  }
  validate_points(problem);
  validate(problem.references, points_by_level(problem));
  const auto has_mask = [](const TensorSpec& spec) { return spec.present == &Problem::padding; };
  if (problem.padding && std::ranges::none_of(specs, has_mask)) {
    throw UsageError("padding: this operator has no mask of padded pixels");
  }
  if (problem.padding && problem.spatial_size() > kMostPaddedPixels) {
    throw UsageError(fmt::format("padding: an image has {} pixels; masks are for {} at most",
                                 problem.spatial_size(), kMostPaddedPixels));
  }
  // What follows throws when a product leaves 63 bits, so that no later use has to.
  static_cast<void>(total_bytes(problem, specs));
  static_cast<void>(checked_product("operations", {{"batch", problem.batch},
                                                   {"queries", problem.queries},
                                                   {"heads", problem.heads},
                                                   {"channels", problem.channels},
                                                   {"levels", problem.level_count()},
                                                   {"points", problem.points},
                                                   {"each", kMostOperations}}));
}

std::int64_t total_bytes(const Problem& problem, std::span<const TensorSpec> specs) {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].role == TensorSpec::Role::kDerived || !is_asked(problem, i)) continue;
    total = checked_sum("total bytes", total, bytes_of(problem, specs[i]));
  }
  return total;
}

void validate_level_starts(const Problem& problem, const std::vector<std::int64_t>& starts,
                           std::int64_t spatial_size) {
  const std::vector<std::int64_t> expected = problem.level_starts();
  if (starts.size() != expected.size()) {
    throw UsageError(fmt::format("level_start_index has {} entries for {} levels; {}",
                                 starts.size(), expected.size(), consistent_choices(problem)));
  }
  std::vector<std::string> faults;
  for (std::size_t l = 0; l < starts.size(); ++l) {
    std::string fault = fault_of_level(problem, l, starts[l], expected[l], spatial_size);
    if (!fault.empty()) faults.push_back(std::move(fault));
  }
  if (faults.empty() && spatial_size != problem.spatial_size()) {
    faults.push_back(fmt::format("the levels have {} pixels, but spatial_size is {}",
                                 problem.spatial_size(), spatial_size));
  }
  if (!faults.empty()) {
    throw UsageError(fmt::format("level_start_index: {}; {}", fmt::join(faults, "; "),
                                 consistent_choices(problem)));
  }
}

std::string points_text(const Problem& problem) {
  return problem.level_points.empty() ? std::to_string(problem.points)
                                      : fmt::format("{}", fmt::join(problem.level_points, "+"));
}

std::string describe(const Problem& problem) {
  const Types& t = problem.types;
  const std::string types =
      t == Types::all(t.value)
          ? std::string(name_of(t.value))
          : fmt::format("value={} location={} weight={} output={}", name_of(t.value),
                        name_of(t.location), name_of(t.weight), name_of(t.output));
  return fmt::format("B={} Q={} H={} C={} L={} P={} {}{}{}", problem.batch, problem.queries,
                     problem.heads, problem.channels, problem.level_count(), points_text(problem),
                     types, problem.layout == ValueLayout::kZeroBorder ? " zero-border" : "",
                     problem.padding ? " padded" : "");
}

}  // namespace msda
