#include "reference/truth.hpp"

#include <algorithm>

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
      const double square = output[row * width + i] * output[row * width + i];
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

}  // namespace msda
