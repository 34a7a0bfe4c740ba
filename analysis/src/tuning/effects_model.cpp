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
    const double products = (1 - squares) / 2;
    pairs = std::max(products, 1e-9);
    all_pairs = products / pairs;
  }

  std::vector<double> factor;
  double pairs = 0;
  double all_pairs = 0;  ///< of a point and itself: 1, or 0 of a single factor
};

/// What a point has in common with each of several others, whatever the shares are.
struct Common {
  VectorXd same;   ///< weight of the factors on the same level
  VectorXd pairs;  ///< weight of the pairs of them
  VectorXd equal;  ///< 1 for the point itself, 0 for others

  /// Covariances for a prior variance of 1.
  VectorXd covariances(const Shares& shares) const {
    return shares.main * same + shares.pairs * pairs + shares.own * equal;
  }
};

std::vector<ModelPoint> thinned(std::vector<ModelPoint> points) {
  if (points.size() <= EffectsModel::kMostPoints) return points;
  std::ranges::stable_sort(points,
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
    levels.resize(values.size(), std::ssize(weights.factor));
    for (std::ptrdiff_t i = 0; i < levels.rows(); ++i) {
      const Levels& of_point = points[static_cast<std::size_t>(i)].levels;
      for (std::ptrdiff_t f = 0; f < levels.cols(); ++f)
        levels(i, f) = of_point[static_cast<std::size_t>(f)];
    }
    variance = std::max(values.squaredNorm() / static_cast<double>(points.size()), 1e-12);
  }

  Common common_with(const Levels& other) const;
  MatrixXd covariances(const std::vector<Common>& common, const Shares& candidate) const;
  /// Solves with these shares; returns the log likelihood of the points.
  double solve(const std::vector<Common>& common, const Shares& candidate);
  void choose_shares();
  void weigh_factors();
  VectorXd covariances_with(const Levels& other) const;

  std::vector<ModelPoint> points;
  Eigen::MatrixXi levels;  ///< by point and factor: a factor's lie together
  Weights weights;
  Shares shares;
  double mean = 0;
  double variance = 0;
  VectorXd values;
  Eigen::LLT<MatrixXd> factorised;
  VectorXd coefficients;
};

Common EffectsModel::Impl::common_with(const Levels& other) const {
  const std::ptrdiff_t count = levels.rows();
  Common common{VectorXd::Zero(count), {}, VectorXd::Ones(count)};
  VectorXd squares = VectorXd::Zero(count);
  for (std::ptrdiff_t f = 0; f < levels.cols(); ++f) {
    const double weight = weights.factor[static_cast<std::size_t>(f)];
    const int level = other[static_cast<std::size_t>(f)];
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      const double is_same = levels(i, f) == level ? 1 : 0;
      common.same[i] += is_same * weight;
      squares[i] += is_same * (weight * weight);
      common.equal[i] *= is_same;
    }
  }
  common.pairs = (common.same.cwiseAbs2() - squares) / 2 / weights.pairs;
  return common;
}

MatrixXd EffectsModel::Impl::covariances(const std::vector<Common>& common,
                                         const Shares& candidate) const {
  const std::ptrdiff_t count = std::ssize(points);
  MatrixXd matrix(count, count);
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const auto n = static_cast<std::size_t>(i);
    matrix.col(i) = variance * common[n].covariances(candidate);
    // A trace of noise keeps the matrix regular where a point stands twice.
    matrix(i, i) += points[n].noise_variance + 1e-6 * variance;
  }
  return matrix;
}

double EffectsModel::Impl::solve(const std::vector<Common>& common, const Shares& candidate) {
  shares = candidate;
  factorised.compute(covariances(common, candidate));
  coefficients = factorised.solve(values);
  const double log_determinant = factorised.matrixLLT().diagonal().array().log().sum();
  return -0.5 * values.dot(coefficients) - log_determinant;
}

void EffectsModel::Impl::choose_shares() {
  std::vector<Common> common;
  common.reserve(points.size());
  for (const ModelPoint& point : points) common.push_back(common_with(point.levels));
  double best = -std::numeric_limits<double>::infinity();
  Shares chosen = kShares.front();
  for (const Shares& candidate : kShares) {
    const double likelihood = solve(common, candidate);
    if (likelihood > best) {
      best = likelihood;
      chosen = candidate;
    }
  }
  solve(common, chosen);
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
      auto found = std::ranges::find_if(
          effects, [level](const auto& effect) { return effect.first == level; });
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

VectorXd EffectsModel::Impl::covariances_with(const Levels& other) const {
  return variance * common_with(other).covariances(shares);
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
  const Shares& shares = impl_->shares;
  const double prior =
      impl_->variance * (shares.main + shares.pairs * impl_->weights.all_pairs + shares.own);
  return {impl_->mean + with.dot(impl_->coefficients), std::sqrt(std::max(prior - explained, 0.0))};
}

}  // namespace msda
