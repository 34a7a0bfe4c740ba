#include "operators/forward/forward.hpp"

#include "operators/forward/sampler.hpp"
#include "parallel.hpp"
#include "reference/image.hpp"

namespace msda::forward {
namespace {

/// Queries [begin, end) of one image; `out` is the image's output, [Q, H, C].
void sample_queries(const Input& input, std::int64_t image, const Sampler& sampler,
                    std::int64_t begin, std::int64_t end, double* out) {
  const Problem& p = input.problem;
  RowPoints points(p, input.tensors[kLocations], input.tensors[kWeights]);
  for (std::int64_t row = begin * p.heads; row < end * p.heads; ++row) {
    points.load(image * p.queries * p.heads + row);
    sampler.accumulate(row % p.heads, points.locations.data(), points.weights.data(),
                       out + row * p.channels);
  }
}

}  // namespace

std::vector<double> compute_reference(const Input& input, unsigned threads) {
  constexpr std::int64_t kGrain = 64;
  const Problem& problem = input.problem;
  const std::int64_t image_outputs = problem.queries * problem.heads * problem.channels;
  std::vector<double> output(static_cast<std::size_t>(elements(problem, kOutput)));
  ImageValues values(problem, input.tensors[kValue]);
  for (std::int64_t image = 0; image < problem.batch; ++image) {
    const Sampler sampler(problem, values.load(image, threads));
    double* const out = output.data() + image * image_outputs;
    parallel_for(problem.queries, kGrain, threads, [&](std::int64_t begin, std::int64_t end) {
      sample_queries(input, image, sampler, begin, end, out);
    });
  }
  return output;
}

}  // namespace msda::forward
