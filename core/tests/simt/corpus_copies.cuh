// Kernels that are wrong with copies that go on by themselves, launches and clusters, and the same
// done right, as those of corpus.cuh.
#pragma once

#include <corpus.cuh>

namespace corpus {

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

/// The copy begins in the tensor and ends behind it.
template <bool right>
__global__ void beyond_the_end(const Arguments arguments) {
  unsigned char* shared = simt::shared_memory();
  ptx::Barrier* barrier = barriers(shared);
  if (simt::thread() == 0) {
    ptx::mbarrier_init(barrier, 1);
    ptx::fence_mbarrier_init();
    ptx::mbarrier_arrive_expect_tx(barrier, 256);
    ptx::cp_async_bulk(shared, value(arguments) + (right ? 0 : 4), 256, barrier);
  }
  simt::syncthreads();
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

// --- Bulk reductions -----------------------------------------------------------------------------

/// Adds the block's 64 words in shared memory to its output.
__device__ inline void begin_reduction(const Arguments& arguments, unsigned char* shared) {
  ptx::cp_reduce_async_bulk_add(reinterpret_cast<int*>(output(arguments)),
                                reinterpret_cast<const int*>(shared), 256);
  ptx::cp_async_bulk_commit_group();
}

/// Writes a word, and makes all threads' words known to the asynchronous proxy.
__device__ inline void stage(unsigned char* shared, unsigned word) {
  words(shared)[simt::thread()] = word;
  simt::syncthreads();
  ptx::fence_proxy_async();
}

/// Nothing orders the words behind the writes, for the asynchronous proxy.
template <bool right>
__global__ void unfenced_reduction(const Arguments arguments) {
  unsigned char* shared = simt::shared_memory();
  words(shared)[simt::thread()] = simt::thread();
  simt::syncthreads();
  if (simt::thread() != 0) return;
  if (right) ptx::fence_proxy_async();
  begin_reduction(arguments, shared);
  ptx::cp_async_bulk_wait_group_read<0>();
}

/// The words are written again while the reduction still reads them.
template <bool right>
__global__ void reused_too_early(const Arguments arguments) {
  unsigned char* shared = simt::shared_memory();
  for (unsigned round = 0; round < 2; ++round) {
    stage(shared, round);
    if (simt::thread() == 0) {
      begin_reduction(arguments, shared);
      if (right) ptx::cp_async_bulk_wait_group_read<0>();
    }
    simt::syncthreads();
  }
  ptx::cp_async_bulk_wait_group_read<0>();
}

/// One thread knows that the words have been read, and the others write without being told.
template <bool right>
__global__ void untold_of_reduction(const Arguments arguments) {
  unsigned char* shared = simt::shared_memory();
  stage(shared, 1);
  if (simt::thread() == 0) begin_reduction(arguments, shared);
  simt::syncthreads();
  ptx::cp_async_bulk_wait_group_read<0>();
  if (right) simt::syncthreads();
  words(shared)[simt::thread()] = 2;
}

/// The block ends while a reduction reads its memory: the group before the last was waited for.
template <bool right>
__global__ void unwaited_reduction(const Arguments arguments) {
  unsigned char* shared = simt::shared_memory();
  stage(shared, 1);
  if (simt::thread() != 0) return;
  for (unsigned round = 0; round < 2; ++round) begin_reduction(arguments, shared);
  ptx::cp_async_bulk_wait_group_read<(right ? 0 : 1)>();
}

/// Half of the words were never written.
template <bool right>
__global__ void reduction_of_nothing(const Arguments arguments) {
  unsigned char* shared = simt::shared_memory();
  if (right || is_producer()) words(shared)[simt::thread()] = 1;
  simt::syncthreads();
  if (simt::thread() != 0) return;
  ptx::fence_proxy_async();
  begin_reduction(arguments, shared);
  ptx::cp_async_bulk_wait_group_read<0>();
}

// --- Launches that begin early -------------------------------------------------------------------

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

/// One block has gone for long when the other one reads its words.
template <bool right>
__global__ void cluster_gone(const Arguments arguments) {
  unsigned* shared = words(simt::shared_memory());
  shared[simt::thread()] = simt::thread();
  ptx::cluster_sync();
  if (simt::block() % 2 == 0) {
    for (int i = 0; i < 4; ++i) simt::syncthreads();
    output(arguments)[simt::thread()] = *ptx::mapa(shared + simt::thread(), 1);
  }
  if (right) ptx::cluster_sync();
}

/// One block has done its work, and in the other one half waits for a flag that nobody sets: that
/// others have left is not why.
template <bool right>
__global__ void deadlock_beside(const Arguments arguments) {
  ptx::Barrier* barrier = barriers(simt::shared_memory());
  if (simt::block() % 2 == 1) return;
  if (!right && !is_producer()) {
    if (simt::thread() == 32) ptx::mbarrier_init(barrier, 1);
    simt::syncwarp();
    ptx::mbarrier_wait(barrier, 0);
  }
  simt::syncthreads();
  output(arguments)[simt::thread()] = 1;
}

}  // namespace corpus
