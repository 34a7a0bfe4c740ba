// Slot "cache": the hints of loads and stores. Values are read many times, other inputs once.
#pragma once

#include <msda/contract.cuh>
#include <msda/ptx/memory.cuh>

namespace msda {

/// Static members, called by any thread that loads or stores; words are those of ptx::Word.
///
/// - load_value<level>(address) returns a word of values of that level;
/// - load_stream(address) returns a word of locations, weights or other data that is read once;
/// - store_output(address, word) stores a word of the output;
/// - `kPersistValue`: the launch keeps the value tensor in the persisting part of L2.
template <class Policy, class K>
concept CachePolicy = requires(const uint4* from, uint4* to, uint4 word) {
  requires kConstant<bool, Policy::kPersistValue>;
  { Policy::template load_value<0>(from) } -> Same<uint4>;
  { Policy::load_stream(from) } -> Same<uint4>;
  Policy::store_output(to, word);
};

/// Default: read-only loads through L1, plain stores.
template <class K, class Parameters>
struct DefaultCache {
  static constexpr bool kPersistValue = false;

  template <int level, class Word>
  __device__ static Word load_value(const Word* p) {
    return ptx::ldg(p);
  }
  template <class Word>
  __device__ static Word load_stream(const Word* p) {
    return ptx::ldg(p);
  }
  template <class Word>
  __device__ static void store_output(Word* p, Word v) {
    *p = v;
  }
};

}  // namespace msda
