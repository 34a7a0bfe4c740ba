// A loop whose index is a constant.
#pragma once

namespace msda {

/// Calls body.operator()<i>() for i = 0 .. count - 1.
template <int count, int i = 0, class Body>
__device__ __forceinline__ void static_for(const Body& body) {
  if constexpr (i < count) {
    body.template operator()<i>();
    static_for<count, i + 1>(body);
  }
}

}  // namespace msda
