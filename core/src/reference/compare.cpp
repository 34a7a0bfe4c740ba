#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <msda/error.hpp>

#include "input/elements.hpp"
#include "parallel.hpp"
#include "problem/validate.hpp"
#include "reference/reference.hpp"

namespace msda {
namespace {

/// What one range of elements adds to a Comparison.
struct Part {
  double squared_error = 0;
  double squared_reference = 0;
  double maximum = -1;  ///< largest absolute difference of finite elements; -1 without any
  std::int64_t worst_index = 0;
  std::int64_t not_written = 0;
  std::int64_t first_non_finite = std::numeric_limits<std::int64_t>::max();
};

void add_element(double out, double reference, std::int64_t index, Part& part) {
  part.squared_reference += reference * reference;
  const double difference = std::abs(out - reference);
  if (!std::isfinite(difference)) {
    if (std::isnan(out) && std::isfinite(reference)) ++part.not_written;
    part.first_non_finite = std::min(part.first_non_finite, index);
    return;
  }
  part.squared_error += difference * difference;
  if (difference > part.maximum) {
    part.maximum = difference;
    part.worst_index = index;
  }
}

Part compare_range(DType type, const Bytes& output, const std::vector<double>& reference,
                   std::int64_t begin, std::int64_t end) {
  constexpr std::int64_t kChunk = 1024;
  std::array<float, kChunk> buffer{};
  Part part;
  for (std::int64_t first = begin; first < end; first += kChunk) {
    const std::span<float> chunk(buffer.data(),
                                 static_cast<std::size_t>(std::min(kChunk, end - first)));
    load_floats(type, output.data(), first, chunk);
    std::int64_t index = first;
    for (const float x : chunk) {
      add_element(static_cast<double>(x), reference[static_cast<std::size_t>(index)], index, part);
      ++index;
    }
  }
  return part;
}

/// Adds a later range; the earlier one wins ties, so the result is the sequential one.
void merge(const Part& later, Part& sum) {
  sum.squared_error += later.squared_error;
  sum.squared_reference += later.squared_reference;
  sum.not_written += later.not_written;
  sum.first_non_finite = std::min(sum.first_non_finite, later.first_non_finite);
  if (later.maximum > sum.maximum) {
    sum.maximum = later.maximum;
    sum.worst_index = later.worst_index;
  }
}

double relative_l2(const Part& sum) {
  if (sum.first_non_finite != std::numeric_limits<std::int64_t>::max()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (sum.squared_error == 0) return 0;
  return std::sqrt(sum.squared_error / sum.squared_reference);  // infinite for a zero reference
}

}  // namespace

Comparison compare(const Problem& problem, const Bytes& output,
                   const std::vector<double>& reference, unsigned threads) {
  constexpr std::int64_t kGrain = 1 << 15;
  const auto count = static_cast<std::int64_t>(reference.size());
  const DType type = problem.types.output;
  if (output.size() != reference.size() * size_of(type) || count != problem.output_elements()) {
    throw Error(fmt::format("cannot compare {} bytes of {} output with {} reference elements: {}",
                            output.size(), name_of(type), count, describe(problem)));
  }
  std::vector<Part> parts(static_cast<std::size_t>((count + kGrain - 1) / kGrain));
  parallel_for(count, kGrain, threads, [&](std::int64_t begin, std::int64_t end) {
    parts[static_cast<std::size_t>(begin / kGrain)] =
        compare_range(type, output, reference, begin, end);
  });
  Part sum;
  for (const Part& part : parts) merge(part, sum);
  const bool finite = sum.first_non_finite == std::numeric_limits<std::int64_t>::max();
  return {relative_l2(sum), std::max(sum.maximum, 0.0), sum.not_written,
          finite ? sum.worst_index : sum.first_non_finite};
}

}  // namespace msda
