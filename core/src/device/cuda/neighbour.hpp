// The kernel of another layer, which stands between launches where they are timed as in a model.
#pragma once

#include <cuda_runtime_api.h>

#include <msda/variant.hpp>

#include "device/cuda/memory.hpp"
#include "device/cuda/module.hpp"

namespace msda {

/// Reads a quarter of the L2's size and writes another quarter. It knows nothing of dependent
/// launches: what follows sees all of its writes.
class CudaNeighbour {
 public:
  CudaNeighbour(const Compiler& compiler, const DeviceInfo& device);

  void launch(cudaStream_t stream);

 private:
  CudaModule module_;
  unsigned words_;  ///< of 16 bytes, that are read and written
  CudaMemory from_;
  CudaMemory to_;
};

}  // namespace msda
