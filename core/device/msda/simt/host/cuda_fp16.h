// Stands for CUDA's header of this name in units compiled for the host.
#pragma once

#include <msda/simt/host/half2.cuh>

using __half = msda::simt::host::Scalar16<msda::simt::host::Half>;
using __half2 = msda::simt::host::Pair16<msda::simt::host::Half>;
using half = __half;
using half2 = __half2;
using __half_raw = msda::simt::host::Raw16;
using __half2_raw = msda::simt::host::Raw32;

MSDA_NARROW_CONVERSIONS(__half, __half2, half, half2)
MSDA_NARROW_ARITHMETIC(__half, __half2)

inline float __half2float(__half v) { return v; }
inline float2 __half22float2(__half2 v) { return {v.x, v.y}; }
inline __half __low2half(__half2 v) { return v.x; }
inline __half __high2half(__half2 v) { return v.y; }
inline int __half2int_rn(__half v) { return __float2int_rn(v); }
inline int __half2int_rd(__half v) { return __float2int_rd(v); }
