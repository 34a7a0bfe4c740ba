#include "input/random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace msda {

NormalPair to_normals(std::uint32_t word0, std::uint32_t word1) {
  const double radius = std::sqrt(-2.0 * std::log(to_uniform(word0)));
  const double angle = 2.0 * std::numbers::pi * to_uniform(word1);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

void RandomSource::fill_normals(RandomStream stream, std::int64_t first,
                                std::span<float> out) const {
  constexpr std::int64_t kPerBlock = 4;
  std::size_t done = 0;
  while (done < out.size()) {
    const std::int64_t at = first + static_cast<std::int64_t>(done);
    const PhiloxCounter words = block(stream, static_cast<std::uint64_t>(at / kPerBlock));
    const NormalPair a = to_normals(words[0], words[1]);
    const NormalPair b = to_normals(words[2], words[3]);
    const std::array<float, kPerBlock> normals = {
        static_cast<float>(a.first), static_cast<float>(a.second), static_cast<float>(b.first),
        static_cast<float>(b.second)};
    const auto skip = static_cast<std::size_t>(at % kPerBlock);
    const std::size_t count = std::min(normals.size() - skip, out.size() - done);
    std::copy_n(normals.begin() + static_cast<std::ptrdiff_t>(skip), count,
                out.begin() + static_cast<std::ptrdiff_t>(done));
    done += count;
  }
}

}  // namespace msda
