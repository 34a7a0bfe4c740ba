#include "reference/truth.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "input/elements.hpp"

namespace msda {

RowShape rows_of(const Problem& problem, const TensorSpec& output) {
  RowShape shape;
  shape.type = type_of(problem, output);
  shape.elements = row_elements(problem, output);
  if (output.row_axes > 0) shape.groups = extent(problem, output.axes[output.row_axes - 1]);
  return shape;
}

/// The mean squares of the rows themselves, and how unevenly the elements share them.
Truth::Truth(const RowShape& rows_shape, std::vector<double> elements)
    : shape(rows_shape), output(std::move(elements)) {
  const auto width = static_cast<std::size_t>(shape.elements);
  const auto groups = static_cast<std::size_t>(shape.groups);
  rows.resize(output.size() / width);
  std::vector<double> energy(groups * width, 0.0);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < width; ++i) {
      const double element = output[row * width + i];
      const double square = std::isnan(element) ? 0 : element * element;
      sum += square;
      energy[row % groups * width + i] += square;
    }
    rows[row].output = sum / static_cast<double>(width);
  }
  for (std::size_t group = 0; group < groups; ++group) {
    const auto first = energy.begin() + static_cast<std::ptrdiff_t>(group * width);
    const auto last = first + static_cast<std::ptrdiff_t>(width);
    double sum = 0;
    for (auto e = first; e != last; ++e) sum += *e;
    const double mean = sum / static_cast<double>(width);
    unevenness.push_back(mean > 0 ? *std::max_element(first, last) / mean : 1);
  }
}

/// Among points spread evenly over the tensor.
double count_places(DType type, const Bytes& locations) {
  constexpr std::int64_t kMost = 4096;
  const auto count = static_cast<std::int64_t>(locations.size() / (2 * size_of(type)));
  const std::int64_t sampled = std::min(count, kMost);
  std::set<std::pair<double, double>> places;
  for (std::int64_t i = 0; i < sampled; ++i) {
    const std::int64_t at = 2 * (i * count / sampled);
    places.emplace(load_element(type, locations.data(), at),
                   load_element(type, locations.data(), at + 1));
  }
  return static_cast<double>(places.size());
}

}  // namespace msda
