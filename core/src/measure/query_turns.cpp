#include "measure/query_turns.hpp"

#include <algorithm>

namespace msda {

/// What an arm reads that was derived from weights would not follow.
QueryTurns::QueryTurns(const Operator& op, GroupInputs& inputs)
    : op_(op),
      inputs_(inputs),
      linear_(dynamic_cast<const LinearOperator*>(&op)),
      sum_(dynamic_cast<const WeightedSum*>(&op)) {
  for (std::size_t i = 0; i < op.tensors().size(); ++i) {
    const bool is_derived = op.tensors()[i].role == TensorSpec::Role::kDerived;
    if (is_derived && op.tensors()[i].has(Axis::kQuery) && inputs.have(i)) sum_ = nullptr;
  }
}

std::size_t QueryTurns::weights() const {
  const Problem& problem = inputs_.problem();
  const TensorSpec& spec = op_.tensors()[sum_->weights()];
  return static_cast<std::size_t>(bytes_of(problem, spec) / problem.batch / problem.queries) /
         size_of(type_of(problem, spec));
}

std::vector<double> QueryTurns::share(std::size_t set, std::size_t query,
                                      std::size_t weight) const {
  return sum_->share_of_weight(*inputs_.set(set).input, static_cast<std::int64_t>(query),
                               static_cast<std::int64_t>(weight));
}

const std::vector<QueryShare>& QueryTurns::shares(std::size_t set, std::size_t query) const {
  return inputs_.shares(op_, *linear_, set, query);
}

std::vector<double> QueryTurns::turned_row(std::size_t set, std::span<const double> known,
                                           std::size_t row,
                                           const std::vector<std::size_t>& queries) const {
  std::vector<double> numbers(known.begin(), known.end());
  for (const std::size_t query : queries) {
    const std::vector<QueryShare>& all = shares(set, query);
    const auto own = std::ranges::lower_bound(all, row, {}, &QueryShare::row);
    if (own == all.end() || own->row != row) continue;
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] -= 2 * own->numbers[i];
  }
  return numbers;
}

void QueryTurns::turn(std::size_t tensor, std::span<std::byte> bytes, std::size_t weight) const {
  if (of_weights() && tensor == sum_->weights()) {
    const std::size_t size = size_of(type_of(inputs_.problem(), op_.tensors()[tensor]));
    std::ranges::fill(bytes.subspan(weight * size, size), std::byte{0});
  }
  if (linear_ == nullptr || tensor != linear_->linear_in()) return;
  negate(type_of(inputs_.problem(), op_.tensors()[tensor]), bytes);
}

/// Numbers of all types have their sign in the last byte's highest bit.
void QueryTurns::negate(DType type, std::span<std::byte> bytes) {
  const std::size_t size = size_of(type);
  for (std::size_t at = size - 1; at < bytes.size(); at += size) bytes[at] ^= std::byte{0x80};
}

}  // namespace msda
