// Dynamic shared memory as typed storage.
#pragma once

#include <msda/simt/thread.cuh>

namespace msda {

/// The block's dynamic shared memory.
template <class Storage>
__device__ __forceinline__ Storage& shared_storage() {
  static_assert(alignof(Storage) <= 128, "dynamic shared memory is aligned to 128 bytes");
  return *reinterpret_cast<Storage*>(simt::shared_memory());
}

template <class Storage>
inline constexpr unsigned kStorageBytes = __is_empty(Storage)
                                              ? 0U
                                              : static_cast<unsigned>(sizeof(Storage));

/// `count` bytes for copies of whole words; none at all for 0, which an array cannot be.
template <int count>
struct Bytes {
  alignas(16) unsigned char byte[count];
  __device__ unsigned char* data() { return byte; }
};
template <>
struct Bytes<0> {
  __device__ unsigned char* data() { return nullptr; }
};

}  // namespace msda
