// Several GPUs of one host.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <vector>

#include "device/group.hpp"

namespace msda {

/// The current device of the thread while this lives, and the one before it afterwards.
class CurrentDevice {
 public:
  explicit CurrentDevice(int ordinal);
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  ~CurrentDevice();

 private:
  int before_ = 0;
};

/// An event without a time, for streams to wait for.
class CudaSignal {
 public:
  /// On the current device.
  CudaSignal();
  CudaSignal(const CudaSignal&) = delete;
  CudaSignal& operator=(const CudaSignal&) = delete;
  ~CudaSignal();

  /// `waiting` goes on when what is on `signalling` by now has ended.
  void pass(cudaStream_t signalling, cudaStream_t waiting);
  /// The two halves of it, for several that wait.
  void record(cudaStream_t signalling);
  void await(cudaStream_t waiting) const;

 private:
  cudaEvent_t event_ = nullptr;
};

/// The devices `ordinal`, `ordinal` + 1, ...: `first` and as many of `others` as there are. All of
/// them outlive the group.
std::unique_ptr<DeviceGroup> make_cuda_group(Device& first, int ordinal,
                                             std::vector<Device*> others);

}  // namespace msda
