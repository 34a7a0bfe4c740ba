// Host bodies of ptx/flag.cuh.
#pragma once

#include <msda/simt/host/barrier.cuh>

namespace msda::ptx {

MSDA_UNCHECKED inline void red_release_add(unsigned* flag) {
  host::touch(flag, sizeof *flag, simt::host::kRead | simt::host::kAtomic);
  simt::host::executor->count(simt::host::kFlagRaise, flag, 1);
  simt::host::executor->release(flag);
  host::touch(flag, sizeof *flag, simt::host::kWrite | simt::host::kAtomic);
  ++*flag;
}

namespace host {

MSDA_UNCHECKED inline bool is_raised(const void* flag, unsigned count) {
  return static_cast<int>(*static_cast<const unsigned*>(flag) - count) >= 0;
}
MSDA_UNCHECKED inline void describe_flag(const void* flag, unsigned count, char* text,
                                         unsigned size) {
  snprintf(text, size, "it was raised %u times of %u", *static_cast<const unsigned*>(flag), count);
}

}  // namespace host

MSDA_UNCHECKED inline void wait_for_flag(unsigned* flag, unsigned count,
                                         simt::host::Where where = simt::host::here()) {
  host::touch(flag, sizeof *flag, simt::host::kRead | simt::host::kAtomic);
  const simt::host::Condition condition = {where, "a flag",        flag,
                                           count, host::is_raised, host::describe_flag};
  simt::host::executor->count(simt::host::kFlagWait, flag, 1);
  simt::host::executor->wait(&condition);
}

}  // namespace msda::ptx
