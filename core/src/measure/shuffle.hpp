// Random orders and numbers that a seed gives alike on every machine and with every standard
// library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <utility>
#include <vector>

namespace msda {

/// What random numbers are for: each use has a sequence of its own.
enum class Purpose : std::uint32_t { kOrder, kSpoiling, kPreparation };

/// A generator for one purpose and the numbers that tell one sequence from another: the
/// experiment's seed, the process, the block.
inline std::mt19937_64 generator_of(Purpose purpose, std::initializer_list<std::uint64_t> numbers) {
  std::vector<std::uint32_t> words{static_cast<std::uint32_t>(purpose)};
  for (const std::uint64_t number : numbers) {
    words.push_back(static_cast<std::uint32_t>(number));
    words.push_back(static_cast<std::uint32_t>(number >> 32));
  }
  std::seed_seq sequence(words.begin(), words.end());
  return std::mt19937_64(sequence);
}

/// A number that nobody can know before: who knows the seeds of an experiment does not know it.
inline std::uint64_t secret_number() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

/// 0 .. count-1 in random order: Fisher and Yates' shuffle, spelled out.
inline std::vector<std::size_t> shuffled(std::size_t count, std::mt19937_64& generator) {
  std::vector<std::size_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = i;
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[generator() % i]);
  return order;
}

}  // namespace msda
