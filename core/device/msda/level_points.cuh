// The points of a row, level after level: the same number on each level, or a number for each. A
// unit's Problem has `kPoints`, the most of a level; where levels differ also `kRowPoints`,
// points(level) and first_point(level). All of that is constant.
#pragma once

namespace msda {

/// True if levels differ in their points.
template <class Problem>
inline constexpr bool kPointsDiffer = requires {
  Problem::points(0);
};

/// Of a row, on all levels.
template <class Problem>
inline constexpr int kRowPoints = [] {
  if constexpr (kPointsDiffer<Problem>) return Problem::kRowPoints;
  if constexpr (!kPointsDiffer<Problem>) return Problem::kLevels * Problem::kPoints;
}();

template <class Problem>
constexpr int points_of(int level) {
  if constexpr (kPointsDiffer<Problem>) return Problem::points(level);
  return Problem::kPoints;
}
/// The number of a level's first point in its row.
template <class Problem>
constexpr int first_point(int level) {
  if constexpr (kPointsDiffer<Problem>) return Problem::first_point(level);
  return level * Problem::kPoints;
}
/// The level of a row's point.
template <class Problem>
constexpr int level_of(int point) {
  if constexpr (!kPointsDiffer<Problem>) return point / Problem::kPoints;
  int level = 0;
  for (int next = 1; next < Problem::kLevels; ++next) level += point >= first_point<Problem>(next);
  return level;
}

/// The largest number that divides the points of each level, so that each level's first point is a
/// multiple of it.
template <class Problem>
inline constexpr int kPointsDivisor = [] {
  int divisor = Problem::kPoints;
  for (int level = 0; level < Problem::kLevels; ++level) {
    int rest = points_of<Problem>(level);
    while (rest != 0) {
      const int next = divisor % rest;
      divisor = rest;
      rest = next;
    }
  }
  return divisor;
}();

/// Points that are loaded together begin at multiples of their number, a divisor of this: they are
/// of one level, or, where levels differ in their points, of any.
template <class Problem>
inline constexpr int kPointsTogether =
    kPointsDiffer<Problem> ? kRowPoints<Problem> : Problem::kPoints;

}  // namespace msda
