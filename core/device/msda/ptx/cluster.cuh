// Clusters of blocks that read each other's shared memory (PTX ISA, "Cluster of thread blocks",
// compute capability 9.0; earlier ones trap).
#pragma once

#if defined(MSDA_SIMT_HOST)
#include <msda/simt/host/cluster.cuh>
#else

namespace msda::ptx {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define MSDA_CLUSTER(...) asm volatile(__VA_ARGS__)
#else
#define MSDA_CLUSTER(...) __trap()
#endif

/// Barrier of all threads of the cluster's blocks, which orders what they wrote to shared memory.
__device__ __forceinline__ void sync_cluster() {
  MSDA_CLUSTER(
      "barrier.cluster.arrive.release.aligned;\n"
      "barrier.cluster.wait.acquire.aligned;" ::
          : "memory");
}

/// The address, for load_shared(), of `shared`, of this block, in block `rank` of the cluster
/// (cooperative_groups' map_shared_rank).
__device__ __forceinline__ unsigned map_shared_rank(const void* shared, unsigned rank) {
  unsigned address = 0;
  MSDA_CLUSTER("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(address)
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(shared))), "r"(rank));
  return address;
}

/// Loads a word that map_shared_rank() found. Volatile: it stays between the cluster's barriers.
template <class W>
__device__ __forceinline__ W load_shared(unsigned address) {
  W word = {};
  if constexpr (sizeof(W) == 16) {
    MSDA_CLUSTER("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
                 : "r"(address));
  } else if constexpr (sizeof(W) == 8) {
    MSDA_CLUSTER("ld.shared::cluster.v2.u32 {%0, %1}, [%2];"
                 : "=r"(word.x), "=r"(word.y)
                 : "r"(address));
  } else if constexpr (sizeof(W) == 4) {
    MSDA_CLUSTER("ld.shared::cluster.u32 %0, [%1];" : "=r"(word) : "r"(address));
  } else if constexpr (sizeof(W) == 2) {
    MSDA_CLUSTER("ld.shared::cluster.u16 %0, [%1];" : "=h"(word) : "r"(address));
  } else {
    unsigned wide = 0;
    MSDA_CLUSTER("ld.shared::cluster.u8 %0, [%1];" : "=r"(wide) : "r"(address));
    word = static_cast<W>(wide);
  }
  return word;
}

#undef MSDA_CLUSTER

}  // namespace msda::ptx

#endif
