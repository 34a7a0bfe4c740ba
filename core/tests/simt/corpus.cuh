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

// --- Asynchronous copies and mbarriers -----------------------------------------------------------

/// The copied words are read before the copy is waited for.
template <bool right>
__global__ void unwaited_copy(const Arguments arguments) {
  unsigned* shared = words(simt::shared_memory());
  ptx::cp_async<4>(shared + simt::thread(), value(arguments) + simt::thread());
  ptx::cp_async_commit_group();
  if (right) ptx::cp_async_wait_group<0>();
  output(arguments)[simt::thread()] = shared[simt::thread()];
}

/// Two producers' warps arrive, and the barrier was initialised for `right ? 2 : 3`.
template <bool right>
__global__ void arrivals(const Arguments arguments) {
  ptx::Barrier* barrier = barriers(simt::shared_memory());
  if (simt::thread() == 0) ptx::mbarrier_init(barrier, right ? 2 : 3);
  simt::syncthreads();
  simt::syncwarp();
  if (simt::lane() == 0) ptx::mbarrier_arrive(barrier);
  ptx::mbarrier_wait(barrier, 0);
  output(arguments)[simt::thread()] = 1;
}

/// All threads arrive where one for each warp was agreed on, while an announced copy keeps the
/// phase from ending.
template <bool right>
__global__ void too_many_arrivals(const Arguments arguments) {
  ptx::Barrier* barrier = barriers(simt::shared_memory());
  if (simt::thread() == 0) {
    ptx::mbarrier_init(barrier, right ? 64 : 2);
    ptx::fence_mbarrier_init();
    ptx::mbarrier_arrive_expect_tx(barrier, 16);
  }
  simt::syncthreads();
  if (simt::thread() != 0) ptx::mbarrier_arrive(barrier);
  simt::syncthreads();
  if (simt::thread() == 0) ptx::cp_async_bulk(simt::shared_memory(), value(arguments), 16, barrier);
  ptx::mbarrier_wait(barrier, 0);
  output(arguments)[simt::thread()] = 1;
}

/// More bytes are announced than the copy has.
template <bool right>
__global__ void bytes(const Arguments arguments) {
  unsigned char* shared = simt::shared_memory();
  ptx::Barrier* barrier = barriers(shared);
  if (simt::thread() == 0) {
    ptx::mbarrier_init(barrier, 1);
    ptx::fence_mbarrier_init();
  }
  simt::syncthreads();
  if (simt::thread() == 0) {
    ptx::mbarrier_arrive_expect_tx(barrier, right ? 256 : 272);
    ptx::cp_async_bulk(shared, value(arguments), 256, barrier);
  }
  ptx::mbarrier_wait(barrier, 0);
  output(arguments)[simt::thread()] = words(shared)[simt::thread()];
}

/// The barrier is used before a barrier of the block has made it known.
template <bool right>
__global__ void unpublished(const Arguments arguments) {
  ptx::Barrier* barrier = barriers(simt::shared_memory());
  if (simt::thread() == 63) ptx::mbarrier_init(barrier, 64);
  if (right) simt::syncthreads();
  ptx::mbarrier_arrive(barrier);
  ptx::mbarrier_wait(barrier, 0);
  output(arguments)[simt::thread()] = 1;
}

/// The TMA does not know of the barrier that its bytes go to.
template <bool right>
__global__ void unpublished_to_tma(const Arguments arguments) {
  unsigned char* shared = simt::shared_memory();
  ptx::Barrier* barrier = barriers(shared);
  if (simt::thread() == 0) {
    ptx::mbarrier_init(barrier, 1);
    if (right) ptx::fence_mbarrier_init();
    ptx::mbarrier_arrive_expect_tx(barrier, 256);
    ptx::cp_async_bulk(shared, value(arguments), 256, barrier);
  }
  simt::syncthreads();
  ptx::mbarrier_wait(barrier, 0);
  output(arguments)[simt::thread()] = words(shared)[simt::thread()];
}

/// By one thread: a barrier that waits for one copy, and the copy, of 256 bytes.
__device__ inline void begin_copy(const Arguments& arguments, ptx::Barrier* barrier) {
  ptx::mbarrier_init(barrier, 1);
  ptx::fence_mbarrier_init();
  ptx::mbarrier_arrive_expect_tx(barrier, 256);
  ptx::cp_async_bulk(simt::shared_memory(), value(arguments), 256, barrier);
}

/// One thread has waited for the copy; the others only know that it was begun.
template <bool right>
__global__ void untold_of_copy(const Arguments arguments) {
  unsigned char* shared = simt::shared_memory();
  ptx::Barrier* barrier = barriers(shared);
  if (simt::thread() == 0) begin_copy(arguments, barrier);
  simt::syncthreads();
  if (right || simt::thread() == 0) ptx::mbarrier_wait(barrier, 0);
  if (simt::thread() >= 32) return;
  const unsigned lane = simt::shfl_xor_sync(simt::lane(), 1);  // it has come, and orders no memory
  output(arguments)[lane] = words(shared)[lane];
}

/// The block ends, and nobody has waited for the copy.
template <bool right>
__global__ void unwaited_bulk_copy(const Arguments arguments) {
  ptx::Barrier* barrier = barriers(simt::shared_memory());
  if (simt::thread() == 0) {
    begin_copy(arguments, barrier);
    if (right) ptx::mbarrier_wait(barrier, 0);
  }
  output(arguments)[simt::thread()] = 1;
}

/// A role only arrives, and the other does not come to wait.
template <bool right>
__global__ void half_a_barrier(const Arguments arguments) {
  if (is_producer()) {
    ptx::bar_arrive(1, 64);
  } else if (right) {
    ptx::bar_sync(1, 64);
  }
  output(arguments)[simt::thread()] = 1;
}

/// Words that threads have written and read are overwritten by a bulk copy, which is another
/// proxy's: a barrier alone does not order it behind them.
template <bool right>
__global__ void unfenced(const Arguments arguments) {
  unsigned char* shared = simt::shared_memory();
  ptx::Barrier* barrier = barriers(shared);
  if (simt::thread() == 0) {
    ptx::mbarrier_init(barrier, 1);
    ptx::fence_mbarrier_init();
  }
  words(shared)[simt::thread()] = simt::thread();
  simt::syncthreads();
  output(arguments)[simt::thread()] = words(shared)[63 - simt::thread()];
  simt::syncthreads();
  if (simt::thread() == 0) {
    if (right) ptx::fence_proxy_async();
    ptx::mbarrier_arrive_expect_tx(barrier, 256);
    ptx::cp_async_bulk(shared, value(arguments), 256, barrier);
  }
  ptx::mbarrier_wait(barrier, 0);
  output(arguments)[simt::thread()] += words(shared)[simt::thread()];
}

// --- Launches that begin early
// ---------------------------------------------------------------------

/// Writes over what the launch before perhaps still reads.
template <bool right>
__global__ void early_write(const Arguments arguments) {
  ptx::griddepcontrol_launch_dependents();
  if (right) ptx::griddepcontrol_wait();
  output(arguments)[simt::thread()] = 1;
}

/// One thread has waited, and another begins a copy.
template <bool right>
__global__ void early_copy(const Arguments arguments) {
  unsigned char* shared = simt::shared_memory();
  if (right || simt::thread() == 0) ptx::griddepcontrol_wait();
  if (simt::thread() == 1) {
    ptx::cp_async<16>(shared, value(arguments));
    ptx::cp_async_commit_group();
    ptx::cp_async_wait_group<0>();
    output(arguments)[0] = words(shared)[0];
  }
}

// --- Clusters of two blocks ----------------------------------------------------------------------

/// Each block reads the other's word before that has written it.
template <bool right>
__global__ void cluster_read(const Arguments arguments) {
  unsigned* shared = words(simt::shared_memory());
  shared[simt::thread()] = simt::thread();
  if (right) ptx::cluster_sync();
  output(arguments)[simt::thread()] = *ptx::mapa(shared + simt::thread(), 1 - simt::block() % 2);
  ptx::cluster_sync();
}

/// Each block reads the other's word and ends: its memory goes, and its neighbour may still read.
template <bool right>
__global__ void cluster_leave(const Arguments arguments) {
  unsigned* shared = words(simt::shared_memory());
  shared[simt::thread()] = simt::thread();
  ptx::cluster_sync();
  output(arguments)[simt::thread()] = *ptx::mapa(shared + simt::thread(), 1 - simt::block() % 2);
  if (right) ptx::cluster_sync();
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
