#include "reference/truth.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "input/elements.hpp"
#include "parallel.hpp"
#include "reference/make_truth.hpp"

namespace msda {

RowShape rows_of(const Problem& problem, const TensorSpec& output) {
  RowShape shape;
  shape.type = type_of(problem, output);
  shape.elements = row_elements(problem, output);
  if (output.row_axes > 0) shape.groups = extent(problem, output.axes[output.row_axes - 1]);
  return shape;
}

Truth::Truth(const RowShape& rows_shape, std::vector<double> elements)
    : shape(rows_shape), output(std::move(elements)) {
  make_room(*this, output.size(), 0);
  weigh_output(*this, 0);
}

void make_room(Truth& truth, std::size_t elements, unsigned threads) {
  if (truth.output.empty()) resize_by_many(truth.output, elements, threads);
  resize_by_many(truth.rows, elements / static_cast<std::size_t>(truth.shape.elements), threads);
}

void weigh_output(Truth& truth, unsigned threads) {
  constexpr std::int64_t kLeastGrain = 1 << 12;
  const auto width = static_cast<std::size_t>(truth.shape.elements);
  const auto groups = static_cast<std::size_t>(truth.shape.groups);
  const auto count = static_cast<std::int64_t>(truth.rows.size());
  // By group and element; of few ranges, each of which has sums of its own.
  constexpr std::int64_t kMostRanges = 256;
  const std::int64_t grain = std::max(kLeastGrain, (count + kMostRanges - 1) / kMostRanges);
  std::vector<std::vector<double>> energies(static_cast<std::size_t>((count + grain - 1) / grain));
  parallel_for(count, grain, threads, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> energy(groups * width, 0.0);
    for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
      double sum = 0;
      for (std::size_t i = 0; i < width; ++i) {
        const double element = truth.output[row * width + i];
        const double square = std::isnan(element) ? 0 : element * element;
        sum += square;
        energy[row % groups * width + i] += square;
      }
      truth.rows[row].output = sum / static_cast<double>(width);
    }
    energies[static_cast<std::size_t>(begin / grain)] = std::move(energy);
  });
  std::vector<double> energy(groups * width, 0.0);
  for (const std::vector<double>& own : energies) {
    std::ranges::transform(energy, own, energy.begin(), std::plus());
  }
  truth.unevenness.clear();
  for (std::size_t group = 0; group < groups; ++group) {
    const std::span own = std::span(energy).subspan(group * width, width);
    const double mean = std::accumulate(own.begin(), own.end(), 0.0) / static_cast<double>(width);
    truth.unevenness.push_back(mean > 0 ? *std::ranges::max_element(own) / mean : 1);
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
