// Stands for CUDA's header of this name in units compiled for the host.
#pragma once

#include <cuda_fp16.h>

using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;

enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float v, __nv_saturation_t saturation,
                                                __nv_fp8_interpretation_t format) {
  using namespace msda::simt::host;
  const bool saturates = saturation == __NV_SATFINITE;
  return static_cast<__nv_fp8_storage_t>(format == __NV_E4M3 ? Fp8E4M3::round(v, saturates)
                                                             : Fp8E5M2::round(v, saturates));
}

/// Exact: every number of 8 bits is one of 16 bits.
inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t v, __nv_fp8_interpretation_t format) {
  using namespace msda::simt::host;
  const float wide = format == __NV_E4M3 ? Fp8E4M3::widen(v) : Fp8E5M2::widen(v);
  return {static_cast<unsigned short>(Half::round(wide))};
}
inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t v,
                                              __nv_fp8_interpretation_t format) {
  return {__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(v & 0xffU), format).x,
          __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(v >> 8U), format).x};
}
