#include "reference/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <msda/error.hpp>

#include "input/elements.hpp"
#include "parallel.hpp"

namespace msda {
namespace {

/// What a range of rows adds to a Comparison.
struct Share {
  double squared_error = 0;
  double squared_reference = 0;
  double maximum = -1;  ///< largest absolute difference of finite elements; -1 without any
  std::int64_t worst_index = 0;
  std::int64_t not_written = 0;
  std::int64_t infinite = 0;
  std::int64_t first_non_finite = std::numeric_limits<std::int64_t>::max();
  double row_excess = 0;
  std::int64_t worst_row = 0;
  double element_excess = 0;
  std::int64_t worst_element = 0;
  std::int64_t on_knots = 0;
};

/// The knots of a range of elements, asked for in rising order.
class KnotsOfRange {
 public:
  KnotsOfRange(const Bounds* bounds, std::int64_t first) {
    if (bounds == nullptr) return;
    bounds_ = bounds;
    const std::vector<Knot>& all = bounds->knots();
    rest_ = std::span(std::ranges::lower_bound(all, first, {}, &Knot::element), all.end());
  }

  /// The right result of an element that is nearest to `out`; `right` without a knot that rounding
  /// may have carried it across.
  double nearest(std::int64_t element, double right, double out) {
    while (!rest_.empty() && rest_.front().element < element) rest_ = rest_.subspan(1);
    double lowest = right;
    double highest = right;
    crossed_ = 0;
    for (; !rest_.empty() && rest_.front().element == element; rest_ = rest_.subspan(1)) {
      if (!bounds_->crosses(rest_.front())) continue;
      const double jump = rest_.front().other - right;
      (jump < 0 ? lowest : highest) += jump;
      ++crossed_;
    }
    if (crossed_ == 0) return right;
    if (crossed_ > 1) return std::isnan(out) ? right : std::clamp(out, lowest, highest);
    const double other = lowest + highest - right;
    return std::abs(out - other) < std::abs(out - right) ? other : right;
  }
  /// Whether the element asked for last has such a knot.
  bool crossed() const { return crossed_ > 0; }

 private:
  std::span<const Knot> rest_;
  const Bounds* bounds_ = nullptr;
  int crossed_ = 0;
};

/// The error of a row as a whole, and of its element that is furthest from its bound.
struct RowError {
  ElementBound bound{};
  double squared = 0;
  double element_excess_squared = 0;
  std::int64_t worst_index = 0;
};

/// An error over its bound. No error is within any bound, also one of zero.
double excess(double error, double bound) { return error == 0 ? 0 : error / bound; }

void add_element(double out, double reference, std::int64_t index, Share& part, RowError& row) {
  if (std::isnan(reference)) {  // as a softmax of nothing but minus infinity is
    if (!std::isnan(out)) part.first_non_finite = std::min(part.first_non_finite, index);
    return;
  }
  part.squared_reference += reference * reference;
  const double difference = std::abs(out - reference);
  if (!std::isfinite(difference)) {
    if (std::isnan(out) && std::isfinite(reference)) ++part.not_written;
    if (std::isinf(out)) ++part.infinite;
    part.first_non_finite = std::min(part.first_non_finite, index);
    return;
  }
  const double squared = difference * difference;
  row.squared += squared;
  const double of_element = excess(squared, row.bound.squared(reference));
  if (!(of_element <= row.element_excess_squared)) {
    row.element_excess_squared = of_element;
    row.worst_index = index;
  }
  if (difference > part.maximum) {
    part.maximum = difference;
    part.worst_index = index;
  }
}

void add_row(const RowError& error, std::int64_t row, double bound, Share& part) {
  part.squared_error += error.squared;
  if (bound < 0) return;  // there is none
  const double of_row = excess(std::sqrt(error.squared), bound);
  const double of_element = std::sqrt(error.element_excess_squared);
  // Written so that what is no number counts as too large.
  if (!(of_row <= part.row_excess)) {
    part.row_excess = of_row;
    part.worst_row = row;
  }
  if (!(of_element <= part.element_excess)) {
    part.element_excess = of_element;
    part.worst_element = error.worst_index;
  }
}

Share compare_rows(const RowShape& shape, const Bytes& output, std::span<const double> reference,
                   const Bounds* bounds, std::int64_t first_row, std::int64_t begin,
                   std::int64_t end) {
  std::vector<float> elements(static_cast<std::size_t>(shape.elements));
  Share part;
  KnotsOfRange knots(bounds, (first_row + begin) * shape.elements);
  for (std::int64_t row = begin; row < end; ++row) {
    std::int64_t index = row * shape.elements;
    load_floats(shape.type, output.data(), index, elements);
    RowError error;
    double beyond_knots = 0;
    if (bounds != nullptr) error.bound = bounds->element(first_row + row);
    for (const float x : elements) {
      const auto out = static_cast<double>(x);
      const double known = reference[static_cast<std::size_t>(index)];
      const double right = knots.nearest(first_row * shape.elements + index, known, out);
      if (knots.crossed()) {
        ++part.on_knots;
        beyond_knots += std::max(0.0, right * right - known * known);
      }
      add_element(out, right, index++, part, error);
    }
    add_row(error, row, bounds == nullptr ? -1 : bounds->row(first_row + row, beyond_knots), part);
  }
  return part;
}

/// Adds a later range; the earlier one wins ties, so the result is the sequential one.
void merge(const Share& later, Share& sum) {
  sum.squared_error += later.squared_error;
  sum.squared_reference += later.squared_reference;
  sum.not_written += later.not_written;
  sum.infinite += later.infinite;
  sum.on_knots += later.on_knots;
  sum.first_non_finite = std::min(sum.first_non_finite, later.first_non_finite);
  if (later.maximum > sum.maximum) {
    sum.maximum = later.maximum;
    sum.worst_index = later.worst_index;
  }
  if (!(later.row_excess <= sum.row_excess)) {
    sum.row_excess = later.row_excess;
    sum.worst_row = later.worst_row;
  }
  if (!(later.element_excess <= sum.element_excess)) {
    sum.element_excess = later.element_excess;
    sum.worst_element = later.worst_element;
  }
}

double relative_l2(const Share& sum) {
  if (sum.first_non_finite != std::numeric_limits<std::int64_t>::max()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (sum.squared_error == 0) return 0;
  return std::sqrt(sum.squared_error / sum.squared_reference);  // infinite for a zero reference
}

}  // namespace

Comparison compare(const RowShape& shape, const Bytes& output, std::span<const double> reference,
                   const Bounds* bounds, unsigned threads, std::int64_t first_row) {
  const auto count = static_cast<std::int64_t>(reference.size());
  if (output.size() != reference.size() * size_of(shape.type) || count % shape.elements != 0) {
    throw Error(fmt::format(
        "cannot compare {} bytes of {} output, in rows of {}, with {} reference elements",
        output.size(), name_of(shape.type), shape.elements, count));
  }
  const std::int64_t rows = count / shape.elements;
  const std::int64_t grain = std::max<std::int64_t>(1, (1 << 15) / shape.elements);
  std::vector<Share> parts(static_cast<std::size_t>((rows + grain - 1) / grain));
  parallel_for(rows, grain, threads, [&](std::int64_t begin, std::int64_t end) {
    parts[static_cast<std::size_t>(begin / grain)] =
        compare_rows(shape, output, reference, bounds, first_row, begin, end);
  });
  Share sum;
  for (const Share& part : parts) merge(part, sum);
  const bool finite = sum.first_non_finite == std::numeric_limits<std::int64_t>::max();
  Comparison comparison;
  comparison.relative_l2 = relative_l2(sum);
  comparison.maximum_absolute = std::max(sum.maximum, 0.0);
  comparison.not_written = sum.not_written;
  comparison.infinite = sum.infinite;
  comparison.on_knots = sum.on_knots;
  comparison.worst_index = finite ? sum.worst_index : sum.first_non_finite;
  comparison.row_excess = sum.row_excess;
  comparison.worst_row = sum.worst_row;
  comparison.element_excess = sum.element_excess;
  comparison.worst_element = finite ? sum.worst_element : sum.first_non_finite;
  return comparison;
}

Comparison compare_with_other(const Truth& truth, const Bytes& output,
                              std::span<const float> other) {
  std::vector<double> wanted(other.begin(), other.end());
  for (const Knot& knot : truth.knots) {
    if (knot.reach > kOnKnot) continue;
    wanted[static_cast<std::size_t>(knot.element)] =
        load_element(truth.shape.type, output.data(), knot.element);
  }
  return compare(truth.shape, output, wanted);
}

}  // namespace msda
