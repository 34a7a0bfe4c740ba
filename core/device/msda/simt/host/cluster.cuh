// Host bodies of ptx/cluster.cuh. All blocks of a cluster run together.
#pragma once

#include <msda/simt/host/executor.cuh>

namespace msda::ptx {

MSDA_UNCHECKED inline void cluster_sync(simt::host::Where where = simt::host::here()) {
  const simt::host::BarrierCall call = {where, "cluster barrier", simt::host::kClusterBarrier, 0,
                                        true};
  simt::host::executor->barrier(&call);
}

template <class T>
MSDA_UNCHECKED inline const T* mapa(const T* shared, unsigned rank,
                                    simt::host::Where where = simt::host::here()) {
  return static_cast<const T*>(simt::host::executor->mapa(where, shared, rank));
}

MSDA_UNCHECKED inline SharedAddress mapa(SharedAddress shared, unsigned rank,
                                         simt::host::Where where = simt::host::here()) {
  return static_cast<SharedAddress>(simt::host::executor->mapa(where, shared, rank));
}
MSDA_UNCHECKED inline void red_cluster_add(SharedAddress to, float v) {
  const float numbers[1] = {v};
  host::red_add(reinterpret_cast<float*>(to), numbers, __builtin_return_address(0));
}

}  // namespace msda::ptx
