#include "operators/fused_backward/fused_backward.hpp"

#include <fmt/format.h>

#include "operators/linear.hpp"
#include "operators/operator.hpp"
#include "reference/corner_count.hpp"

namespace msda::embedded::fused {
extern const EmbeddedSource kSources[];
}
namespace msda::embedded::fused_backward {
extern const EmbeddedSource kSources[];
}

namespace msda::fused_backward {
namespace {

constexpr std::int64_t kCornersOfPoint = 4;
constexpr std::int64_t kFlopsOfValue = 8;
constexpr std::int64_t kFlopsOfPoints = 8;

/// Device headers of `fused`, which makes the points, and of this operator.
std::vector<EmbeddedSource> all_sources() {
  std::vector<EmbeddedSource> all;
  for (const EmbeddedSource* list :
       {embedded::fused::kSources, embedded::fused_backward::kSources}) {
    for (; list->path != nullptr; ++list) all.push_back(*list);
  }
  all.push_back({nullptr, nullptr});
  return all;
}

class FusedBackward final : public Operator, public LinearOperator, public LinearInValues {
 public:
  std::string_view name() const override { return "fused-backward"; }
  std::string_view summary() const override {
    return "the gradients of multi-scale deformable attention from reference points, offsets and "
           "logits";
  }
  std::span<const TensorSpec> tensors() const override { return kTensors; }
  std::string_view flops_text() const override {
    return "per point and channel 8 for grad_value, 8 for the other gradients";
  }

  const EmbeddedSource* sources() const override {
    static const std::vector<EmbeddedSource> kAll = all_sources();
    return kAll.data();
  }
  std::optional<BorrowedSkeletons> borrows() const override {
    return BorrowedSkeletons{.op = "backward",
                             .slot = "points",
                             .header = "fused_backward/points.cuh",
                             .type = "msda::fused_backward::Points",
                             .arguments = "msda::fused_backward::ArgumentsOf<{}>",
                             .arithmetic = kArithmetic,
                             .postpass = true};
  }
  std::string policy_parameters(const Problem& problem) const override {
    return find_operator("fused").policy_parameters(problem);
  }

  Traffic traffic(const Problem& problem) const override {
    const auto of = [&](Tensor tensor) { return bytes_of(problem, tensor); };
    const auto asked = [&](Tensor tensor) {
      return is_asked(problem, tensor) ? of(tensor) : std::int64_t{0};
    };
    const bool of_value = is_asked(problem, kGradValue);
    const bool of_points = asks_for_points(problem);
    const std::int64_t point_channels = elements(problem, kGradLogits) * problem.channels;
    const std::int64_t through_loop =
        point_channels * kCornersOfPoint * static_cast<std::int64_t>(size_of(problem.types.value));
    Traffic traffic;
    traffic.least_read = of(kReferences) + of(kOffsets) + of(kLogits) + of(kGradOutput);
    traffic.read = traffic.least_read + (of_points ? of(kValue) : 0) + of(kPaddingMask);
    traffic.written = asked(kGradOffsets) + asked(kGradLogits) + asked(kGradReferences);
    traffic.accumulated = asked(kGradValue);
    traffic.least_written = traffic.written + traffic.accumulated;
    if (of_points) traffic.gathered = through_loop;
    if (of_value) traffic.scattered = through_loop;
    traffic.flops =
        point_channels * ((of_value ? kFlopsOfValue : 0) + (of_points ? kFlopsOfPoints : 0));
    return traffic;
  }

  Traffic least_traffic(const Input& input) const override {
    Traffic least = Operator::least_traffic(input);
    if (!asks_for_points(input.problem)) return least;
    Problem in_fp32 = input.problem;
    in_fp32.types.location = DType::kFloat32;
    take_corners(count_corners(in_fp32, locations_of(input), nullptr,
                               input.problem.padding ? &input.tensors[kPaddingMask] : nullptr),
                 input.problem, least);
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

  std::size_t values() const override { return kValue; }
  bool follows_values(std::size_t output) const override { return output != kGradValue; }
  std::size_t linear_in() const override { return kGradOutput; }
  std::size_t sum_of_queries() const override { return kGradValue; }
  SharesOfQuery shares_of(const Input& input) const override {
    const auto heads = static_cast<std::size_t>(input.problem.heads);
    return [&mask = input.tensors[kPaddingMask], heads,
            operands = operands_of(input)](std::int64_t query) {
      std::vector<QueryShare> shares = backward::shares_of_query(operands, query);
      std::erase_if(shares, [&](const QueryShare& share) {
        return !mask.empty() && mask[share.row / heads] != std::byte{0};
      });
      return shares;
    };
  }

 private:
  static bool asks_for_points(const Problem& problem) {
    return is_asked(problem, kGradOffsets) || is_asked(problem, kGradLogits) ||
           is_asked(problem, kGradReferences);
  }
};

}  // namespace
}  // namespace msda::fused_backward

namespace msda {

const Operator& fused_backward_operator() {
  static const fused_backward::FusedBackward kFusedBackward;
  return kFusedBackward;
}

}  // namespace msda
