#include "operators/forward/forward.hpp"

#include "operators/forward/skeletons.hpp"
#include "operators/linear.hpp"
#include "operators/operator.hpp"
#include "reference/corner_count.hpp"

namespace msda {
namespace {

constexpr std::int64_t kCorners = 4;
constexpr std::int64_t kFlopsPerPoint = 16;  // 4 blends of 4, the way published figures count

class Forward final : public Operator, public WeightedSum, public LinearInValues {
 public:
  std::string_view name() const override { return "forward"; }
  std::string_view summary() const override { return "multi-scale deformable attention"; }
  std::span<const TensorSpec> tensors() const override { return forward::kTensors; }
  std::string_view flops_text() const override { return "16 per point and output element"; }

  Traffic traffic(const Problem& problem) const override {
    const auto of = [&](forward::Tensor tensor) { return bytes_of(problem, tensor); };
    const std::int64_t point_channels = elements(problem, forward::kWeights) * problem.channels;
    Traffic traffic;
    traffic.least_read = of(forward::kLocations) + of(forward::kWeights);
    traffic.read = of(forward::kValue) + traffic.least_read;
    traffic.written = traffic.least_written = of(forward::kOutput);
    traffic.gathered =
        point_channels * kCorners * static_cast<std::int64_t>(size_of(problem.types.value));
    traffic.flops = point_channels * kFlopsPerPoint;
    return traffic;
  }

  Traffic least_traffic(const Input& input) const override {
    Traffic least = Operator::least_traffic(input);
    take_corners(count_corners(input.problem, input.tensors[forward::kLocations],
                               &input.tensors[forward::kWeights]),
                 input.problem, least);
    return least;
  }

  Input generate(const Problem& problem, const Generation& generation,
                 unsigned threads) const override {
    return msda::generate(problem, generation, threads);
  }

  Bytes derive(const Input& input, std::size_t tensor) const override {
    return tensor == forward::kLogits ? logits_of(input) : Operator::derive(input, tensor);
  }

  std::vector<std::vector<double>> reference(const Input& input, unsigned threads) const override {
    return {forward::compute_reference(input, threads)};
  }

  std::vector<Truth> judge_by(const Input& input, std::vector<std::vector<double>> outputs,
                              unsigned threads) const override {
    std::vector<Truth> truths;
    truths.push_back(forward::make_truth(input, std::move(outputs.front()), threads));
    return truths;
  }

  std::size_t values() const override { return forward::kValue; }
  bool follows_values(std::size_t output) const override { return output == forward::kOutput; }
  std::size_t weights() const override { return forward::kWeights; }
  std::vector<double> share_of_weight(const Input& input, std::int64_t query,
                                      std::int64_t weight) const override {
    return forward::share_of_weight(input, query, weight);
  }

  std::vector<Skeleton> skeletons() const override { return forward::skeletons(); }
};

}  // namespace

const Operator& forward_operator() {
  static const Forward kForward;
  return kForward;
}

}  // namespace msda
