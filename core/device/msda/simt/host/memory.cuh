// Host bodies of ptx/memory.cuh. A hint changes no result: loads are plain loads, which the
// compiler's instrumentation reports to the executor. Hints are counted.
#pragma once

#include <msda/simt/host/executor.cuh>

namespace msda::ptx {

inline const unsigned char* opaque(const unsigned char* address) { return address; }
inline int opaque(int offset) { return offset; }

namespace host {

MSDA_UNCHECKED inline void set_hint(simt::host::Hint hint) { *simt::host::executor->hint = hint; }

/// A word as a number, which is one access; members of a struct would be several.
template <int bytes>
struct IntegerOf {
  using Type = Word<bytes>;
};
template <>
struct IntegerOf<8> {
  using Type = unsigned long;
};
template <>
struct IntegerOf<16> {
  using Type = unsigned __int128;
};

template <class W>
inline W load(const W* p) {
  using Number = typename IntegerOf<sizeof(W)>::Type;
  const Number number = *reinterpret_cast<const Number*>(p);
  W word;
  __builtin_memcpy(&word, &number, sizeof word);
  return word;
}
template <class W>
inline void store(W* p, W word) {
  typename IntegerOf<sizeof(W)>::Type number;
  __builtin_memcpy(&number, &word, sizeof number);
  *reinterpret_cast<decltype(number)*>(p) = number;
}

}  // namespace host

// Always inlined: the way from an access to the line that made it is read from the code there.
#define MSDA_HOST_LOAD(NAME, HINT)                   \
  template <class W>                                 \
  [[gnu::always_inline]] inline W NAME(const W* p) { \
    host::set_hint(simt::host::HINT);                \
    const W word = host::load(p);                    \
    host::set_hint(simt::host::kPlain);              \
    return word;                                     \
  }
#define MSDA_HOST_STORE(NAME, HINT)                    \
  template <class W>                                   \
  [[gnu::always_inline]] inline void NAME(W* p, W v) { \
    host::set_hint(simt::host::HINT);                  \
    host::store(p, v);                                 \
    host::set_hint(simt::host::kPlain);                \
  }

MSDA_HOST_LOAD(ldg, kReadOnly)
MSDA_HOST_LOAD(ld_ca, kInL1)
MSDA_HOST_LOAD(ld_generic, kGeneric)
MSDA_HOST_LOAD(ld_cg, kInL2)
MSDA_HOST_LOAD(ld_nc_l1_no_allocate, kNoAllocate)
MSDA_HOST_LOAD(ld_nc_l2_64b, kPrefetch64)
MSDA_HOST_LOAD(ld_nc_l2_128b, kPrefetch128)
MSDA_HOST_LOAD(ld_nc_l2_256b, kPrefetch256)
MSDA_HOST_LOAD(ld_nc_evict_first, kEvictFirst)
MSDA_HOST_LOAD(ld_nc_evict_last, kEvictLast)
MSDA_HOST_LOAD(ld_nc_no_allocate_evict_first, kOnce)
MSDA_HOST_STORE(st_cs, kStreaming)

#undef MSDA_HOST_LOAD
#undef MSDA_HOST_STORE

}  // namespace msda::ptx
