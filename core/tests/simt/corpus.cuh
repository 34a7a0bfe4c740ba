// Kernels that are wrong in one way each, and the same done right. Every one has 2 blocks of 64
// threads with 1,024 bytes of shared memory; `output` holds 64 words for each block, `value` 64
// words that are only read.
#pragma once

#include <msda/launch.cuh>
#include <msda/ptx/async_copy.cuh>
#include <msda/ptx/barrier.cuh>
#include <msda/ptx/bulk_copy.cuh>
#include <msda/ptx/cluster.cuh>
#include <msda/ptx/dependent_launch.cuh>
#include <msda/ptx/flag.cuh>
#include <msda/ptx/memory.cuh>
#include <msda/simt/thread.cuh>

namespace corpus {

using Arguments = msda::ForwardArguments;
namespace simt = msda::simt;
namespace ptx = msda::ptx;

__device__ inline unsigned* words(unsigned char* shared) {
  return reinterpret_cast<unsigned*>(shared);
}
/// The block's own.
__device__ inline unsigned* output(const Arguments& arguments) {
  return static_cast<unsigned*>(arguments.output) + simt::block() * 64;
}
__device__ inline const unsigned* value(const Arguments& arguments) {
  return static_cast<const unsigned*>(arguments.value);
}
__device__ inline ptx::Barrier* barriers(unsigned char* shared) {
  return reinterpret_cast<ptx::Barrier*>(shared + 512);
}
__device__ inline bool is_producer() { return simt::warp() == 0; }

// --- Barriers of the block -----------------------------------------------------------------------

/// Neighbours exchange a word; the barrier between is missing.
template <bool right>
__global__ void exchange(const Arguments arguments) {
  unsigned* shared = words(simt::shared_memory());
  shared[simt::thread()] = simt::thread();
  if (right) simt::syncthreads();
  output(arguments)[simt::thread()] = shared[(simt::thread() + 1) % 64];
}

/// The same twice: without the second barrier a fast thread overwrites what a slow one still reads.
template <bool right>
__global__ void exchange_twice(const Arguments arguments) {
  unsigned* shared = words(simt::shared_memory());
  for (unsigned round = 0; round < 2; ++round) {
    shared[simt::thread()] = simt::thread() + round;
    simt::syncthreads();
    output(arguments)[simt::thread()] = shared[(simt::thread() + 33) % 64];
    if (right) simt::syncthreads();
  }
}

/// Threads without work leave before a barrier of all.
template <bool right>
__global__ void early_exit(const Arguments arguments) {
  const bool has_work = simt::thread() < 60;
  if (!right && !has_work) return;
  simt::syncthreads();
  if (has_work) output(arguments)[simt::thread()] = 1;
}

/// Each role has a barrier of its own that is meant to be one of all.
template <bool right>
__global__ void divergence(const Arguments arguments) {
  if (right) {
    simt::syncthreads();
  } else if (is_producer()) {
    simt::syncthreads();
  } else {
    simt::syncthreads();
  }
  output(arguments)[simt::thread()] = 1;
}

/// A role waits at a barrier of all, and the other for it at a flag that is raised behind.
template <bool right>
__global__ void deadlock(const Arguments arguments) {
  unsigned* flag = words(simt::shared_memory());
  if (simt::thread() == 0) *flag = 0;
  simt::syncthreads();
  if (is_producer()) {
    if (!right) ptx::bar_sync(1, 64);
    if (simt::lane() == 0) ptx::red_release_add(flag);
    if (right) ptx::bar_sync(1, 64);
  } else {
    ptx::wait_for_flag(flag, 1);
    ptx::bar_sync(1, 64);
  }
  output(arguments)[simt::thread()] = 1;
}

/// Consumers spin on a flag that a producer sets only after a barrier which consumers never reach.
template <bool right>
__global__ void spin(const Arguments arguments) {
  volatile unsigned* flag = words(simt::shared_memory());
  if (simt::thread() == 0) *flag = 0;
  simt::syncthreads();
  if (is_producer()) {
    if (!right) ptx::bar_sync(1, 64);
    if (simt::lane() == 0) *flag = 1;
    if (right) ptx::bar_sync(1, 64);
  } else {
    while (*flag == 0) {
    }
    ptx::bar_sync(1, 64);
  }
  output(arguments)[simt::thread()] = 1;
}

// --- Warps ---------------------------------------------------------------------------------------

/// A lane leaves, and the others' shuffle names it.
template <bool right>
__global__ void absent_lane(const Arguments arguments) {
  if (!right && simt::lane() == 5) return;
  const unsigned sum = simt::warp_reduce(1U, [](unsigned a, unsigned b) { return a + b; });
  output(arguments)[simt::thread()] = sum;
}

/// Half of a warp shuffles, the other half waits at its barrier.
template <bool right>
__global__ void warp_divergence(const Arguments arguments) {
  unsigned other = 0;
  if (right || simt::lane() < 16) {
    other = simt::shfl_xor_sync(simt::lane(), 1);
  } else {
    simt::syncwarp();
  }
  output(arguments)[simt::thread()] = other;
}

/// The barrier of half a warp, called by the other half too.
template <bool right>
__global__ void wrong_mask(const Arguments arguments) {
  const unsigned mask = simt::lane() < 16 || !right ? 0xffffU : 0xffff0000U;
  simt::syncwarp(mask);
  output(arguments)[simt::thread()] = 1;
}

/// Lanes exchange words through shared memory, with a shuffle where a barrier belongs.
template <bool right>
__global__ void shuffle_for_barrier(const Arguments arguments) {
  unsigned* shared = words(simt::shared_memory());
  shared[simt::thread()] = simt::lane();
  const unsigned other = simt::shfl_xor_sync(simt::lane(), 1);
  if (right) simt::syncwarp();
  output(arguments)[simt::thread()] = other + shared[simt::thread() ^ 1U];
}

// --- Memory --------------------------------------------------------------------------------------

/// The right corner of the last column is read although it does not exist.
template <bool right>
__global__ void corner(const Arguments arguments) {
  const unsigned x = simt::thread();
  const unsigned other = x + 1 < 64 || !right ? value(arguments)[x + 1] : 0;
  output(arguments)[x] = value(arguments)[x] + other;
}

/// The same by a load with a hint.
template <bool right>
__global__ void hinted_corner(const Arguments arguments) {
  const unsigned x = simt::thread();
  const unsigned other = x + 1 < 64 || !right ? ptx::ldg(value(arguments) + x + 1) : 0;
  output(arguments)[x] = value(arguments)[x] + other;
}

template <bool right>
__global__ void write_to_input(const Arguments arguments) {
  auto* to = right ? output(arguments) : const_cast<unsigned*>(value(arguments));
  to[simt::thread()] = 1;
}

template <bool right>
__global__ void beyond_shared(const Arguments arguments) {
  unsigned* shared = words(simt::shared_memory());
  const unsigned stride = right ? 4 : 5;  // words: 5 need 1,264 bytes
  shared[simt::thread() * stride] = 1;
  output(arguments)[simt::thread()] = shared[simt::thread() * stride];
}

/// Padding that nobody has written is read with the rest.
template <bool right>
__global__ void uninitialised(const Arguments arguments) {
  unsigned* shared = words(simt::shared_memory());
  if (right || simt::thread() < 63) shared[simt::thread()] = 1;
  simt::syncthreads();
  output(arguments)[simt::thread()] = shared[63 - simt::thread()];
}

template <bool right>
__global__ void misaligned(const Arguments arguments) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(value(arguments));
  const unsigned at = right ? 4 * (simt::thread() / 2) : 4 * (simt::thread() / 2) + 2;
  output(arguments)[simt::thread()] = *reinterpret_cast<const unsigned*>(bytes + at);
}

/// Blocks count together, in a word that both of them read, add to and write.
template <bool right>
__global__ void tally(const Arguments arguments) {
  auto* count = static_cast<unsigned*>(arguments.output);
  if (simt::thread() != 0) return;
  if (right) {
    simt::atomic_add(count, 1U);
  } else {
    *count += 1;
  }
}

/// One block adds by an atomic operation, and the other one by two that are not.
template <bool right>
__global__ void half_a_tally(const Arguments arguments) {
  auto* count = static_cast<unsigned*>(arguments.output);
  if (simt::thread() != 0) return;
  if (right || simt::block() == 0) {
    simt::atomic_add(count, 1U);
  } else {
    *count += 1;
  }
}

/// The block that comes last reads what the others wrote before they came.
template <bool right>
__global__ void last_to_come(const Arguments arguments) {
  auto* words = static_cast<unsigned*>(arguments.output);
  if (simt::thread() != 0) return;
  words[1 + simt::block()] = simt::block();
  if (right) simt::threadfence();
  const unsigned before = simt::atomic_add(words + 127, 1U);
  if (right) simt::threadfence();
  if (before % simt::blocks() + 1 != simt::blocks()) return;
  unsigned sum = 0;
  for (unsigned block = 0; block < simt::blocks(); ++block) sum += words[1 + block];
  words[1 + simt::block()] = sum;
}

/// A write that comes behind the fence and before the count is not ordered by the one before it.
template <bool right>
__global__ void written_before_the_count(const Arguments arguments) {
  auto* words = static_cast<unsigned*>(arguments.output);
  if (simt::thread() != 0) return;
  if (right) words[1 + simt::block()] = simt::block();
  simt::threadfence();
  if (!right) words[1 + simt::block()] = simt::block();
  const unsigned before = simt::atomic_add(words + 127, 1U);
  simt::threadfence();
  const bool last = before % simt::blocks() + 1 == simt::blocks();
  if (last) words[1 + simt::block()] = words[1 + (simt::block() + 1) % simt::blocks()];
}

/// A fence orders what is before it, and no later write.
template <bool right>
__global__ void written_behind_the_fence(const Arguments arguments) {
  auto* words = static_cast<unsigned*>(arguments.output);
  if (simt::thread() != 0) return;
  if (right) words[1 + simt::block()] = simt::block();
  simt::threadfence();
  const unsigned before = simt::atomic_add(words + 127, 1U);
  simt::threadfence();
  const bool last = before % simt::blocks() + 1 == simt::blocks();
  if (!right) words[1 + simt::block()] = simt::block();
  if (last) words[1 + simt::block()] = words[1 + (simt::block() + 1) % simt::blocks()];
}

// --- Calls that no device takes ------------------------------------------------------------------

/// A named barrier counts whole warps.
template <bool right>
__global__ void part_of_a_warp(const Arguments arguments) {
  ptx::bar_arrive(1, right ? 64 : 48);
  ptx::bar_sync(2, 64);
  output(arguments)[simt::thread()] = 1;
}

/// More threads than the block has never come.
template <bool right>
__global__ void more_than_the_block(const Arguments arguments) {
  ptx::bar_sync(1, right ? 64 : 96);
  output(arguments)[simt::thread()] = 1;
}

// --- Orders --------------------------------------------------------------------------------------

/// An order has one query at two positions, and another one at none.
template <bool right>
__global__ void query_twice(const Arguments arguments) {
  const long long position = simt::block() * 64 + simt::thread();
  simt::note_order(1, 128, position, !right && position == 7 ? 3 : 127 - position);
  output(arguments)[simt::thread()] = 1;
}

// --- Lines ---------------------------------------------------------------------------------------

template <bool right>
__global__ void prints(const Arguments arguments) {
  if (simt::thread() == 5) simt::print("%u of %s", output(arguments)[0] == 7 ? 7U : 4U, "8");
}

}  // namespace corpus
