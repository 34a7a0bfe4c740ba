#include "tuning/effects_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <Eigen/Dense>

namespace msda {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// How the prior's variance is divided; they sum to 1.
struct Shares {
  double main = 0;
  double pairs = 0;
  double own = 0;  ///< a point's own, which no other point tells of
};

constexpr std::array<Shares, 9> kShares = {{{0.90, 0.08, 0.02},
                                            {0.80, 0.18, 0.02},
                                            {0.80, 0.10, 0.10},
                                            {0.60, 0.38, 0.02},
                                            {0.60, 0.30, 0.10},
                                            {0.40, 0.58, 0.02},
                                            {0.40, 0.50, 0.10},
                                            {0.40, 0.30, 0.30},
                                            {0.20, 0.40, 0.40}}};

/// Weights of the factors, which sum to 1, with the sum of their products for pairs.
struct Weights {
  explicit Weights(std::vector<double> given) : factor(std::move(given)) {
    double sum = 0;
    for (const double weight : factor) sum += weight;
    double squares = 0;
    for (double& weight : factor) {
      weight /= sum;
      squares += weight * weight;
    }
    pairs = std::max((1 - squares) / 2, 1e-9);
  }

  std::vector<double> factor;
  double pairs = 0;
};

/// Covariance of two points for a prior variance of 1.
double covariance(const Levels& a, const Levels& b, const Weights& weights, const Shares& shares) {
  double same = 0;
  double squares = 0;
  bool equal = true;
  for (std::size_t f = 0; f < weights.factor.size(); ++f) {
    if (a[f] != b[f]) {
      equal = false;
      continue;
    }
    same += weights.factor[f];
    squares += weights.factor[f] * weights.factor[f];
  }
  const double pairs = (same * same - squares) / 2 / weights.pairs;
  return shares.main * same + shares.pairs * pairs + (equal ? shares.own : 0);
}

std::vector<ModelPoint> thinned(std::vector<ModelPoint> points) {
  if (points.size() <= EffectsModel::kMostPoints) return points;
  std::stable_sort(points.begin(), points.end(),
                   [](const auto& a, const auto& b) { return a.log_time < b.log_time; });
  constexpr std::size_t kHalf = EffectsModel::kMostPoints / 2;
  std::vector<ModelPoint> kept(points.begin(), points.begin() + kHalf);
  const double step = static_cast<double>(points.size() - kHalf) / kHalf;
  for (std::size_t i = 0; i < kHalf; ++i) {
    kept.push_back(points[kHalf + static_cast<std::size_t>(static_cast<double>(i) * step)]);
  }
  return kept;
}

}  // namespace

struct EffectsModel::Impl {
  explicit Impl(std::vector<ModelPoint> given)
      : points(thinned(std::move(given))),
        weights(std::vector<double>(points.front().levels.size(), 1.0)) {
    for (const ModelPoint& point : points) mean += point.log_time;
    mean /= static_cast<double>(points.size());
    values.resize(std::ssize(points));
    for (std::ptrdiff_t i = 0; i < values.size(); ++i) {
      values[i] = points[static_cast<std::size_t>(i)].log_time - mean;
    }
    variance = std::max(values.squaredNorm() / static_cast<double>(points.size()), 1e-12);
  }

  MatrixXd covariances(const Shares& candidate) const;
  /// Solves with these shares; returns the log likelihood of the points.
  double solve(const Shares& candidate);
  void choose_shares();
  void weigh_factors();
  VectorXd covariances_with(const Levels& levels) const;

  std::vector<ModelPoint> points;
  Weights weights;
  Shares shares;
  double mean = 0;
  double variance = 0;
  VectorXd values;
  Eigen::LLT<MatrixXd> factorised;
  VectorXd coefficients;
};

MatrixXd EffectsModel::Impl::covariances(const Shares& candidate) const {
  const std::ptrdiff_t count = std::ssize(points);
  MatrixXd matrix(count, count);
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const ModelPoint& a = points[static_cast<std::size_t>(i)];
    for (std::ptrdiff_t j = 0; j <= i; ++j) {
      const ModelPoint& b = points[static_cast<std::size_t>(j)];
      matrix(i, j) = matrix(j, i) = variance * covariance(a.levels, b.levels, weights, candidate);
    }
    // A trace of noise keeps the matrix regular where a point stands twice.
    matrix(i, i) += a.noise_variance + 1e-6 * variance;
  }
  return matrix;
}

double EffectsModel::Impl::solve(const Shares& candidate) {
  shares = candidate;
  factorised.compute(covariances(candidate));
  coefficients = factorised.solve(values);
  const double log_determinant = factorised.matrixLLT().diagonal().array().log().sum();
  return -0.5 * values.dot(coefficients) - log_determinant;
}

void EffectsModel::Impl::choose_shares() {
  double best = -std::numeric_limits<double>::infinity();
  Shares chosen = kShares.front();
  for (const Shares& candidate : kShares) {
    const double likelihood = solve(candidate);
    if (likelihood > best) {
      best = likelihood;
      chosen = candidate;
    }
  }
  solve(chosen);
}

/// By how much the fit varies over the levels of each factor: one that does nothing should not
/// spread what is known of the others.
void EffectsModel::Impl::weigh_factors() {
  std::vector<double> spread(weights.factor.size());
  double sum = 0;
  for (std::size_t f = 0; f < spread.size(); ++f) {
    std::vector<std::pair<int, double>> effects;
    for (std::ptrdiff_t i = 0; i < values.size(); ++i) {
      const int level = points[static_cast<std::size_t>(i)].levels[f];
      auto found = std::find_if(effects.begin(), effects.end(),
                                [level](const auto& effect) { return effect.first == level; });
      if (found == effects.end()) found = effects.insert(found, {level, 0.0});
      found->second += coefficients[i];
    }
    for (const auto& [level, effect] : effects) spread[f] += effect * effect;
    spread[f] = std::sqrt(spread[f] / static_cast<double>(effects.size())) * weights.factor[f];
    sum += spread[f];
  }
  if (sum <= 0) return;
  // Half of the weight stays even: what looks inert in a few points may matter in others.
  const double even = 1.0 / static_cast<double>(spread.size());
  for (double& weight : spread) weight = 0.5 * even + 0.5 * weight / sum;
  weights = Weights(std::move(spread));
}

VectorXd EffectsModel::Impl::covariances_with(const Levels& levels) const {
  VectorXd with(std::ssize(points));
  for (std::ptrdiff_t i = 0; i < with.size(); ++i) {
    const ModelPoint& point = points[static_cast<std::size_t>(i)];
    with[i] = variance * covariance(point.levels, levels, weights, shares);
  }
  return with;
}

EffectsModel::EffectsModel(std::vector<ModelPoint> points)
    : impl_(std::make_unique<Impl>(std::move(points))) {
  impl_->choose_shares();
  impl_->weigh_factors();
  impl_->choose_shares();
}

EffectsModel::~EffectsModel() = default;
EffectsModel::EffectsModel(EffectsModel&&) noexcept = default;
EffectsModel& EffectsModel::operator=(EffectsModel&&) noexcept = default;

double EffectsModel::log_time(const Levels& levels) const {
  return impl_->mean + impl_->covariances_with(levels).dot(impl_->coefficients);
}

EffectsModel::Prediction EffectsModel::predict(const Levels& levels) const {
  const VectorXd with = impl_->covariances_with(levels);
  const double explained = impl_->factorised.matrixL().solve(with).squaredNorm();
  const double prior = impl_->variance * covariance(levels, levels, impl_->weights, impl_->shares);
  return {impl_->mean + with.dot(impl_->coefficients), std::sqrt(std::max(prior - explained, 0.0))};
}

}  // namespace msda
