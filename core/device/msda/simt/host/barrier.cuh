// Host bodies of ptx/barrier.cuh. An mbarrier's state is in its eight bytes of shared memory, as on
// a GPU, and changes atomically; a thread that waits for a phase does not run until it is complete.
#pragma once

#include <msda/simt/host/executor.cuh>

extern "C" int snprintf(char*, unsigned long, const char*, ...);

namespace msda::ptx {

MSDA_UNCHECKED inline void bar_sync(int id, int threads,
                                    simt::host::Where where = simt::host::here()) {
  const simt::host::BarrierCall call = {where, "named barrier", id, static_cast<unsigned>(threads),
                                        true};
  simt::host::executor->barrier(&call);
}
MSDA_UNCHECKED inline void bar_arrive(int id, int threads,
                                      simt::host::Where where = simt::host::here()) {
  const simt::host::BarrierCall call = {where, "named barrier", id, static_cast<unsigned>(threads),
                                        false};
  simt::host::executor->barrier(&call);
}

struct alignas(8) Barrier {
  unsigned short expected;      ///< arrivals in each phase
  unsigned short pending : 15;  ///< arrivals that this phase still waits for
  unsigned short phase : 1;
  int bytes;  ///< announced and not yet copied; negative when copies were faster
};

namespace host {

using simt::host::executor;

MSDA_UNCHECKED inline void touch(const void* shared, unsigned long bytes, unsigned kind) {
  executor->access(shared, bytes, kind, __builtin_return_address(0));
}

MSDA_UNCHECKED inline void end_phase_if_complete(Barrier* barrier) {
  if (barrier->pending != 0 || barrier->bytes != 0) return;
  barrier->phase ^= 1U;
  barrier->pending = barrier->expected;
}

MSDA_UNCHECKED inline void arrive(Barrier* barrier, int bytes, simt::host::Where where) {
  using namespace simt::host;
  touch(barrier, sizeof *barrier, kRead | kAtomic);
  if (barrier->pending == 0) {
    executor->fail(where, "an mbarrier gets more arrivals than its phase was initialised for");
  }
  executor->release(barrier);
  touch(barrier, sizeof *barrier, kWrite | kAtomic);
  executor->count(kMbarrierArrival, barrier, 1);
  barrier->bytes += bytes;
  --barrier->pending;
  end_phase_if_complete(barrier);
}

/// Completions of copies: of `bytes` bytes, and of an arrival.
MSDA_UNCHECKED inline void complete_bytes(void* barrier, unsigned bytes) {
  auto* of = static_cast<Barrier*>(barrier);
  executor->release(of);
  of->bytes -= static_cast<int>(bytes);
  end_phase_if_complete(of);
}
MSDA_UNCHECKED inline void complete_arrival(void* barrier, unsigned) {
  auto* of = static_cast<Barrier*>(barrier);
  executor->release(of);
  if (of->pending != 0) --of->pending;
  end_phase_if_complete(of);
}

MSDA_UNCHECKED inline bool is_over(const void* barrier, unsigned parity) {
  return static_cast<const Barrier*>(barrier)->phase != (parity & 1U);
}
MSDA_UNCHECKED inline void describe(const void* barrier, unsigned parity, char* text,
                                    unsigned size) {
  const auto* of = static_cast<const Barrier*>(barrier);
  snprintf(text, size,
           "the phase of parity %u has %u of %u arrivals, and %d announced bytes to come", parity,
           static_cast<unsigned>(of->expected - of->pending), static_cast<unsigned>(of->expected),
           of->bytes);
}

}  // namespace host

MSDA_UNCHECKED inline void mbarrier_init(Barrier* barrier, unsigned arrivals,
                                         simt::host::Where where = simt::host::here()) {
  constexpr unsigned kMost = (1U << 15U) - 1U;
  if (arrivals == 0 || arrivals > kMost) {
    simt::host::executor->fail(where, "an mbarrier is initialised for no arrivals, or too many");
  }
  host::touch(barrier, sizeof *barrier, simt::host::kWrite);
  barrier->expected = static_cast<unsigned short>(arrivals);
  barrier->pending = arrivals & kMost;
  barrier->phase = 0;
  barrier->bytes = 0;
  simt::host::executor->init_barrier(barrier);
}
MSDA_UNCHECKED inline void fence_mbarrier_init() { simt::host::executor->fence_mbarrier_init(); }

MSDA_UNCHECKED inline void mbarrier_arrive(Barrier* barrier,
                                           simt::host::Where where = simt::host::here()) {
  host::arrive(barrier, 0, where);
}

MSDA_UNCHECKED inline bool mbarrier_test_wait(Barrier* barrier, unsigned parity) {
  host::touch(barrier, sizeof *barrier, simt::host::kRead | simt::host::kAtomic);
  if (!host::is_over(barrier, parity)) simt::host::executor->look(barrier);
  const bool over = host::is_over(barrier, parity);
  if (over) simt::host::executor->acquire(barrier);
  return over;
}
MSDA_UNCHECKED inline void mbarrier_wait(Barrier* barrier, unsigned parity,
                                         simt::host::Where where = simt::host::here()) {
  host::touch(barrier, sizeof *barrier, simt::host::kRead | simt::host::kAtomic);
  const simt::host::Condition condition = {where,  "an mbarrier", barrier,
                                           parity, host::is_over, host::describe};
  simt::host::executor->count(simt::host::kMbarrierWait, barrier, 1);
  simt::host::executor->wait(&condition);
}

}  // namespace msda::ptx
