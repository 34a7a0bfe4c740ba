// An operator that the program does not have: rows times their scales, and the sums of these over
// the queries. It has two inputs and two outputs, of which one is accumulated, and a skeleton.
#include <memory>

#include "input/elements.hpp"
#include "input/random.hpp"
#include "operators/operator.hpp"

namespace msda {
namespace embedded::weighted_sums {
extern const EmbeddedSource kSources[];
}

namespace {

enum Tensor : std::size_t { kRows, kScales, kScaled, kSums };

constexpr TensorSpec kTensors[] = {
    {.name = "rows",
     .file = "rows",
     .axes = {Axis::kBatch, Axis::kQuery, Axis::kHead, Axis::kChannel},
     .rank = 4,
     .row_axes = 3,
     .type = &Types::value},
    {.name = "scales",
     .file = "scales",
     .axes = {Axis::kBatch, Axis::kQuery, Axis::kHead},
     .rank = 3,
     .row_axes = 2,
     .type = &Types::weight},
    {.name = "scaled",
     .file = "scaled",
     .role = TensorSpec::Role::kOutput,
     .axes = {Axis::kBatch, Axis::kQuery, Axis::kHead, Axis::kChannel},
     .rank = 4,
     .row_axes = 3,
     .type = &Types::output},
    {.name = "sums",
     .file = "sums",
     .role = TensorSpec::Role::kOutput,
     .axes = {Axis::kBatch, Axis::kHead, Axis::kChannel},
     .rank = 3,
     .row_axes = 2,
     .type = &Types::output,
     .accumulated = true},
};

class WeightedSums final : public Operator {
 public:
  std::string_view name() const override { return "weighted-sums"; }
  std::string_view summary() const override { return "rows times scales, and their sums"; }
  std::span<const TensorSpec> tensors() const override { return kTensors; }
  std::string_view flops_text() const override { return "2 per element of a row"; }

  Traffic traffic(const Problem& problem) const override {
    Traffic traffic;
    traffic.read = traffic.least_read =
        bytes_of(problem, kTensors[kRows]) + bytes_of(problem, kTensors[kScales]);
    traffic.written = bytes_of(problem, kTensors[kScaled]);
    traffic.accumulated = bytes_of(problem, kTensors[kSums]);
    traffic.least_written = traffic.written + traffic.accumulated;
    traffic.flops = 2 * elements(problem, kTensors[kRows]);
    return traffic;
  }

  Input generate(const Problem& problem, const Generation& generation, unsigned) const override {
    const RandomSource random(generation.seed);
    Input input(problem, kTensors);
    for (const auto& [tensor, stream] :
         {std::pair{kRows, RandomStream::kValue}, std::pair{kScales, RandomStream::kLogit}}) {
      std::vector<float> numbers(static_cast<std::size_t>(elements(problem, kTensors[tensor])));
      random.fill_normals(stream, 0, numbers);
      Bytes& bytes = input.tensors[tensor];
      bytes.resize(static_cast<std::size_t>(bytes_of(problem, kTensors[tensor])));
      store_floats(type_of(problem, kTensors[tensor]), numbers, bytes.data(), 0);
    }
    input.origin = "normal, seed " + std::to_string(generation.seed);
    return input;
  }

  std::vector<std::vector<double>> reference(const Input& input, unsigned) const override {
    const Problem& p = input.problem;
    std::vector<double> scaled(static_cast<std::size_t>(elements(p, kTensors[kScaled])));
    std::vector<double> sums(static_cast<std::size_t>(elements(p, kTensors[kSums])), 0.0);
    for (std::size_t i = 0; i < scaled.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      scaled[i] = load_element(p.types.value, input.tensors[kRows].data(), at) *
                  load_element(p.types.weight, input.tensors[kScales].data(), at / p.channels);
      sums[static_cast<std::size_t>(sum_of(p, at))] += scaled[i];
    }
    return {std::move(scaled), std::move(sums)};
  }

  std::vector<Truth> judge_by(const Input& input, std::vector<std::vector<double>> outputs,
                              unsigned) const override {
    const Problem& p = input.problem;
    std::vector<Truth> truths;
    truths.emplace_back(rows_of(p, kTensors[kScaled]), std::move(outputs[0]));
    truths.emplace_back(rows_of(p, kTensors[kSums]), std::move(outputs[1]));
    Truth& scaled = truths.front();
    Truth& sums = truths.back();
    sums.additions = static_cast<double>(p.queries);
    for (std::size_t row = 0; row < scaled.rows.size(); ++row) {
      scaled.rows[row].terms = scaled.rows[row].output;
      const std::int64_t sum = sum_of(p, static_cast<std::int64_t>(row) * p.channels) / p.channels;
      sums.rows[static_cast<std::size_t>(sum)].terms += scaled.rows[row].output;
    }
    return truths;
  }

  std::vector<Skeleton> skeletons() const override {
    return {{.name = "scaled-rows",
             .header = "weighted_sums/skeleton.cuh",
             .space = "msda::weighted_sums",
             .slots = {{.name = "sums",
                        .member = "Sums",
                        .number = 0,
                        .policy = "AtomicSums",
                        .any_order = {"sums"}},
                       {.name = "block", .member = "Block", .number = 1, .policy = "SmallBlocks"}},
             .shared_prepasses = {},
             .postpasses = {0},
             .contracts = "msda::weighted_sums"}};
  }
  const EmbeddedSource* sources() const override { return embedded::weighted_sums::kSources; }

 private:
  /// The element of `sums` that an element of `scaled` is added to.
  static std::int64_t sum_of(const Problem& p, std::int64_t element) {
    const std::int64_t per_query = p.heads * p.channels;
    return element / (p.queries * per_query) * per_query + element % per_query;
  }
};

const OperatorRegistration kWeightedSums{std::make_unique<WeightedSums>()};

}  // namespace
}  // namespace msda
