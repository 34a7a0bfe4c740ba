// Host bodies of ptx/reduce.cuh. A reduction is one atomic update of all its numbers, and orders
// nothing else: what meets without another order is a race as on a GPU.
#pragma once

#include <msda/simt/host/executor.cuh>

namespace msda::ptx {

namespace host {

template <class T, int n>
MSDA_UNCHECKED void red_add(T* to, const T (&v)[n], const void* pc) {
  simt::host::executor->count(simt::host::kAtomicUpdate, nullptr, 1);
  simt::host::executor->access(to, n * sizeof(T), simt::host::kRead | simt::host::kAtomic, pc);
  simt::host::executor->access(to, n * sizeof(T), simt::host::kWrite | simt::host::kAtomic, pc);
  for (int i = 0; i < n; ++i) {
    // Arithmetic of 16-bit types is instrumented code, in which another thread may get its turn.
    T old;
    T sum;
    do {
      old = to[i];
      sum = static_cast<T>(old + v[i]);
    } while (__builtin_memcmp(&to[i], &old, sizeof(T)) != 0);
    to[i] = sum;
  }
}

}  // namespace host

template <class T, int n>
MSDA_UNCHECKED void red_add(T* to, const T (&v)[n]) {
  static_assert(n * sizeof(T) <= 16, "at most 16 bytes");
  host::red_add(to, v, __builtin_return_address(0));
}

using SharedAddress = unsigned char*;
inline SharedAddress shared_address(void* address) { return static_cast<unsigned char*>(address); }
template <class T>
MSDA_UNCHECKED void red_shared_add(SharedAddress to, T v) {
  const T numbers[1] = {v};
  host::red_add(reinterpret_cast<T*>(to), numbers, __builtin_return_address(0));
}

}  // namespace msda::ptx
