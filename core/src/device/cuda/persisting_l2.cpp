#include "device/cuda/persisting_l2.hpp"

#include <algorithm>

#include <msda/error.hpp>

#include "device/cuda/check.hpp"

namespace msda {

PersistingL2::PersistingL2(std::int64_t bytes) {
  int device = 0;
  int largest_window = 0;
  int largest_part = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&largest_window, cudaDevAttrMaxAccessPolicyWindowSize, device),
        "cudaDeviceGetAttribute(MaxAccessPolicyWindowSize)");
  check(cudaDeviceGetAttribute(&largest_part, cudaDevAttrMaxPersistingL2CacheSize, device),
        "cudaDeviceGetAttribute(MaxPersistingL2CacheSize)");
  if (largest_window == 0 || largest_part == 0)
    throw Unsupported("the device has no persisting L2");
  const std::int64_t part = std::min<std::int64_t>(largest_part, bytes);
  check(cudaDeviceGetLimit(&limit_before_, cudaLimitPersistingL2CacheSize),
        "cudaDeviceGetLimit(PersistingL2CacheSize)");
  check(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, static_cast<std::size_t>(part)),
        "cudaDeviceSetLimit(PersistingL2CacheSize)");
  window_.num_bytes = static_cast<std::size_t>(std::min<std::int64_t>(largest_window, bytes));
  // As much of the window persists as the set-aside part holds, so that lines do not evict each
  // other.
  window_.hitRatio =
      std::min(1.0F, static_cast<float>(part) / static_cast<float>(window_.num_bytes));
  window_.hitProp = cudaAccessPropertyPersisting;
  window_.missProp = cudaAccessPropertyStreaming;
}

PersistingL2::~PersistingL2() {
  // After a sticky error there is nobody left to restore it for.
  static_cast<void>(cudaCtxResetPersistingL2Cache());
  static_cast<void>(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, limit_before_));
}

cudaAccessPolicyWindow PersistingL2::window(const void* address) const {
  cudaAccessPolicyWindow window = window_;
  window.base_ptr = const_cast<void*>(address);
  return window;
}

}  // namespace msda
