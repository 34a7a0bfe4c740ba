// The part of L2 that is set aside for lines that should stay.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace msda {

/// Sets aside a part of the current device's L2 as long as it lives; then the limit is as it was
/// before, and no line persists.
class PersistingL2 {
 public:
  /// For a tensor of `bytes` bytes. Throws Unsupported when the device has no persisting L2.
  explicit PersistingL2(std::int64_t bytes);
  ~PersistingL2();
  PersistingL2(const PersistingL2&) = delete;
  PersistingL2& operator=(const PersistingL2&) = delete;

  /// The launch attribute that makes a kernel keep the tensor at `address` there.
  cudaAccessPolicyWindow window(const void* address) const;

 private:
  std::size_t limit_before_ = 0;
  cudaAccessPolicyWindow window_{};
};

}  // namespace msda
