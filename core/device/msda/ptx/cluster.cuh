// Clusters of blocks that read each other's shared memory (PTX ISA, "Cluster of thread blocks",
// compute capability 9.0; earlier ones trap).
#pragma once

#include <msda/ptx/reduce.cuh>

#if defined(MSDA_SIMT_HOST)
#include <msda/simt/host/cluster.cuh>
#else

namespace msda::ptx {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define MSDA_CLUSTER(...) asm volatile(__VA_ARGS__)
#else
#define MSDA_CLUSTER(...) __trap()
#endif

/// Barrier of all threads of the cluster, which orders their accesses of shared memory.
__device__ __forceinline__ void cluster_sync() {
  MSDA_CLUSTER(
      "barrier.cluster.arrive.release;\n"
      "barrier.cluster.wait.acquire;" ::
          : "memory");
}

/// The address in block `rank` of the cluster that corresponds to `shared` in this block
/// (cooperative_groups' map_shared_rank).
template <class T>
__device__ __forceinline__ const T* mapa(const T* shared, unsigned rank) {
  const T* address = nullptr;
  MSDA_CLUSTER("mapa.u64 %0, %1, %2;" : "=l"(address) : "l"(shared), "r"(rank));
  return address;
}

/// The same of a number in shared memory, for red_cluster_add().
__device__ __forceinline__ SharedAddress mapa(SharedAddress shared, unsigned rank) {
  SharedAddress address = 0;
  MSDA_CLUSTER("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(shared), "r"(rank));
  return address;
}
/// Adds to a number in the shared memory of any block of the cluster, at an address of mapa().
__device__ __forceinline__ void red_cluster_add(SharedAddress to, float v) {
  MSDA_CLUSTER("red.relaxed.cluster.shared::cluster.add.f32 [%0], %1;" ::"r"(to), "f"(v)
               : "memory");
}

#undef MSDA_CLUSTER

}  // namespace msda::ptx

#endif
