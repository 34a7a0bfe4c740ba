// What the makers of large truths share.
#pragma once

#include <cstring>
#include <vector>

#include "parallel.hpp"
#include "reference/truth.hpp"

namespace msda {

/// reserve() of memory that all threads have touched: a new page is work for the system, and a
/// truth of a large problem has millions of them.
template <class T>
void reserve_by_many(std::vector<T>& numbers, std::size_t count, unsigned threads) {
  constexpr std::int64_t kGrain = 1 << 22;
  numbers.reserve(count);
  auto* const memory = reinterpret_cast<std::byte*>(numbers.data());
  parallel_for(static_cast<std::int64_t>(count * sizeof(T)), kGrain, threads,
               [&](std::int64_t begin, std::int64_t end) {
                 std::memset(memory + begin, 0, static_cast<std::size_t>(end - begin));
               });
}

/// The same with resize(), of an empty vector.
template <class T>
void resize_by_many(std::vector<T>& numbers, std::size_t count, unsigned threads) {
  reserve_by_many(numbers, count, threads);
  numbers.resize(count);
}

/// Makes `elements` zeros of an output that is empty, and rows without sensitivities of any.
/// `shape` is there.
void make_room(Truth& truth, std::size_t elements, unsigned threads);

/// Sets the mean squares of the rows themselves, and how unevenly their elements share them
/// (Truth::unevenness); all other sensitivities of the rows stay.
void weigh_output(Truth& truth, unsigned threads);

}  // namespace msda
