// Device time of launches, by CUDA events around them and nothing else.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <vector>

#include "device/cuda/memory.hpp"

namespace msda {

/// What other kernels left in the persisting part of L2 is reset before each series.
class CudaTiming {
 public:
  /// Enqueues one part of one sample.
  using Launch = std::function<void(int sample, int part)>;
  /// Seconds by part, then by sample.
  using Times = std::vector<std::vector<double>>;

  CudaTiming(const DeviceInfo& device, cudaStream_t stream) : device_(device), stream_(stream) {}

  /// Before each sample: persisting lines reset and twice the L2 written, so that no input is
  /// cached. A later part of the sample finds what the earlier ones left there.
  Times cold(int samples, int parts, const Launch& launch);
  /// Launches back to back, an event between neighbours.
  Times warm(int samples, int parts, const Launch& launch);
  /// A graph of kLaunchesPerGraph launches; a sample is one graph's time for each launch in it.
  std::vector<double> graph(int samples, const std::function<void(int)>& launch);

 private:
  void flush_l2();

  static constexpr int kLaunchesPerGraph = 10;
  const DeviceInfo& device_;
  cudaStream_t stream_;
  std::unique_ptr<CudaMemory> flush_;
};

}  // namespace msda
