// Memory, events and graphs of a CUDA device as objects that free themselves.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <vector>

#include "device/device.hpp"

namespace msda {

class CudaMemory final : public DeviceMemory {
 public:
  explicit CudaMemory(std::size_t bytes);
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;
  ~CudaMemory() override;

  void* data() override { return data_; }
  std::size_t size() const override { return bytes_; }
  void upload(const void* host, std::size_t bytes) override;
  void download(void* host, std::size_t bytes) const override;
  void download_part(std::size_t offset, void* host, std::size_t bytes) const override;
  void upload_part(std::size_t offset, const void* host, std::size_t bytes) override;
  void fill(int byte) override;

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

/// Points in time on a stream.
class CudaEvents {
 public:
  explicit CudaEvents(int count);
  CudaEvents(const CudaEvents&) = delete;
  CudaEvents& operator=(const CudaEvents&) = delete;
  ~CudaEvents();

  void record(int index, cudaStream_t stream);
  /// Waits for the later event; seconds from event `from` to event `to`.
  double seconds(int from, int to) const;

 private:
  std::vector<cudaEvent_t> events_;
};

}  // namespace msda
