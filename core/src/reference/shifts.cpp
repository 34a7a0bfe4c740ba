#include "reference/shifts.hpp"

#include <algorithm>
#include <cmath>

#include "input/elements.hpp"

namespace msda {
namespace {

constexpr double kLeastShift = 1.0 / 200;  ///< in pixels
constexpr double kStandardErrors = 6;

/// What a row adds to the least squares of the errors on one direction.
struct OfRow {
  double along = 0;     ///< error times derivative
  double squared = 0;   ///< derivative, squared
  double expected = 0;  ///< the mean square of `along` that rounding explains, at most
};

std::vector<OfRow> rows_along(const Bytes& output, const Truth& truth, const Bounds& bounds,
                              const ShiftDirection& direction) {
  const auto channels = static_cast<std::size_t>(truth.shape.elements);
  std::vector<float> elements(channels);
  std::vector<OfRow> rows(truth.sampled_rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int64_t row = truth.sampled_rows[i];
    load_floats(truth.shape.type, output.data(), row * truth.shape.elements, elements);
    for (std::size_t c = 0; c < channels; ++c) {
      const auto derivative = static_cast<double>(direction.derivative[i * channels + c]);
      const double right = truth.output[static_cast<std::size_t>(row) * channels + c];
      rows[i].along += (static_cast<double>(elements[c]) - right) * derivative;
      rows[i].squared += derivative * derivative;
    }
    // The channels of a row share their points' errors: at worst they are one error.
    rows[i].expected =
        rows[i].squared * static_cast<double>(truth.shape.elements) * bounds.mean_square(row);
  }
  return rows;
}

/// Least squares, with the standard error that the rows show (White, Econometrica 48(4), 1980), or,
/// where few are independent, the one that rounding explains.
Shift estimate(const std::vector<OfRow>& rows, double independent_points) {
  constexpr double kEnough = 100;
  const auto count = static_cast<double>(rows.size());
  const bool few = std::min(count, independent_points) < kEnough;
  Shift shift;
  double along = 0;
  double squared = 0;
  for (const OfRow& row : rows) {
    along += row.along;
    squared += row.squared;
  }
  if (!(squared > 0)) return shift;
  shift.pixels = along / squared;
  double variance = 0;
  for (const OfRow& row : rows) {
    const double residual = row.along - shift.pixels * row.squared;
    variance += few ? row.expected : residual * residual;
  }
  // Rows whose points lie at the same places have the same errors, and are as one.
  variance *= std::max(1.0, count / independent_points);
  shift.limit = kLeastShift + kStandardErrors * std::sqrt(variance) / squared;
  return shift;
}

}  // namespace

std::optional<Shift> find_shift(const Bytes& output, const Truth& truth, const Bounds& bounds) {
  std::optional<Shift> worst;
  for (const ShiftDirection& direction : truth.shifts) {
    Shift shift = estimate(rows_along(output, truth, bounds, direction), truth.independent_points);
    shift.level = direction.level;
    shift.along_x = direction.along_x;
    const double excess = std::abs(shift.pixels) / shift.limit;
    if (excess > 1 && (!worst || excess > std::abs(worst->pixels) / worst->limit)) worst = shift;
  }
  return worst;
}

}  // namespace msda
