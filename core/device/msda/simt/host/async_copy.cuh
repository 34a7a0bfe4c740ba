// Host bodies of ptx/async_copy.cuh. The executor copies as late as the kernel's waits allow; until
// then the bytes count as uninitialised.
#pragma once

#include <msda/simt/host/barrier.cuh>

namespace msda::ptx {

template <int bytes>
MSDA_UNCHECKED void cp_async(void* shared, const void* global,
                             simt::host::Where where = simt::host::here()) {
  static_assert(bytes == 4 || bytes == 8 || bytes == 16, "cp.async copies 4, 8 or 16 bytes");
  simt::host::executor->copy(where, shared, global, bytes);
}

template <int bytes>
MSDA_UNCHECKED void cp_async_ca(void* shared, const void* global,
                                simt::host::Where where = simt::host::here()) {
  cp_async<bytes>(shared, global, where);
}

MSDA_UNCHECKED inline void cp_async_mbarrier_arrive_noinc(Barrier* barrier) {
  host::touch(barrier, sizeof *barrier, simt::host::kRead | simt::host::kAtomic);
  const simt::host::Completion completion = {host::complete_arrival, barrier, 0};
  simt::host::executor->cp_async_mbarrier_arrive(&completion);
}

MSDA_UNCHECKED inline void cp_async_commit_group() {
  simt::host::executor->cp_async_commit_group();
}

template <int pending>
MSDA_UNCHECKED void cp_async_wait_group() {
  simt::host::executor->cp_async_wait_group(pending);
}

}  // namespace msda::ptx
