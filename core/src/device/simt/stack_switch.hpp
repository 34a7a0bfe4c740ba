// What AddressSanitizer must know when a thread of the program goes on with another stack; nothing
// without it.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace msda::simt {

/// The stack that a fiber was resumed from, and what the sanitizer keeps of one that is left.
struct StackSwitch {
  void* kept = nullptr;
  const void* other_bottom = nullptr;
  std::size_t other_size = 0;
};

/// Before a switch to the stack of `size` bytes at `bottom`; `last` when this one is never resumed.
inline void before_switch(StackSwitch& from, const void* bottom, std::size_t size,
                          bool last = false) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(last ? nullptr : &from.kept, bottom, size);
#else
  static_cast<void>(from);
  static_cast<void>(bottom);
  static_cast<void>(size);
  static_cast<void>(last);
#endif
}

/// After a switch to this stack.
inline void after_switch(StackSwitch& to) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(to.kept, &to.other_bottom, &to.other_size);
#else
  static_cast<void>(to);
#endif
}

}  // namespace msda::simt
