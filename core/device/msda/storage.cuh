// Dynamic shared memory as typed storage.
#pragma once

#include <msda/launch.cuh>
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

/// The shared memory that the policy of a slot asks for.
template <int slot, class Storage>
struct Part {};

/// Parts one after the other, each aligned for tensor copies. The parts are members and not bases:
/// nvcc takes the address of a base for one that may be null, and then for generic memory. No
/// member is empty: nvcc 13.0 misplaces members that follow an empty one with
/// [[no_unique_address]].
template <class... Parts>
struct PartList {};
template <int slot, class Storage>
struct PartList<Part<slot, Storage>> {
  alignas(128) Storage first;
};
template <int slot, class Storage, class Next, class... Rest>
struct PartList<Part<slot, Storage>, Next, Rest...> {
  alignas(128) Storage first;
  PartList<Next, Rest...> rest;
};

/// The list of the non-empty parts of `Parts`, after the parts of `Done`.
template <class Done, class... Parts>
struct NonEmpty {
  using List = Done;
};
template <class... Done, int slot, class Storage, class... Rest>
struct NonEmpty<PartList<Done...>, Part<slot, Storage>, Rest...>
    : NonEmpty<PartList<Done..., Part<slot, Storage>>, Rest...> {};
template <class... Done, int slot, class Storage, class... Rest>
requires(__is_empty(Storage)) struct NonEmpty<PartList<Done...>, Part<slot, Storage>, Rest...>
    : NonEmpty<PartList<Done...>, Rest...> {
};

/// A block's shared memory: the non-empty parts of its policies.
template <class... Parts>
using BlockStorage = typename NonEmpty<PartList<>, Parts...>::List;

/// The part of `slot`, of type `Storage`. Empty storage has no bytes: any reference will do.
template <int slot, class Storage, int first, class First, class... Rest>
__device__ __forceinline__ Storage& part_of(PartList<Part<first, First>, Rest...>& parts) {
  if constexpr (__is_empty(Storage)) {
    return reinterpret_cast<Storage&>(parts);
  } else if constexpr (first == slot) {
    return parts.first;
  } else {
    return part_of<slot, Storage>(parts.rest);
  }
}
template <int slot, class Storage>
__device__ __forceinline__ Storage& part_of(PartList<>& parts) {
  return reinterpret_cast<Storage&>(parts);
}

/// `count` bytes, aligned for copies of whole words; an empty struct if `count` is 0.
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
