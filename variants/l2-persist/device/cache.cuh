// The launch carries an access policy window over the value tensor: its lines go to the part of L2
// that is set aside for persisting data. The host resets that part before other kernels are timed.
#pragma once

#include <msda/slots/cache.cuh>
#include <msda/slots/source.cuh>

namespace msda::l2_persist {

template <class K, class Parameters>
struct Cache : DefaultCache<K, Parameters> {
  static constexpr bool kPersistValue = true;
  static constexpr const char* idle() {
    return kRestages<K> ? "the kernel reads a copy of the values, and the window is over the tensor"
                        : all_levels_on_chip<K>();
  }
};

}  // namespace msda::l2_persist
