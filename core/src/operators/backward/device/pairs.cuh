// Two numbers of 16 bits, which one instruction multiplies.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <msda/contract.cuh>

namespace msda {

template <class T>
struct PairOf;
template <>
struct PairOf<__half> {
  using Type = __half2;
};
template <>
struct PairOf<__nv_bfloat16> {
  using Type = __nv_bfloat162;
};

/// Whether values have pairs and the gradient has the same type.
template <class Problem>
inline constexpr bool kHasPairs =
    (kSame<typename Problem::Value, __half> ||
     kSame<typename Problem::Value, __nv_bfloat16>)&&kSame<typename Problem::Value,
                                                           typename Problem::Output>;

}  // namespace msda
