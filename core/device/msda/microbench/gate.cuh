// A gate in a stream: what stands behind it waits until the host opens it, so that many launches
// can be enqueued before the first one runs (as nvbench's blocking kernel does).
#pragma once

#include <msda/ptx/timer.cuh>

namespace msda::microbench {

/// What host and device share of a gate, in host memory that is mapped into the device.
struct GateState {
  unsigned open;  ///< the number of the pass that the host has opened
  unsigned late;  ///< the number of the last pass that was not opened in time
};

/// One thread. Returns when pass `pass` is open, or after `limit` nanoseconds: a host that waits
/// for the stream itself before it opens the gate must not wait for ever.
__global__ void gate(volatile GateState* state, unsigned pass, unsigned long long limit) {
  const unsigned long long start = ptx::globaltimer();
  while (static_cast<int>(state->open - pass) < 0) {
    if (ptx::globaltimer() - start < limit) continue;
    state->late = pass;
    return;
  }
}

}  // namespace msda::microbench
