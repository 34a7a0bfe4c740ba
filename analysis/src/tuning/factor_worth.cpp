#include "tuning/landscape.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "tuning/effects_model.hpp"
#include "tuning/factor_shares.hpp"

namespace msda {
namespace {

/// Standard deviation of the log ratio of one block that the model assumes.
constexpr double kBlockDeviation = 0.03;

EffectsModel fit(const std::vector<TriedCandidate>& tried) {
  std::vector<ModelPoint> points;
  for (const TriedCandidate& candidate : tried) {
    if (!candidate.timed() || candidate.levels.empty()) continue;
    points.push_back({candidate.levels, candidate.log_time,
                      kBlockDeviation * kBlockDeviation / candidate.blocks});
  }
  return EffectsModel(std::move(points));
}

/// The least log time among candidates with a time that have the level; absent where none has.
std::optional<double> best_with(const std::vector<TriedCandidate>& tried, std::size_t factor,
                                int level, int& count) {
  std::optional<double> best;
  count = 0;
  for (const TriedCandidate& candidate : tried) {
    if (!candidate.timed() || candidate.levels.empty()) continue;
    if (candidate.levels[factor] != level) continue;
    ++count;
    best = std::min(best.value_or(candidate.log_time), candidate.log_time);
  }
  return best;
}

class Changes {
 public:
  Changes(const SearchSpace& space, const std::vector<TriedCandidate>& tried,
          const EffectsModel& model, const TriedCandidate& reference)
      : model_(model), reference_(reference) {
    for (const TriedCandidate& candidate : tried) {
      if (candidate.timed() && !candidate.levels.empty()) {
        times_.emplace(candidate.levels, candidate.log_time);
      }
    }
    neighbours_ = space.neighbours(reference.levels);
    std::erase_if(neighbours_,
                  [&](const Levels& one) { return space.broken_rule(one).has_value(); });
  }

  /// What the best way to give the reference this level costs: measured where it was tried.
  void set(std::size_t factor, int level, LevelWorth& worth) const {
    std::optional<double> measured;
    std::optional<double> predicted;
    for (const Levels& other : neighbours_) {
      if (other[factor] != level) continue;
      if (const auto time = times_.find(other); time != times_.end()) {
        measured = std::min(measured.value_or(time->second), time->second);
      } else {
        const double time_there = model_.log_time(other);
        predicted = std::min(predicted.value_or(time_there), time_there);
      }
    }
    worth.measured = measured.has_value();
    if (measured) worth.at_the_winner = std::exp(*measured - reference_.log_time);
    if (!measured && predicted) {
      worth.at_the_winner = std::exp(*predicted - model_.log_time(reference_.levels));
    }
  }

 private:
  const EffectsModel& model_;
  const TriedCandidate& reference_;
  std::map<Levels, double> times_;
  std::vector<Levels> neighbours_;
};

}  // namespace

std::vector<FactorWorth> factor_worths(const SearchSpace& space,
                                       const std::vector<TriedCandidate>& tried,
                                       const TriedCandidate& reference) {
  const EffectsModel model = fit(tried);
  const Changes changes(space, tried, model, reference);
  double best = std::numeric_limits<double>::infinity();
  for (const TriedCandidate& candidate : tried) {
    if (candidate.timed()) best = std::min(best, candidate.log_time);
  }
  std::vector<FactorWorth> factors;
  for (std::size_t f = 0; f < space.factors().size(); ++f) {
    const SpaceFactor& factor = space.factors()[f];
    FactorWorth& worth = factors.emplace_back();
    worth.factor = factor.name;
    for (int level = 0; level < static_cast<int>(factor.levels.size()); ++level) {
      LevelWorth& own = worth.levels.emplace_back();
      own.level = factor.levels[static_cast<std::size_t>(level)];
      own.of_the_winner = reference.levels[f] == level;
      const auto with = best_with(tried, f, level, own.tried);
      if (with) own.best_with_it = std::exp(*with - best);
      if (!own.of_the_winner) changes.set(f, level, own);
    }
  }
  const std::vector<FactorShares> shares =
      factor_shares(space, [&](const Levels& levels) { return model.log_time(levels); });
  for (std::size_t f = 0; f < factors.size(); ++f) factors[f].shares = shares[f];
  return factors;
}

}  // namespace msda
