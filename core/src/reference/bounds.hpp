// How far from the truth a right result may be, derived from what the arithmetic rounds.
//
// Every rounding is an error between plus and minus half a unit in the last place, whose variance
// is a third of its square; errors of different operations are independent (Higham & Mary, SIAM J.
// Sci. Comput. 41(5), 2019). What each does to a row is its sensitivity (truth.hpp). A sum of n
// numbers is rounded n times, on partial sums that are about as large as the sum and its terms, or
// as those that the truth has seen.
#pragma once

#include <cstdint>

#include <msda/arithmetic.hpp>

#include "reference/truth.hpp"

namespace msda {

/// Of one element's error, whose output is `output`. A row's mean says little of an element that
/// one strong value makes nearly alone: that is rounded as a number of its own size.
struct ElementBound {
  double row_squared;  ///< what the row allows each of its elements
  double per_output_squared;

  double squared(double output) const { return row_squared + per_output_squared * output * output; }
};

class Bounds {
 public:
  /// `truth` must outlive the object.
  Bounds(const Arithmetic& arithmetic, const Truth& truth);

  /// Of the whole output's relative L2 error: the expected one times 3/2, and more where there are
  /// few points to average over.
  double relative_l2() const { return relative_l2_; }
  /// Of the L2 norm of a row's error: eight times what is expected. Of as many rows as there are,
  /// each of independent errors, none comes as far by chance.
  /// `beyond_knots` is by how much the squares of its right results grow, in sum, where knots are
  /// crossed: the output's type rounds those.
  double row(std::int64_t row, double beyond_knots = 0) const;
  /// Of one element's error in a row: eight standard deviations. Some channels are stronger than
  /// others, and so are errors.
  ElementBound element(std::int64_t row) const;
  /// The expected mean square of a row's errors.
  double mean_square(std::int64_t row) const;
  /// The knots of the truth, and whether the arithmetic may have the result on their other side.
  const std::vector<Knot>& knots() const { return truth_.knots; }
  bool crosses(const Knot& knot) const {
    return knot.reach <= reach_ || knot.normalized_reach < normalized_reach_;
  }

 private:
  /// How many additions are rounded for an element of a row.
  double additions(std::int64_t row) const;
  /// What they do to the row.
  double partial_sums(std::int64_t row) const;

  const Truth& truth_;
  Rounding sums_;
  double reach_;
  double normalized_reach_;
  // Each times the sensitivity of its name.
  double coordinates_;
  double normalized_;
  double fractions_;
  double terms_;
  double values_;
  double ranges_;
  double stored_;
  double absolute_;
  double relative_l2_ = 0;
};

/// The relative L2 error that users of the problem's types put up with: fp32 1e-5, fp16 1e-3, bf16
/// 8e-3 (the coarsest of value, weight and output decides). For choosing among arms that are right;
/// who is right is another question.
double acceptable_error(const Problem& problem);

}  // namespace msda
