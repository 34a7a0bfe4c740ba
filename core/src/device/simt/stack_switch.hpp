// What AddressSanitizer must know when a thread of the program goes on with another stack; nothing
// without it.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
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

/// Before the memory of stacks is given back: what lies there next is no fiber's frame. (The first
/// frame of a fiber is never returned from, so that the sanitizer goes on guarding its edges.)
inline void forget_stacks(const void* bottom, std::size_t size) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(bottom, size);
#else
  static_cast<void>(bottom);
  static_cast<void>(size);
#endif
}

}  // namespace msda::simt
