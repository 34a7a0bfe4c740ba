// Host bodies of ptx/memory.cuh. A hint changes no result: all loads are loads, and what the
// compiler's instrumentation tells the executor of them is what it checks.
#pragma once

#include <msda/simt/host/executor.cuh>

namespace msda::ptx {

inline const unsigned char* opaque(const unsigned char* address) { return address; }
inline int opaque(int offset) { return offset; }

#define MSDA_HOST_LOAD(NAME) \
  template <class W>         \
  W NAME(const W* p) {       \
    return *p;               \
  }
#define MSDA_HOST_STORE(NAME) \
  template <class W>          \
  void NAME(W* p, W v) {      \
    *p = v;                   \
  }

MSDA_HOST_LOAD(load_readonly)
MSDA_HOST_LOAD(load_cached_in_l1)
MSDA_HOST_LOAD(load_generic)
MSDA_HOST_LOAD(load_cached_in_l2)
MSDA_HOST_LOAD(load_no_allocate)
MSDA_HOST_LOAD(load_prefetch_64)
MSDA_HOST_LOAD(load_prefetch_128)
MSDA_HOST_LOAD(load_prefetch_256)
MSDA_HOST_LOAD(load_evict_first_in_l2)
MSDA_HOST_LOAD(load_evict_last_in_l2)
MSDA_HOST_STORE(store_streaming)

#undef MSDA_HOST_LOAD
#undef MSDA_HOST_STORE

}  // namespace msda::ptx
