// What an output is judged by: the exact numbers, and what each row owes to everything that a
// kernel may round on the way there.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <vector>

#include <msda/operator.hpp>

#include "files/bytes.hpp"

namespace msda {

/// How the elements of an output lie in rows.
struct RowShape {
  DType type = kWidest;       ///< as the output is stored
  std::int64_t elements = 1;  ///< of one row
  std::int64_t groups = 1;    ///< row r is of group r % groups: its head, as a rule
};
RowShape rows_of(const Problem& problem, const TensorSpec& output);

/// How far one row of an output moves when its ingredients do: mean squares over its elements.
/// Times the square of an error, relative or absolute, each is the mean square of what that error
/// does to the row, as long as the errors of different points are independent. Points of a row at
/// one and the same place are taken as one, because a kernel rounds them alike.
struct RowSensitivity {
  double output = 0;       ///< the row itself, squared
  double terms = 0;        ///< sum over its terms of (weight * value)^2
  double values = 0;       ///< sum over the same terms of value^2
  double ranges = 0;       ///< sum of (weight * largest magnitude of the image, head and level)^2
  double fractions = 0;    ///< sum over points and axes of (weight * gradient)^2
  double coordinates = 0;  ///< the same times the square of the power of two below the coordinate
  double normalized = 0;   ///< the same times the square of half the level's size
  /// Mean over its sums of the square of what they are multiplied by, where that is more than one.
  double scale = 0;
};

/// The derivative of some rows with respect to a shift of all points of one level along one axis,
/// in output per pixel. A point close to where the derivative jumps is left out.
struct ShiftDirection {
  std::size_t level = 0;
  bool along_x = true;
  std::vector<float> derivative;  ///< [rows, elements]; rows as in Truth::sampled_rows
};

/// What meets in a row of an output that is a sum.
struct Meeting {
  double additions = 0;  ///< contributions, each of a whole row
  /// The sum over them of the sum so far, squared: mean over the elements, in the order of queries.
  double partial_sums = 0;
  /// By DType of the sum: contributions that are smaller than half a unit in the last place of the
  /// sum so far, added up. All of them may be lost, which is no error that averages out.
  std::array<double, std::size(kDTypes)> lost{};
};

/// An element with two right results: the derivative at a point jumps at pixels' centres, and
/// rounding may carry the point across the one beside it. A sum over points has a knot for each
/// such point; of several any part of the jumps may be there.
struct Knot {
  std::int64_t element = 0;
  double other = 0;  ///< right on the other side
  /// How far away the knot is, over the power of two below the coordinate: what a rounding has to
  /// be at least. A coordinate that is exactly on a knot is so in float32 too, where it counts as
  /// kOnKnot away: to the right and below, as floor() says.
  double reach = 0;
  double normalized_reach = 0;  ///< the distance over half the level's size
};
inline constexpr double kOnKnot = 0x1p-20;

/// Of one output of an operator.
struct Truth {
  RowShape shape;
  std::vector<double> output;        ///< all elements
  std::vector<RowSensitivity> rows;  ///< of each row
  /// [groups]: the mean square of a group's strongest element of a row over that of all of them.
  std::vector<double> unevenness;
  /// How many numbers are added up for an element.
  double additions = 1;
  std::vector<Meeting> meetings;  ///< of each row of an accumulated output, in place of `additions`
  std::vector<Knot> knots;        ///< in the order of elements
  /// How many points, at most a few thousand, lie at places of their own: rounding errors average
  /// out over as many.
  double independent_points = 1;
  /// Where all rows might err in one direction; empty for an operator without such directions.
  std::vector<std::int64_t> sampled_rows;
  std::vector<ShiftDirection> shifts;

  Truth() = default;
  /// An output that only its own type rounds, until sensitivities are added to its rows.
  Truth(const RowShape& shape, std::vector<double> output);
};

/// Truth::independent_points of a tensor of locations, pairs of x and y.
double count_places(DType type, const Bytes& locations);

}  // namespace msda
