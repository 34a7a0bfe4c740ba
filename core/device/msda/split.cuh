// Elements that are stored in two parts, each part in a plane of its own: three bytes are no
// machine word, two bytes and one byte are. The upper part has twice the bytes of the lower part,
// so that one offset serves both planes.
#pragma once

#include <msda/contract.cuh>
#include <msda/ptx/arithmetic.cuh>
#include <msda/vector.cuh>

namespace msda {

template <class T>
concept SplitElement = requires(T element) {
  element.upper;
  element.lower;
  requires sizeof(element.upper) == 2 * sizeof(element.lower);
};

/// Bytes of the unit in which offsets are counted: an element, or its lower part.
template <class T>
inline constexpr int kUnitBytes = static_cast<int>(sizeof(T));
template <SplitElement T>
inline constexpr int kUnitBytes<T> = static_cast<int>(sizeof(T::lower));

/// Bytes of an element for each byte of its unit.
template <class T>
inline constexpr int kPartsOfUnit = SplitElement<T> ? 3 : 1;

/// Bytes that an element takes in memory.
template <class T>
inline constexpr int kElementBytes = (kPartsOfUnit<T> * kUnitBytes<T>);

/// The addresses of an element in both planes.
template <class Byte>
struct SplitPointer {
  Byte* upper;
  Byte* lower;
  __device__ SplitPointer operator+(long long units) const {
    return {upper + 2 * units, lower + units};
  }
};

template <class T, class Byte>
using PointerTo = Conditional<SplitElement<T>, SplitPointer<Byte>, Byte*>;
/// The address that elements are read from.
template <class T>
using Address = PointerTo<T, const unsigned char>;

/// The address of element `index` of the `count` elements that begin at `first`. If elements are
/// split, the plane of the lower parts follows the plane of the upper parts.
template <class T, class Byte>
__device__ __forceinline__ PointerTo<T, Byte> element_of(Byte* first, long long count,
                                                         long long index) {
  if constexpr (SplitElement<T>) {
    return SplitPointer<Byte>{first, first + 2 * count * kUnitBytes<T>} + index * kUnitBytes<T>;
  } else {
    return first + index * kUnitBytes<T>;
  }
}

/// address + index * stride by ptx::mad_wide, with the stride in bytes of the unit.
template <unsigned stride>
__device__ __forceinline__ const unsigned char* strided(const unsigned char* address,
                                                        unsigned index) {
  return ptx::mad_wide<stride>(ptx::opaque(address), index);
}
template <unsigned stride>
__device__ __forceinline__ SplitPointer<const unsigned char> strided(
    const SplitPointer<const unsigned char>& address, unsigned index) {
  return {strided<2 * stride>(address.upper, index), strided<stride>(address.lower, index)};
}

/// N neighbouring split elements: a vector of upper parts and one of lower parts.
template <SplitElement T, int N>
struct Vector<T, N> {
  using Uppers = Vector<decltype(T::upper), N>;
  using Lowers = Vector<decltype(T::lower), N>;
  static constexpr int kBytes = Uppers::kBytes + Lowers::kBytes;

  Uppers upper;
  Lowers lower;

  template <class Load>
  __device__ __forceinline__ static Vector read(const Address<T>& address, Load load) {
    return {Uppers::read(address.upper, load), Lowers::read(address.lower, load)};
  }
  template <class Store>
  __device__ __forceinline__ void write(const SplitPointer<unsigned char>& address,
                                        Store store) const {
    upper.write(address.upper, store);
    lower.write(address.lower, store);
  }
  __device__ __forceinline__ void set(int n, T element) {
    upper.element[n] = element.upper;
    lower.element[n] = element.lower;
  }
};

}  // namespace msda
