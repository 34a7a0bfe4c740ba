#include "operators/backward/backward.hpp"

#include "operators/backward/skeletons.hpp"
#include "operators/linear.hpp"
#include "operators/one_pass.hpp"
#include "operators/operator.hpp"
#include "reference/corner_count.hpp"

namespace msda::embedded::backward {
extern const EmbeddedSource kSources[];
}

namespace msda::backward {
namespace {

constexpr std::int64_t kCornersOfPoint = 4;
constexpr std::int64_t kFlopsOfValue = 8;   // a product and a sum for each corner
constexpr std::int64_t kFlopsOfPoints = 8;  // the same: what is left has no loop over channels

class Backward final : public Operator,
                       public LinearOperator,
                       public LinearInValues,
                       public OnePass {
 public:
  std::string_view name() const override { return "backward"; }
  std::string_view summary() const override {
    return "the gradients of multi-scale deformable attention";
  }
  std::span<const TensorSpec> tensors() const override { return kTensors; }
  std::string_view flops_text() const override {
    return "per point and channel 8 for grad_value, 8 for the other gradients";
  }

  /// Values are read for the gradients of points alone.
  Traffic traffic(const Problem& problem) const override {
    const auto of = [&](Tensor tensor) { return bytes_of(problem, tensor); };
    const auto asked = [&](Tensor tensor) {
      return is_asked(problem, tensor) ? of(tensor) : std::int64_t{0};
    };
    const bool of_value = is_asked(problem, kGradValue);
    const bool of_points = is_asked(problem, kGradLocations) || is_asked(problem, kGradWeights);
    const std::int64_t point_channels = elements(problem, kGradWeights) * problem.channels;
    const std::int64_t through_loop =
        point_channels * kCornersOfPoint * static_cast<std::int64_t>(size_of(problem.types.value));
    Traffic traffic;
    traffic.least_read = of(kLocations) + of(kGradOutput);
    if (of_value || is_asked(problem, kGradLocations)) traffic.least_read += of(kWeights);
    traffic.read = traffic.least_read + (of_points ? of(kValue) : 0);
    traffic.written = asked(kGradLocations) + asked(kGradWeights);
    traffic.accumulated = asked(kGradValue);
    traffic.least_written = traffic.written + traffic.accumulated;
    if (of_points) traffic.gathered = through_loop;
    if (of_value) traffic.scattered = through_loop;
    traffic.flops =
        point_channels * ((of_value ? kFlopsOfValue : 0) + (of_points ? kFlopsOfPoints : 0));
    return traffic;
  }

  /// The gradient of a point's weight needs its pixels whatever the weight is.
  Traffic least_traffic(const Input& input) const override {
    Traffic least = Operator::least_traffic(input);
    if (is_asked(input.problem, kGradLocations) || is_asked(input.problem, kGradWeights)) {
      take_corners(count_corners(input.problem, input.tensors[kLocations], nullptr), input.problem,
                   least);
    }
    return least;
  }

  Input generate(const Problem& problem, const Generation& generation,
                 unsigned threads) const override {
    return generate_input(problem, generation, threads);
  }

  std::vector<std::vector<double>> reference(const Input& input, unsigned threads) const override {
    return compute_reference(input, threads);
  }

  std::vector<Truth> judge_by(const Input& input, std::vector<std::vector<double>> outputs,
                              unsigned threads) const override {
    return make_truths(input, std::move(outputs), threads);
  }

  std::vector<Truth> judge(const Input& input, unsigned threads) const override {
    return make_truths(input, {}, threads);
  }

  std::size_t values() const override { return kValue; }
  bool follows_values(std::size_t output) const override { return output != kGradValue; }
  std::size_t linear_in() const override { return kGradOutput; }
  std::size_t sum_of_queries() const override { return kGradValue; }
  SharesOfQuery shares_of(const Input& input) const override {
    return [operands = operands_of(input)](std::int64_t query) {
      return shares_of_query(operands, query);
    };
  }

  std::vector<Skeleton> skeletons() const override { return backward::skeletons(); }
  const EmbeddedSource* sources() const override { return embedded::backward::kSources; }
};

}  // namespace
}  // namespace msda::backward

namespace msda {

const Operator& backward_operator() {
  static const backward::Backward kBackward;
  return kBackward;
}

}  // namespace msda
