// Checksums of device memory, computed where it lies: hundreds of megabytes in a fraction of a
// millisecond.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "device/cuda/memory.hpp"
#include "device/cuda/module.hpp"

namespace msda {

class CudaChecksum {
 public:
  CudaChecksum(const Compiler& compiler, const DeviceInfo& device);

  /// Of what each memory holds when the stream comes to it; waits for that.
  std::vector<std::uint64_t> of(std::span<DeviceMemory* const> memory, cudaStream_t stream);

 private:
  CudaModule module_;
  unsigned blocks_;
  std::unique_ptr<CudaMemory> sums_;
};

}  // namespace msda
