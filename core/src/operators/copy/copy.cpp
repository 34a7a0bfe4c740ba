// The operator `copy`, for microbenchmarks of data movement: row (b, q, h) of the output is row
// (b, q mod S, h) of the values as they are stored, S pixels. Its tensors are those of `forward`.
#include <msda/operators/forward.hpp>

#include "input/elements.hpp"
#include "operators/operator.hpp"
#include "parallel.hpp"

namespace msda {
namespace {

class Copy final : public Operator {
 public:
  std::string_view name() const override { return "copy"; }
  std::string_view summary() const override { return "rows of the values, copied"; }
  std::span<const TensorSpec> tensors() const override { return forward::kTensors; }
  std::string_view flops_text() const override { return "none"; }
  /// The number of a query says what is copied.
  bool queries_are_alike() const override { return false; }

  Traffic traffic(const Problem& problem) const override {
    Traffic traffic;
    traffic.read = bytes_of(problem, forward::kValue);
    traffic.written = traffic.least_written = bytes_of(problem, forward::kOutput);
    traffic.gathered = elements(problem, forward::kOutput) *
                       static_cast<std::int64_t>(size_of(problem.types.value));
    return traffic;
  }

  Input generate(const Problem& problem, const Generation& generation,
                 unsigned threads) const override {
    return msda::generate(problem, generation, threads);
  }

  std::vector<std::vector<double>> reference(const Input& input, unsigned threads) const override {
    const Problem& problem = input.problem;
    const std::byte* const value = input.tensors[forward::kValue].data();
    const std::int64_t row = problem.heads * problem.channels;
    const std::int64_t pixels = problem.spatial_size();
    std::vector<double> output(static_cast<std::size_t>(problem.batch * problem.queries * row));
    parallel_for(
        problem.batch * problem.queries, 64, threads, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t to = begin; to < end; ++to) {
            const std::int64_t from = to / problem.queries * pixels + to % problem.queries % pixels;
            for (std::int64_t c = 0; c < row; ++c) {
              output[static_cast<std::size_t>(to * row + c)] =
                  load_element(problem.types.value, value, from * row + c);
            }
          }
        });
    return {std::move(output)};
  }

  /// Only the output's type rounds.
  std::vector<Truth> judge_by(const Input& input, std::vector<std::vector<double>> outputs,
                              unsigned) const override {
    std::vector<Truth> truths;
    truths.emplace_back(rows_of(input.problem, forward::kTensors[forward::kOutput]),
                        std::move(outputs.front()));
    return truths;
  }
};

}  // namespace

const Operator& copy_operator() {
  static const Copy kCopy;
  return kCopy;
}

}  // namespace msda
