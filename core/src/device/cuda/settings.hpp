// What the code of an arm may leave set for those after it.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>

#include "device/device.hpp"

namespace msda {

/// Of the current device and one of its streams: the part of L2 that is set aside for lines that
/// persist, how much memory a read fetches, the stack of a thread, whether more of an SM is shared
/// memory or cache, and the memory that the stream's kernels keep in L2.
class CudaSettings final : public DeviceSettings {
 public:
  /// As they are.
  explicit CudaSettings(cudaStream_t stream);
  /// Makes them so again. What is equal is not touched: a limit that is set waits for the device.
  /// Throws Error.
  void apply(cudaStream_t stream) const;

 private:
  static constexpr std::array kLimits = {cudaLimitPersistingL2CacheSize,
                                         cudaLimitMaxL2FetchGranularity, cudaLimitStackSize};

  std::array<std::size_t, kLimits.size()> limits_{};
  cudaFuncCache cache_{};
  cudaAccessPolicyWindow window_{};
};

}  // namespace msda
