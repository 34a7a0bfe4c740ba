#include "design/enumerate.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <msda/error.hpp>

namespace msda {
namespace {

/// std::shuffle may differ between standard libraries; this does not.
template <class Element>
void shuffle(std::vector<Element>& elements, std::mt19937_64& random) {
  for (std::size_t i = elements.size(); i > 1; --i) {
    std::swap(elements[i - 1], elements[random() % i]);
  }
}

}  // namespace

Levels all_on(const std::vector<Factor>& factors) {
  Levels levels;
  for (const Factor& factor : factors) levels.push_back(factor.on());
  return levels;
}

std::vector<Levels> add_one_points(const std::vector<Factor>& factors) {
  std::vector<Levels> points{Levels(factors.size(), 0)};
  for (std::size_t f = 0; f < factors.size(); ++f) {
    for (int level = 1; level <= factors[f].last(); ++level) {
      points.emplace_back(factors.size(), 0);
      points.back()[f] = level;
    }
  }
  return points;
}

std::vector<Levels> leave_one_out_points(const std::vector<Factor>& factors) {
  std::vector<Levels> points{Levels(factors.size(), 0), all_on(factors)};
  for (std::size_t f = 0; f < factors.size(); ++f) {
    points.push_back(all_on(factors));
    points.back()[f] = 0;
  }
  return points;
}

std::vector<Levels> ladder_points(const std::vector<Factor>& factors,
                                  const std::vector<std::size_t>& order) {
  std::vector<Levels> points{Levels(factors.size(), 0)};
  for (const std::size_t f : order) {
    points.push_back(points.back());
    points.back()[f] = factors[f].on();
  }
  return points;
}

std::vector<Levels> full_points(const std::vector<Factor>& factors) {
  std::vector<Levels> points{Levels(factors.size(), 0)};
  for (std::size_t f = 0; f < factors.size(); ++f) {
    const std::size_t before = points.size();
    if (before * factors[f].levels.size() > kMostCombinations) {
      throw UsageError(
          fmt::format("{} factors have more than {} combinations; use a fractional "
                      "design or fewer factors",
                      factors.size(), kMostCombinations));
    }
    for (int level = 1; level <= factors[f].last(); ++level) {
      for (std::size_t i = 0; i < before; ++i) {
        points.push_back(points[i]);
        points.back()[f] = level;
      }
    }
  }
  return points;
}

std::vector<std::vector<std::size_t>> ladder_orders(std::size_t factors, std::size_t random,
                                                    std::uint64_t seed) {
  std::vector<std::size_t> order(factors);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::vector<std::size_t>> orders{order};
  std::mt19937_64 generator(seed);
  // With few factors the orders run out; so many draws in vain mean that they have.
  constexpr int kDrawsInVain = 1000;
  for (int vain = 0; orders.size() < random + 1 && vain < kDrawsInVain;) {
    shuffle(order, generator);
    if (std::find(orders.begin(), orders.end(), order) == orders.end()) {
      orders.push_back(order);
      vain = 0;
    } else {
      ++vain;
    }
  }
  return orders;
}

std::vector<Levels> random_subset(const std::vector<Factor>& factors, std::vector<Levels> points,
                                  std::size_t count, std::uint64_t seed) {
  const Levels base(factors.size(), 0);
  const Levels all = all_on(factors);
  std::vector<std::size_t> others;
  std::vector<bool> kept(points.size(), true);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i] == base || points[i] == all) continue;
    others.push_back(i);
    kept[i] = false;
  }
  std::mt19937_64 generator(seed);
  shuffle(others, generator);
  for (std::size_t i = 0; i < std::min(count, others.size()); ++i) kept[others[i]] = true;
  std::vector<Levels> subset;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (kept[i]) subset.push_back(std::move(points[i]));
  }
  return subset;
}

}  // namespace msda
