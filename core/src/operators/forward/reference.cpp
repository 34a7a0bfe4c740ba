#include "operators/forward/forward.hpp"

#include <algorithm>

#include "operators/forward/sampler.hpp"
#include "parallel.hpp"
#include "reference/image.hpp"

namespace msda::forward {
namespace {

/// A head of queries [first, last) of the batch; `out` is the whole output, [B * Q, H, C].
void sample_queries(const Input& input, const Sampler& sampler, std::int64_t head,
                    std::int64_t first, std::int64_t last, double* out) {
  const Problem& p = input.problem;
  RowPoints points(p, input.tensors[kLocations], input.tensors[kWeights]);
  for (std::int64_t query = first; query < last; ++query) {
    const std::int64_t row = query * p.heads + head;
    points.load(row);
    sampler.accumulate(head, points.locations.data(), points.weights.data(),
                       out + row * p.channels);
  }
}

}  // namespace

std::vector<double> compute_reference(const Input& input, unsigned threads) {
  const Problem& problem = input.problem;
  std::vector<double> output;
  resize_by_many(output, static_cast<std::size_t>(elements(problem, kOutput)), threads);
  ImageValues values(problem, input.tensors[kValue]);
  for (std::int64_t image = 0; image < problem.batch; ++image) {
    const Sampler sampler(problem, values.load(image, threads));
    const std::int64_t before = image * problem.queries;
    for_each_head(problem, threads, [&](std::int64_t head, std::int64_t first, std::int64_t last) {
      sample_queries(input, sampler, head, before + first, before + last, output.data());
    });
  }
  return output;
}

std::vector<double> share_of_weight(const Input& input, std::int64_t query, std::int64_t weight) {
  const Problem& p = input.problem;
  std::vector<double> share(static_cast<std::size_t>(p.heads * p.channels));
  RowPoints points(p, input.tensors[kLocations], input.tensors[kWeights]);
  const std::int64_t head = weight / points.count;
  const std::int64_t number = weight % points.count;
  const auto point = static_cast<std::size_t>(number);
  points.load(query * p.heads + head);
  const Plane plane = planes_of(p)[p.level_of(number)];
  const double x = pixels(points.locations[2 * point], plane.width);
  const double y = pixels(points.locations[2 * point + 1], plane.height);
  if (!counts(x, plane.width) || !counts(y, plane.height)) return share;
  const Coordinate column = Coordinate::of(x);
  const Coordinate row = Coordinate::of(y);
  const std::int64_t first = query / p.queries * p.spatial_size();
  std::vector<float> values(static_cast<std::size_t>(p.channels));
  for (const std::int64_t corner : {0, 1, 2, 3}) {
    const bool is_below = corner > 1;
    const bool is_right = corner % 2 == 1;
    const std::int64_t r = row.pixel + (is_below ? 1 : 0);
    const std::int64_t c = column.pixel + (is_right ? 1 : 0);
    if (!plane.has(r, c)) continue;
    load_floats(p.types.value, input.tensors[kValue].data(),
                ((first + plane.pixel(r, c)) * p.heads + head) * p.channels, values);
    const double times = static_cast<double>(points.weights[point]) *
                         (is_below ? row.fraction : 1 - row.fraction) *
                         (is_right ? column.fraction : 1 - column.fraction);
    const auto out = share.begin() + static_cast<std::ptrdiff_t>(head * p.channels);
    std::transform(values.begin(), values.end(), out, out, [&](float value, double sum) {
      return sum + times * static_cast<double>(value);
    });
  }
  return share;
}

}  // namespace msda::forward
