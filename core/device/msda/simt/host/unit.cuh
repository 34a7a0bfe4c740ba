// The first header of a unit compiled for the host: CUDA's keywords and types, and the executor.
#pragma once

#include <msda/simt/host/executor.cuh>

#define __global__
#define __device__
#define __host__
#define __constant__ const
#define __forceinline__ inline
#define __noinline__
#define __grid_constant__
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))

/// Code of the executor's side: neither checked nor counted.
#define MSDA_UNCHECKED __attribute__((no_sanitize("thread"), no_sanitize_coverage))

namespace msda::simt::host {

/// Null while no kernel runs: initialisers of the unit are instrumented too.
inline const Executor* executor = nullptr;

/// Members of the table, or dummies while no kernel runs: each access and basic block reads them.
inline ThreadState nobody = {.stack = 0, .stack_bytes = ~0UL};
inline ThreadState* const nobody_runs = &nobody;
inline ThreadState* const* current = &nobody_runs;
inline long long endless = 0x7fffffffffffffffLL;
inline long long* slice = &endless;

MSDA_UNCHECKED inline const ThreadState& me() { return **current; }

MSDA_UNCHECKED inline void count(Event event) {
  if (executor != nullptr) executor->count(event, nullptr, 1);
}

}  // namespace msda::simt::host

extern "C" {

/// Called before a kernel with the table, and after it with null.
__attribute__((visibility("default"), used)) MSDA_UNCHECKED inline void msda_simt_attach(
    const msda::simt::host::Executor* executor) {
  using namespace msda::simt;
  host::executor = executor;
  host::current = executor != nullptr ? executor->current : &host::nobody_runs;
  host::slice = executor != nullptr ? executor->slice : &host::endless;
}

float fmaf(float, float, float);
double fma(double, double, double);
float sqrtf(float);
float rsqrtf(float);
float floorf(float);
float ceilf(float);
float rintf(float);
float truncf(float);
float expf(float);
float exp2f(float);
float logf(float);
float log2f(float);
void* memcpy(void*, const void*, unsigned long);
}

struct alignas(4) char4 {
  signed char x, y, z, w;
};
struct alignas(4) uchar4 {
  unsigned char x, y, z, w;
};
struct alignas(4) ushort2 {
  unsigned short x, y;
};
struct alignas(8) ushort4 {
  unsigned short x, y, z, w;
};
struct alignas(8) int2 {
  int x, y;
};
struct alignas(16) int4 {
  int x, y, z, w;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct uint3 {
  unsigned x, y, z;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(8) float2 {
  float x, y;
};
struct float3 {
  float x, y, z;
};
struct alignas(16) float4 {
  float x, y, z, w;
};

inline int2 make_int2(int x, int y) { return {x, y}; }
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

#include <msda/simt/host/math.cuh>

namespace msda::simt::host {

/// Calls a kernel with as much of the host's arguments as it takes.
template <class Taken>
void call(void (*kernel)(Taken), const void* arguments) {
  kernel(*static_cast<const Taken*>(arguments));
}

}  // namespace msda::simt::host
