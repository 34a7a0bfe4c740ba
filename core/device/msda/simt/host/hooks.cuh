// The functions that the compiler's instrumentation calls before each access of memory and in each
// basic block (-fsanitize=thread, -fsanitize-coverage=trace-pc), compiled once and linked to each
// unit.
#pragma once

#include <msda/simt/host/unit.cuh>

namespace msda::simt::host {

MSDA_UNCHECKED inline void check(const void* address, unsigned long bytes, unsigned kind,
                                 const void* pc) {
  // Most accesses are of the thread's own stack and need no call.
  const ThreadState& thread = **current;
  if (reinterpret_cast<unsigned long>(address) - thread.stack < thread.stack_bytes) return;
  executor->access(address, bytes, kind, pc);
}

}  // namespace msda::simt::host

extern "C" {

#define MSDA_PC __builtin_extract_return_addr(__builtin_return_address(0))
#define MSDA_HOOK(NAME, BYTES, KIND)                                              \
  MSDA_UNCHECKED __attribute__((used)) inline void __tsan_##NAME(void* address) { \
    using namespace msda::simt::host;                                             \
    check(address, BYTES, KIND, MSDA_PC);                                         \
  }
#define MSDA_HOOKS(BYTES)                                              \
  MSDA_HOOK(read##BYTES, BYTES, kRead)                                 \
  MSDA_HOOK(write##BYTES, BYTES, kWrite)                               \
  MSDA_HOOK(unaligned_read##BYTES, BYTES, kRead | kUnaligned)          \
  MSDA_HOOK(unaligned_write##BYTES, BYTES, kWrite | kUnaligned)        \
  MSDA_HOOK(volatile_read##BYTES, BYTES, kRead)                        \
  MSDA_HOOK(volatile_write##BYTES, BYTES, kWrite)                      \
  MSDA_HOOK(unaligned_volatile_read##BYTES, BYTES, kRead | kUnaligned) \
  MSDA_HOOK(unaligned_volatile_write##BYTES, BYTES, kWrite | kUnaligned)
MSDA_HOOKS(1)
MSDA_HOOKS(2)
MSDA_HOOKS(4)
MSDA_HOOKS(8)
MSDA_HOOKS(16)
#undef MSDA_HOOKS
#undef MSDA_HOOK

MSDA_UNCHECKED __attribute__((used)) inline void __tsan_read_range(void* address,
                                                                   unsigned long bytes) {
  msda::simt::host::check(address, bytes, msda::simt::host::kRead, MSDA_PC);
}
MSDA_UNCHECKED __attribute__((used)) inline void __tsan_write_range(void* address,
                                                                    unsigned long bytes) {
  msda::simt::host::check(address, bytes, msda::simt::host::kWrite, MSDA_PC);
}
MSDA_UNCHECKED __attribute__((used)) inline void __tsan_init() {}

MSDA_UNCHECKED __attribute__((used)) inline void __sanitizer_cov_trace_pc() {
  using namespace msda::simt;
  if (--*host::slice <= 0) host::executor->end_slice(MSDA_PC);
}
#undef MSDA_PC
}
