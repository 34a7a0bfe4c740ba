// Holds a stream back while the host enqueues: what stands behind a closed gate runs without the
// gaps that the host's launches would leave.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>

#include <msda/variant.hpp>

#include "device/cuda/module.hpp"

namespace msda {

class CudaGate {
 public:
  /// Longer than enqueuing takes on a busy host, short enough to be paid again and again for
  /// launches that wait for the device.
  static constexpr std::chrono::nanoseconds kPatience = std::chrono::milliseconds(100);

  CudaGate(const Compiler& compiler, const DeviceInfo& device);
  CudaGate(const CudaGate&) = delete;
  CudaGate& operator=(const CudaGate&) = delete;
  /// The stream must have come to its end.
  ~CudaGate();

  /// Work enqueued from now on waits until open(), kPatience at most.
  void close(cudaStream_t stream);
  void open();
  /// Once the stream has passed the gate: whether it did so before open().
  bool was_late() const;

 private:
  struct State;
  CudaModule module_;
  State* state_ = nullptr;
  void* on_device_ = nullptr;
  unsigned pass_ = 0;
};

}  // namespace msda
