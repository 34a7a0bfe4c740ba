// Host bodies of ptx/cluster.cuh. All blocks of a cluster run together; an address in another block
// counts from the shared memory of the cluster's first.
#pragma once

#include <msda/simt/host/executor.cuh>

namespace msda::ptx {

MSDA_UNCHECKED inline unsigned cluster_rank() { return simt::host::me().cluster_rank; }

MSDA_UNCHECKED inline void sync_cluster(simt::host::Where where = simt::host::here()) {
  const simt::host::BarrierCall call = {where, "cluster barrier", simt::host::kClusterBarrier, 0,
                                        true};
  simt::host::executor->barrier(&call);
}

namespace host {

MSDA_UNCHECKED inline unsigned char* mapped(const void* shared, unsigned rank,
                                            simt::host::Where where) {
  return static_cast<unsigned char*>(simt::host::executor->map_shared(where, shared, rank));
}
MSDA_UNCHECKED inline unsigned char* first_block(simt::host::Where where) {
  return mapped(simt::host::me().shared, 0, where);
}

}  // namespace host

MSDA_UNCHECKED inline unsigned map_shared_rank(const void* shared, unsigned rank,
                                               simt::host::Where where = simt::host::here()) {
  return static_cast<unsigned>(host::mapped(shared, rank, where) - host::first_block(where));
}

template <class W>
W load_shared(unsigned address, simt::host::Where where = simt::host::here()) {
  return *reinterpret_cast<const W*>(host::first_block(where) + address);
}

}  // namespace msda::ptx
