// Host bodies of ptx/multiprocessor.cuh. Two blocks after another share a multiprocessor, and those
// of odd numbers are half as fast: kernels that rely on neither are right with both.
#pragma once

#include <msda/simt/thread.cuh>

namespace msda::ptx {

MSDA_UNCHECKED inline unsigned smid() { return simt::block() / 2; }

MSDA_UNCHECKED inline unsigned long long clock64() {
  return simt::host::executor->steps() * (1 + smid() % 2);
}

}  // namespace msda::ptx
