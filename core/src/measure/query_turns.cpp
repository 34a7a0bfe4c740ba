#include "measure/query_turns.hpp"

#include <algorithm>

namespace msda {

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

void QueryTurns::turn(std::size_t tensor, std::span<std::byte> bytes) const {
  if (!exist() || tensor != linear_->linear_in()) return;
  negate(type_of(inputs_.problem(), op_.tensors()[tensor]), bytes);
}

/// Numbers of all types have their sign in the last byte's highest bit.
void QueryTurns::negate(DType type, std::span<std::byte> bytes) {
  const std::size_t size = size_of(type);
  for (std::size_t at = size - 1; at < bytes.size(); at += size) bytes[at] ^= std::byte{0x80};
}

}  // namespace msda
