#include "runner/tune/screen.hpp"

#include <algorithm>
#include <set>

namespace msda {
namespace {

/// How often each pair of levels of two factors has occurred.
class PairCounts {
 public:
  explicit PairCounts(const SearchSpace& space) {
    std::size_t column = 0;
    for (const SpaceFactor& factor : space.factors()) {
      first_column_.push_back(column);
      column += factor.levels.size() + 1;  // and one for a parameter that is inactive
    }
    columns_ = column;
    counts_.assign(columns_ * columns_, 0);
  }

  /// More for pairs that are rare so far.
  double worth(const Levels& levels) const {
    double sum = 0;
    for_pairs(levels, [&](std::size_t place) { sum += 1.0 / (1 + 4 * counts_[place]); });
    return sum;
  }

  void add(const Levels& levels) {
    for_pairs(levels, [&](std::size_t place) { ++counts_[place]; });
  }

 private:
  /// A factor with itself counts its level.
  template <class Visit>
  void for_pairs(const Levels& levels, const Visit& visit) const {
    for (std::size_t f = 0; f < levels.size(); ++f) {
      for (std::size_t g = f; g < levels.size(); ++g) {
        visit(column(f, levels[f]) * columns_ + column(g, levels[g]));
      }
    }
  }

  std::size_t column(std::size_t factor, int level) const {
    return first_column_[factor] + static_cast<std::size_t>(level - kInactive);
  }

  std::vector<std::size_t> first_column_;
  std::size_t columns_ = 0;
  std::vector<int> counts_;
};

}  // namespace

std::optional<std::uint64_t> draw(const Pool& pool, std::mt19937_64& random) {
  if (!pool.all.empty()) return pool.all[random() % pool.all.size()];
  constexpr int kMostDraws = 10'000;
  for (int i = 0; i < kMostDraws; ++i) {
    const std::uint64_t number = random() % pool.space.size();
    if (pool.can_run(number)) return number;
  }
  return std::nullopt;
}

std::vector<std::uint64_t> screening_points(const Pool& pool, std::size_t count,
                                            std::mt19937_64& random) {
  constexpr int kTries = 40;
  PairCounts pairs(pool.space);
  std::vector<std::uint64_t> points;
  std::set<std::uint64_t> taken;
  while (points.size() < count) {
    double best_worth = 0;
    std::optional<std::uint64_t> best;
    for (int i = 0; i < kTries; ++i) {
      const auto number = draw(pool, random);
      if (!number) return points;
      if (taken.contains(*number)) continue;
      const double worth = pairs.worth(pool.space.at(*number));
      if (worth > best_worth) {
        best_worth = worth;
        best = number;
      }
    }
    if (!best) return points;  // what is left is hardly more than what is taken
    taken.insert(*best);
    points.push_back(*best);
    pairs.add(pool.space.at(*best));
  }
  return points;
}

std::size_t screening_size(const SearchSpace& space) {
  std::size_t levels = 0;
  for (const SpaceFactor& factor : space.factors()) levels += factor.levels.size();
  return std::max<std::size_t>(2 * levels, 32);
}

}  // namespace msda
