// Loads and stores with the cache operators of PTX ISA, section "Cache operators" and "cache
// eviction priority". The only place, with its neighbours in this folder, that holds inline
// assembly.
#pragma once

namespace msda::ptx {

/// A machine word of 2, 4, 8 or 16 bytes.
template <int bytes>
struct WordOf;
template <>
struct WordOf<2> {
  using Type = unsigned short;
};
template <>
struct WordOf<4> {
  using Type = unsigned;
};
template <>
struct WordOf<8> {
  using Type = uint2;
};
template <>
struct WordOf<16> {
  using Type = uint4;
};
template <int bytes>
using Word = typename WordOf<bytes>::Type;

/// Defines NAME(const Word*) for every word size with the PTX opcode `ld.SUFFIX`. The inputs are
/// read-only while a kernel runs, so the loads are not volatile: the compiler may move and merge
/// them.
#define MSDA_PTX_LOAD(NAME, SUFFIX)                                              \
  __device__ __forceinline__ unsigned short NAME(const unsigned short* p) {      \
    unsigned short r;                                                            \
    asm("ld." SUFFIX ".u16 %0, [%1];" : "=h"(r) : "l"(p));                       \
    return r;                                                                    \
  }                                                                              \
  __device__ __forceinline__ unsigned NAME(const unsigned* p) {                  \
    unsigned r;                                                                  \
    asm("ld." SUFFIX ".u32 %0, [%1];" : "=r"(r) : "l"(p));                       \
    return r;                                                                    \
  }                                                                              \
  __device__ __forceinline__ uint2 NAME(const uint2* p) {                        \
    uint2 r;                                                                     \
    asm("ld." SUFFIX ".v2.u32 {%0, %1}, [%2];" : "=r"(r.x), "=r"(r.y) : "l"(p)); \
    return r;                                                                    \
  }                                                                              \
  __device__ __forceinline__ uint4 NAME(const uint4* p) {                        \
    uint4 r;                                                                     \
    asm("ld." SUFFIX ".v4.u32 {%0, %1, %2, %3}, [%4];"                           \
        : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)                             \
        : "l"(p));                                                               \
    return r;                                                                    \
  }

/// Defines NAME(Word*, Word) for every word size with the PTX opcode `st.SUFFIX`.
#define MSDA_PTX_STORE(NAME, SUFFIX)                                                              \
  __device__ __forceinline__ void NAME(unsigned short* p, unsigned short v) {                     \
    asm volatile("st." SUFFIX ".u16 [%0], %1;" ::"l"(p), "h"(v) : "memory");                      \
  }                                                                                               \
  __device__ __forceinline__ void NAME(unsigned* p, unsigned v) {                                 \
    asm volatile("st." SUFFIX ".u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");                      \
  }                                                                                               \
  __device__ __forceinline__ void NAME(uint2* p, uint2 v) {                                       \
    asm volatile("st." SUFFIX ".v2.u32 [%0], {%1, %2};" ::"l"(p), "r"(v.x), "r"(v.y) : "memory"); \
  }                                                                                               \
  __device__ __forceinline__ void NAME(uint4* p, uint4 v) {                                       \
    asm volatile("st." SUFFIX ".v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(v.x), "r"(v.y),     \
                 "r"(v.z), "r"(v.w)                                                               \
                 : "memory");                                                                     \
  }

MSDA_PTX_LOAD(load_cached_in_l2, "global.cg")                 // skips L1
MSDA_PTX_LOAD(load_evict_first, "global.nc.L1::evict_first")  // leaves L1 first
MSDA_PTX_LOAD(load_evict_last, "global.nc.L1::evict_last")    // leaves L1 last
MSDA_PTX_LOAD(load_no_allocate, "global.nc.L1::no_allocate")  // read-only, not kept in L1
MSDA_PTX_STORE(store_streaming, "global.cs")                  // likely not read again
MSDA_PTX_STORE(store_cached_in_l2, "global.cg")

#undef MSDA_PTX_LOAD
#undef MSDA_PTX_STORE

/// Load that is really done each time it is written, through L1 (ld.volatile would skip it).
__device__ __forceinline__ uint4 load_cached_in_l1(const uint4* p) {
  uint4 r;
  asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)
               : "l"(p));
  return r;
}

/// Read-only load through L1 (ld.global.nc): the compiler may move it freely.
template <class W>
__device__ __forceinline__ W load_readonly(const W* p) {
  return __ldg(p);
}

}  // namespace msda::ptx
