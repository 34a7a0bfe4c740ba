// A model of how log time depends on the levels of factors: main effects, interactions of two, and
// what is a point's own. It is a linear model with a Gaussian prior for each kind of coefficient
// (Rasmussen & Williams, Gaussian Processes for Machine Learning, ch. 2), so that a few hundred
// points say something about many thousand, and how sure it is.
#pragma once

#include <memory>
#include <vector>

#include "design/design.hpp"

namespace msda {

/// A point that was measured.
struct ModelPoint {
  Levels levels;
  double log_time = 0;
  double noise_variance = 0;  ///< of log_time
};

class EffectsModel {
 public:
  /// Points in a fit; of more, the fastest half of so many and a spread of the others are taken.
  static constexpr std::size_t kMostPoints = 800;

  /// How much of the variance of log time the prior gives to effects of one kind, and how much each
  /// factor takes part; chosen by the likelihood of the points. Needs one point.
  explicit EffectsModel(std::vector<ModelPoint> points);
  ~EffectsModel();
  EffectsModel(EffectsModel&&) noexcept;
  EffectsModel& operator=(EffectsModel&&) noexcept;

  struct Prediction {
    double log_time = 0;
    double deviation = 0;  ///< standard deviation, measurement noise not counted
  };
  /// kInactive is a level like others.
  Prediction predict(const Levels& levels) const;
  /// The first of the two alone, which is faster.
  double log_time(const Levels& levels) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace msda
