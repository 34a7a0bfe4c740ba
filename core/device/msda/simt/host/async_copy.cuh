// Host bodies of ptx/async_copy.cuh. The executor makes a copy as late as the kernel's own waits
// allow, and until then its bytes count as uninitialised.
#pragma once

#include <msda/simt/host/barrier.cuh>

namespace msda::ptx {

template <int bytes>
MSDA_UNCHECKED void copy_async(void* shared, const void* global,
                               simt::host::Where where = simt::host::here()) {
  static_assert(bytes == 4 || bytes == 8 || bytes == 16, "cp.async copies 4, 8 or 16 bytes");
  simt::host::executor->copy(where, shared, global, bytes);
}

template <int bytes>
MSDA_UNCHECKED void copy_async_through_l1(void* shared, const void* global,
                                          simt::host::Where where = simt::host::here()) {
  copy_async<bytes>(shared, global, where);
}

MSDA_UNCHECKED inline void arrive_after_copies(Barrier* barrier) {
  host::touch(barrier, sizeof *barrier, simt::host::kRead | simt::host::kAtomic);
  const simt::host::Completion completion = {host::complete_arrival, barrier, 0};
  simt::host::executor->after_copies(&completion);
}

MSDA_UNCHECKED inline void commit_copies() { simt::host::executor->commit_copies(); }

template <int pending>
MSDA_UNCHECKED void wait_for_copies() {
  simt::host::executor->wait_for_copies(pending);
}

}  // namespace msda::ptx
