#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ablation/families.hpp"
#include "design/enumerate.hpp"
#include "design/fraction.hpp"

namespace msda {
namespace {

using Set = Word;

std::vector<Contrast> empty_contrasts(const Cells& cells) {
  std::vector<Contrast> contrasts;
  const auto& factors = cells.design().factors;
  for (std::size_t f = 0; f < factors.size(); ++f) {
    contrasts.push_back(
        {effect_label(factors[f], factors[f].on()), {f}, Weights(cells.count(), 0.0), "", {}});
  }
  return contrasts;
}

/// Cells with every factor off or all the way on, by the set of those that are on.
std::map<Set, std::size_t> corners(const Cells& cells) {
  std::map<Set, std::size_t> sets;
  const auto& factors = cells.design().factors;
  for (const std::size_t i : cells.timed()) {
    const Levels& levels = cells.design().points[i].levels;
    Set set = 0;
    bool is_corner = true;
    for (std::size_t f = 0; f < factors.size(); ++f) {
      is_corner = is_corner && (levels[f] == 0 || levels[f] == factors[f].on());
      if (levels[f] != 0) set |= Set{1} << f;
    }
    if (is_corner) sets[set] = i;
  }
  return sets;
}

/// The orders in which factors can be added one by one through cells with a time, counted for every
/// step, so that the mean over all of them needs no enumeration. A bit more is a larger number: the
/// map's order has every set behind its subsets.
class Orders {
 public:
  Orders(std::map<Set, std::size_t> cells, std::size_t factors)
      : cells_(std::move(cells)), factors_(factors), all_((Set{1} << factors) - 1) {
    before_[0] = cells_.contains(0) ? 1 : 0;
    for (const auto& entry : cells_) {
      each_step(entry.first,
                [&](std::size_t, Set larger) { before_[larger] += before_[entry.first]; });
    }
    after_[all_] = cells_.contains(all_) ? 1 : 0;
    for (auto it = cells_.rbegin(); it != cells_.rend(); ++it) {
      each_step(it->first, [&](std::size_t, Set larger) { after_[it->first] += after_[larger]; });
    }
  }

  /// How many orders lead from the base to everything.
  double count() { return before_[all_]; }

  void add_weights(std::vector<Contrast>& contrasts) {
    for (const auto& entry : cells_) {
      each_step(entry.first, [&](std::size_t factor, Set larger) {
        const double weight = before_[entry.first] * after_[larger] / count();
        (*contrasts[factor].weights)[cells_.at(larger)] += weight;
        (*contrasts[factor].weights)[entry.second] -= weight;
      });
    }
  }

 private:
  template <class Visit>
  void each_step(Set set, const Visit& visit) const {
    for (std::size_t f = 0; f < factors_; ++f) {
      const Set larger = set | Set{1} << f;
      if (larger != set && cells_.contains(larger)) visit(f, larger);
    }
  }

  std::map<Set, std::size_t> cells_;
  std::size_t factors_;
  Set all_;
  std::map<Set, double> before_;
  std::map<Set, double> after_;
};

double factorial_of(std::size_t count) { return std::tgamma(static_cast<double>(count) + 1); }

ContrastFamily exact(const Cells& cells, Orders& orders) {
  ContrastFamily family{EffectKind::kShapley, empty_contrasts(cells), ""};
  orders.add_weights(family.contrasts);
  const double possible = factorial_of(cells.design().factors.size());
  family.remark =
      orders.count() >= possible
          ? "exact: the mean over all orders of adding the factors"
          : fmt::format(
                "the mean over the {:.0f} of {:.0f} orders in which every step was measured",
                orders.count(), possible);
  return family;
}

/// From the ladders in random orders that were measured; the error of drawing them is included.
std::optional<ContrastFamily> sampled(const Cells& cells) {
  const auto& factors = cells.design().factors;
  ContrastFamily family{EffectKind::kShapley, empty_contrasts(cells), ""};
  std::size_t complete = 0;
  for (const auto& order : cells.design().orders) {
    const std::vector<Levels> points = ladder_points(factors, order);
    if (!std::ranges::all_of(
            points, [&](const Levels& levels) { return cells.find(levels).has_value(); })) {
      continue;
    }
    ++complete;
    for (std::size_t i = 0; i < order.size(); ++i) {
      Weights weights(cells.count(), 0.0);
      weights[*cells.find(points[i + 1])] = 1;
      weights[*cells.find(points[i])] = -1;
      family.contrasts[order[i]].sampled.push_back(std::move(weights));
    }
  }
  if (complete < 2) return std::nullopt;
  for (Contrast& contrast : family.contrasts) {
    for (const Weights& draw : contrast.sampled) {
      for (std::size_t i = 0; i < draw.size(); ++i) {
        (*contrast.weights)[i] += draw[i] / static_cast<double>(complete);
      }
    }
  }
  family.remark = fmt::format(
      "the mean over {} orders; intervals hold the error of measuring and of drawing them",
      complete);
  return family;
}

/// In a model of main effects and two-factor interactions, half of each interaction goes to either
/// factor, which is what the main effects of two-level factors hold already.
std::optional<ContrastFamily> from_model(const Cells& cells,
                                         const std::vector<ContrastFamily>& factorial) {
  const auto& factors = cells.design().factors;
  const bool two_levels =
      std::ranges::all_of(factors, [](const Factor& factor) { return factor.last() == 1; });
  if (factorial.empty() || !two_levels) return std::nullopt;
  const ContrastFamily& main = factorial.front();
  const bool complete =
      std::ranges::all_of(main.contrasts, [](const Contrast& c) { return c.weights.has_value(); });
  if (!complete) return std::nullopt;
  ContrastFamily family = main;
  family.kind = EffectKind::kShapley;
  family.remark = "from the fitted model, where they are the main effects";
  return family;
}

}  // namespace

std::vector<ContrastFamily> shapley(const Cells& cells,
                                    const std::vector<ContrastFamily>& factorial) {
  const std::size_t count = cells.design().factors.size();
  constexpr std::size_t kMostFactors = 20;
  if (count < 2) return {};
  const bool all_asked = cells.design().has(DesignKind::kFull) && count <= kMostFactors;
  if (all_asked) {
    Orders orders(corners(cells), count);
    if (orders.count() > 0) return {exact(cells, orders)};
  }
  if (auto family = sampled(cells)) return {std::move(*family)};
  if (auto family = from_model(cells, factorial)) return {std::move(*family)};
  return {};
}

}  // namespace msda
