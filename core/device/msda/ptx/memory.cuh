// Loads and stores with the cache operators of PTX ISA, section "Cache operators" and "cache
// eviction priority". No code outside this folder has inline assembly.
#pragma once

namespace msda::ptx {

/// A machine word of 1, 2, 4, 8 or 16 bytes.
template <int bytes>
struct WordOf;
template <>
struct WordOf<1> {
  using Type = unsigned char;
};
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

#if !defined(MSDA_SIMT_HOST)

/// Returns its argument, opaque to the compiler: the sum so far is computed once, and a constant
/// that is added later becomes part of the load instruction. Otherwise the compiler adds the common
/// parts of addresses again for each load.
__device__ __forceinline__ const unsigned char* opaque(const unsigned char* address) {
  asm("" : "+l"(address));
  return address;
}
__device__ __forceinline__ int opaque(int offset) {
  asm("" : "+r"(offset));
  return offset;
}

/// Defines NAME(const Word*) for every word size with the PTX opcode `ld.SUFFIX`. HINT1, HINT2 and
/// HINT4 follow the address in loads of 1, 2 and 4 registers; their operands come after an empty
/// argument. The inputs are read-only while a kernel runs, so the loads are not volatile: the
/// compiler may move and merge them.
#define MSDA_PTX_LOADS(NAME, SUFFIX, HINT1, HINT2, HINT4, ...)                 \
  __device__ __forceinline__ unsigned char NAME(const unsigned char* p) {      \
    unsigned r;                                                                \
    asm("ld." SUFFIX ".u8 %0, [%1]" HINT1 ";" : "=r"(r) : "l"(p)__VA_ARGS__);  \
    return static_cast<unsigned char>(r);                                      \
  }                                                                            \
  __device__ __forceinline__ unsigned short NAME(const unsigned short* p) {    \
    unsigned short r;                                                          \
    asm("ld." SUFFIX ".u16 %0, [%1]" HINT1 ";" : "=h"(r) : "l"(p)__VA_ARGS__); \
    return r;                                                                  \
  }                                                                            \
  __device__ __forceinline__ unsigned NAME(const unsigned* p) {                \
    unsigned r;                                                                \
    asm("ld." SUFFIX ".u32 %0, [%1]" HINT1 ";" : "=r"(r) : "l"(p)__VA_ARGS__); \
    return r;                                                                  \
  }                                                                            \
  __device__ __forceinline__ uint2 NAME(const uint2* p) {                      \
    uint2 r;                                                                   \
    asm("ld." SUFFIX ".v2.u32 {%0, %1}, [%2]" HINT2 ";"                        \
        : "=r"(r.x), "=r"(r.y)                                                 \
        : "l"(p)__VA_ARGS__);                                                  \
    return r;                                                                  \
  }                                                                            \
  __device__ __forceinline__ uint4 NAME(const uint4* p) {                      \
    uint4 r;                                                                   \
    asm("ld." SUFFIX ".v4.u32 {%0, %1, %2, %3}, [%4]" HINT4 ";"                \
        : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)                           \
        : "l"(p)__VA_ARGS__);                                                  \
    return r;                                                                  \
  }
#define MSDA_PTX_LOAD(NAME, SUFFIX) MSDA_PTX_LOADS(NAME, SUFFIX, "", "", "")
/// With an eviction policy for L2, and the suffix `L1` for L1.
#define MSDA_PTX_LOAD_POLICY(NAME, L1, PRIORITY)                                   \
  MSDA_PTX_LOADS(NAME, "global.nc" L1 ".L2::cache_hint", ", %2", ", %3", ", %5", , \
                 "l"(createpolicy_##PRIORITY()))

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

__device__ __forceinline__ unsigned long long createpolicy_evict_first() {
  unsigned long long policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0;" : "=l"(policy));
  return policy;
}
__device__ __forceinline__ unsigned long long createpolicy_evict_last() {
  unsigned long long policy;
  asm("createpolicy.fractional.L2::evict_last.b64 %0;" : "=l"(policy));
  return policy;
}

MSDA_PTX_LOAD(ld_cg, "global.cg")                                 // Load that skips L1
MSDA_PTX_LOAD(ld_nc_l1_no_allocate, "global.nc.L1::no_allocate")  // Read-only load, not kept in L1
MSDA_PTX_LOAD(ld_nc_l2_64b, "global.nc.L2::64B")    // Load, with the 64 bytes around it into L2
MSDA_PTX_LOAD(ld_nc_l2_128b, "global.nc.L2::128B")  // Load, with the 128 bytes around it into L2
MSDA_PTX_LOAD(ld_nc_l2_256b, "global.nc.L2::256B")  // Load, with the 256 bytes around it into L2
MSDA_PTX_LOAD_POLICY(ld_nc_evict_first, "", evict_first)  // Load of what L2 evicts first
MSDA_PTX_LOAD_POLICY(ld_nc_evict_last, "", evict_last)    // Load of what L2 evicts last
MSDA_PTX_LOAD_POLICY(ld_nc_no_allocate_evict_first, ".L1::no_allocate", evict_first)  // Read once
MSDA_PTX_STORE(st_cs, "global.cs")  // Store of what is not read again soon

#undef MSDA_PTX_LOAD_POLICY
#undef MSDA_PTX_LOAD
#undef MSDA_PTX_LOADS
#undef MSDA_PTX_STORE

/// Load through L1 that the compiler never removes or merges (ld.volatile would skip L1).
__device__ __forceinline__ uint4 ld_ca(const uint4* p) {
  uint4 r;
  asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)
               : "l"(p));
  return r;
}

/// Load from a generic address that the compiler never removes or merges.
__device__ __forceinline__ uint4 ld_generic(const uint4* p) {
  uint4 r;
  asm volatile("ld.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)
               : "l"(p));
  return r;
}

/// Read-only load through L1 (ld.global.nc): the compiler may move it freely.
template <class W>
__device__ __forceinline__ W ldg(const W* p) {
  return __ldg(p);
}

#endif

}  // namespace msda::ptx

#if defined(MSDA_SIMT_HOST)
#include <msda/simt/host/memory.cuh>
#endif
