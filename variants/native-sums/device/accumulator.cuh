// Sums in grad_value itself, in its own type: nothing to convert, and half the bytes of float32 for
// 16-bit types, but each addition rounds to these. With `pairs` products are rounded twice: the
// corner's weight, and the product of two channels at a time.
#pragma once

#include <backward/accumulator.cuh>
#include <backward/pairs.cuh>

namespace msda::native_sums {

template <class K>
struct Sums : FloatingAccumulator<typename K::Problem::Value> {
  using Value = typename K::Problem::Value;
  static constexpr bool kInPlace = true;

  __device__ static Value* sums(const backward::Arguments& arguments) {
    return static_cast<Value*>(arguments.grad_value);
  }
};

template <class K, class Parameters>
struct Accumulator : Sums<K> {
  static constexpr const char* idle() {
    return Parameters::products == 1
               ? "pairs: values of 32 bits, or of another type than the gradient"
               : nullptr;
  }
};

/// Products two at a time.
template <class K, class Parameters>
requires(Parameters::products == 1 &&
         kHasPairs<typename K::Problem>) struct Accumulator<K, Parameters> : Sums<K> {
  using Value = typename K::Problem::Value;
  using Sums<K>::add;

  template <int n>
  __device__ static Vector<Value, n> gradient(const Vector<Value, n>& stored, float) {
    return stored;
  }
  template <int n>
  __device__ static Vector<Value, n> products(float weight, const Vector<Value, n>& gradient) {
    using Pair = typename PairOf<Value>::Type;
    const Value rounded = from_float<Value>(weight);
    Vector<Value, n> products;
    if constexpr (n % 2 == 0) {
      const Pair both = {rounded, rounded};
#pragma unroll
      for (int i = 0; i < n; i += 2) {
        reinterpret_cast<Pair*>(products.element)[i / 2] =
            __hmul2(both, reinterpret_cast<const Pair*>(gradient.element)[i / 2]);
      }
    } else {
#pragma unroll
      for (int i = 0; i < n; ++i) products.element[i] = rounded * gradient.element[i];
    }
    return products;
  }
  template <int n>
  __device__ static Vector<Value, n> addends(const Vector<Value, n>& products) {
    return products;
  }
  template <int n>
  __device__ static void add(Value* sums, const Vector<Value, n>& products) {
    ptx::red_add(sums, products.element);
  }
};

}  // namespace msda::native_sums
