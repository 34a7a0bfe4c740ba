// Stands for CUDA's header of this name in units compiled for the host.
#pragma once

#include <msda/simt/host/half2.cuh>

using __nv_bfloat16 = msda::simt::host::Scalar16<msda::simt::host::BFloat>;
using __nv_bfloat162 = msda::simt::host::Pair16<msda::simt::host::BFloat>;

MSDA_NARROW_CONVERSIONS(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162)
MSDA_NARROW_ARITHMETIC(__nv_bfloat16, __nv_bfloat162)

inline float __bfloat162float(__nv_bfloat16 v) { return v; }
inline float2 __bfloat1622float2(__nv_bfloat162 v) { return {v.x, v.y}; }
inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
