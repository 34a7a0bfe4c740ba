#include "tuning/factor_shares.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <unordered_map>

namespace msda {
namespace {

constexpr std::size_t kDrawn = 2000;  ///< points that shares are estimated from
/// Of these, where they are a sample, those around which everything but a factor is held fixed: a
/// model takes its time for the many others that are looked at there.
constexpr std::size_t kHeldFixed = 400;
constexpr std::uint64_t kMostTries = 40000;  ///< to find so many that the rules allow
/// A variance of log time below this is what is left of rounding.
constexpr double kNoVariance = 1e-12;

/// Points that the rules allow: all where they are few, else drawn evenly.
struct Sample {
  std::vector<Levels> points;
  std::size_t held_fixed = 0;  ///< how many of the first to look around
};

Sample sample_of(const SearchSpace& space) {
  std::vector<Levels> points;
  const auto add = [&](std::uint64_t number) {
    Levels levels = space.at(number);
    if (!space.broken_rule(levels)) points.push_back(std::move(levels));
  };
  if (space.size() <= kMostTries) {
    for (std::uint64_t number = 0; number < space.size(); ++number) add(number);
    if (points.size() <= kDrawn) return {points, points.size()};
    points.clear();
  }
  std::mt19937_64 random(1);
  for (std::uint64_t i = 0; i < kMostTries && points.size() < kDrawn; ++i) {
    add(random() % space.size());
  }
  return {points, kHeldFixed};
}

/// Whether all alternatives of its decision have the parameter with the same values.
bool is_shared_by_all(const SpaceFactor& parameter) {
  return std::ranges::all_of(parameter.allowed, [&](const auto& values) {
    return !values.empty() && values == parameter.allowed.front();
  });
}

/// Gives each of the points every one of these values of the factor.
void give(std::size_t factor, const std::vector<int>& values, std::vector<Levels>& points) {
  std::vector<Levels> given;
  for (const Levels& point : points) {
    for (const int value : values) {
      given.push_back(point);
      given.back()[factor] = value;
    }
  }
  points = std::move(given);
}

/// The points that have everything in common with one but the factor, that one among them. These
/// sets part the space, so that the variances within them and between them add up to the whole.
std::vector<Levels> all_else_fixed(const SearchSpace& space, const Levels& point,
                                   std::size_t factor) {
  const std::vector<SpaceFactor>& factors = space.factors();
  const SpaceFactor& own = factors[factor];
  std::vector<Levels> found;
  if (own.parent) {
    found.push_back(point);
    give(factor, own.allowed.at(static_cast<std::size_t>(point[*own.parent])), found);
  } else {
    for (std::size_t alternative = 0; alternative < own.levels.size(); ++alternative) {
      std::vector<Levels> with{point};
      give(factor, {static_cast<int>(alternative)}, with);
      for (std::size_t p = 0; p < factors.size(); ++p) {
        if (factors[p].parent != factor || is_shared_by_all(factors[p])) continue;
        const std::vector<int>& values = factors[p].allowed.at(alternative);
        give(p, values.empty() ? std::vector<int>{kInactive} : values, with);
      }
      found.insert(found.end(), with.begin(), with.end());
    }
  }
  std::erase_if(found, [&](const Levels& one) { return space.broken_rule(one).has_value(); });
  return found;
}

/// Values by level of a factor.
class ByLevel {
 public:
  void add(int level, double value) {
    Sums& sums = levels_[level];
    sums.sum += value;
    ++sums.count;
    sum_ += value;
    squares_ += value * value;
    ++count_;
  }

  double count() const { return count_; }
  double mean() const { return sum_ / count_; }
  double variance() const { return std::max(squares_ / count_ - mean() * mean(), 0.0); }
  /// Of the levels' means, each as often as it was added.
  double variance_of_levels() const {
    double sum = 0;
    for (const auto& [level, sums] : levels_) {
      const double deviation = sums.sum / sums.count - mean();
      sum += deviation * deviation * sums.count;
    }
    return sum / count_;
  }

 private:
  struct Sums {
    double sum = 0;
    double count = 0;
  };
  std::map<int, Sums> levels_;
  double sum_ = 0;
  double squares_ = 0;
  double count_ = 0;
};

/// A model's values, each asked for once.
class Values {
 public:
  Values(const SearchSpace& space, const std::function<double(const Levels&)>& value)
      : space_(space), value_(value) {}

  double at(const Levels& levels) {
    const auto [found, is_new] = known_.try_emplace(space_.number_of(levels), 0.0);
    if (is_new) found->second = value_(levels);
    return found->second;
  }

 private:
  const SearchSpace& space_;
  const std::function<double(const Levels&)>& value_;
  std::unordered_map<std::uint64_t, double> known_;
};

FactorShares shares_of(const SearchSpace& space, std::size_t factor, const Sample& sample,
                       double variance_of_all, Values& values) {
  ByLevel there;      // of the points where the factor exists
  ByLevel means;      // of the sets with all else fixed
  double within = 0;  // of levels within those sets
  double rest = 0;    // of what the mean is taken over
  for (const Levels& point : sample.points) {
    if (point[factor] == kInactive) continue;
    there.add(point[factor], values.at(point));
    if (means.count() >= static_cast<double>(sample.held_fixed)) continue;
    ByLevel set;
    for (const Levels& one : all_else_fixed(space, point, factor)) {
      set.add(one[factor], values.at(one));
    }
    means.add(0, set.mean());
    within += set.variance_of_levels();
    rest += std::max(set.variance() - set.variance_of_levels(), 0.0);
  }
  FactorShares shares;
  shares.everywhere = there.count() == static_cast<double>(sample.points.size());
  if (there.count() == 0 || there.variance() <= kNoVariance) return shares;
  within /= means.count();
  // Not the variance of the sampled points: only with that of the sets is the share at most 1.
  const double whole = within + rest / means.count() + means.variance();
  shares.own = there.variance_of_levels() / there.variance();
  shares.total = whole > kNoVariance ? within / whole : 0;
  const double part = there.count() / static_cast<double>(sample.points.size());
  shares.total_of_all = std::min(shares.total * part * there.variance() / variance_of_all, 1.0);
  return shares;
}

}  // namespace

std::vector<FactorShares> factor_shares(const SearchSpace& space,
                                        const std::function<double(const Levels&)>& value) {
  std::vector<FactorShares> shares(space.factors().size());
  const Sample sample = sample_of(space);
  Values values(space, value);
  ByLevel all;
  for (const Levels& point : sample.points) all.add(0, values.at(point));
  if (sample.points.empty() || all.variance() <= kNoVariance) return shares;
  for (std::size_t f = 0; f < shares.size(); ++f) {
    shares[f] = shares_of(space, f, sample, all.variance(), values);
  }
  return shares;
}

}  // namespace msda
