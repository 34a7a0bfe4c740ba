// Host bodies of ptx/async_copy.cuh. The executor makes a copy as late as the kernel's own waits
// allow, and until then its bytes count as uninitialised.
#pragma once

#include <msda/simt/host/executor.cuh>

namespace msda::ptx {

template <int bytes>
MSDA_UNCHECKED void copy_async(void* shared, const void* global,
                               simt::host::Where where = simt::host::here()) {
  static_assert(bytes == 4 || bytes == 8 || bytes == 16, "cp.async copies 4, 8 or 16 bytes");
  simt::host::executor->copy(where, shared, global, bytes);
}

MSDA_UNCHECKED inline void commit_copies() { simt::host::executor->commit_copies(); }

template <int pending>
MSDA_UNCHECKED void wait_for_copies() {
  simt::host::executor->wait_for_copies(pending);
}

}  // namespace msda::ptx
