#include "runner/worker/halving.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace msda {

std::vector<std::size_t> losers(const std::vector<double>& log_times, int blocks_done, int keep) {
  const std::size_t count = log_times.size();
  if (keep <= 0 || !std::has_single_bit(static_cast<unsigned>(blocks_done))) return {};
  const std::size_t stay = std::max((count + 1) / 2, static_cast<std::size_t>(keep));
  if (stay >= count) return {};
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return log_times[a] < log_times[b]; });
  order.erase(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(stay));
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace msda
