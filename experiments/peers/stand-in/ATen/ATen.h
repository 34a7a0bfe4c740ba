// What the peers' kernels need of PyTorch's headers, so that they compile without PyTorch: 16-bit
// types whose every operation is done in float and rounded back, as c10::Half and c10::BFloat16 do,
// and assertions. Nothing else of these names' owners is here.
#pragma once

#include <cstdint>
#include <stdexcept>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define AT_ASSERTM(condition, ...)                          \
  do {                                                      \
    if (!(condition)) throw std::runtime_error(#condition); \
  } while (false)

namespace c10 {

#define MSDA_STAND_IN(Type, Native, from_float, to_float)                                   \
  struct alignas(2) Type {                                                                  \
    unsigned short x;                                                                       \
    Type() = default;                                                                       \
    __host__ __device__ Type(float value) {                                                 \
      const Native native = from_float(value);                                              \
      x = *reinterpret_cast<const unsigned short*>(&native);                                \
    }                                                                                       \
    __host__ __device__ operator float() const {                                            \
      return to_float(*reinterpret_cast<const Native*>(&x));                                \
    }                                                                                       \
  };                                                                                        \
  MSDA_STAND_IN_OPERATOR(Type, +)                                                           \
  MSDA_STAND_IN_OPERATOR(Type, -)                                                           \
  MSDA_STAND_IN_OPERATOR(Type, *)                                                           \
  inline __host__ __device__ Type& operator+=(Type& a, const Type& b) { return a = a + b; } \
  inline __host__ __device__ float& operator+=(float& a, const Type& b) {                   \
    return a += static_cast<float>(b);                                                      \
  }

// With each other and with integers in the type itself, with float and double in those.
#define MSDA_STAND_IN_OPERATOR(Type, op)                                                           \
  inline __host__ __device__ Type operator op(const Type& a, const Type& b) {                      \
    return static_cast<float>(a) op static_cast<float>(b);                                         \
  }                                                                                                \
  inline __host__ __device__ Type operator op(Type a, int b) { return a op static_cast<Type>(b); } \
  inline __host__ __device__ Type operator op(int a, Type b) { return static_cast<Type>(a) op b; } \
  inline __host__ __device__ float operator op(Type a, float b) {                                  \
    return static_cast<float>(a) op b;                                                             \
  }                                                                                                \
  inline __host__ __device__ float operator op(float a, Type b) {                                  \
    return a op static_cast<float>(b);                                                             \
  }                                                                                                \
  inline __host__ __device__ double operator op(Type a, double b) {                                \
    return static_cast<double>(a) op b;                                                            \
  }                                                                                                \
  inline __host__ __device__ double operator op(double a, Type b) {                                \
    return a op static_cast<double>(b);                                                            \
  }

MSDA_STAND_IN(Half, __half, __float2half, __half2float)
MSDA_STAND_IN(BFloat16, __nv_bfloat16, __float2bfloat16, __bfloat162float)

#undef MSDA_STAND_IN
#undef MSDA_STAND_IN_OPERATOR

}  // namespace c10

namespace at {

using c10::BFloat16;
using c10::Half;

/// Named, never used.
class Tensor;

namespace detail {
template <class T>
struct OpMath {
  using type = T;
};
template <>
struct OpMath<Half> {
  using type = float;
};
template <>
struct OpMath<BFloat16> {
  using type = float;
};
}  // namespace detail

template <class T>
using opmath_type = typename detail::OpMath<T>::type;

}  // namespace at
