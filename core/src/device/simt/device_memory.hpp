// Memory of the device "simt": between margins that no access survives, so that what the executor
// does not see, such as a library function, is stopped by the machine.
#pragma once

#include <cstddef>

#include "device/device.hpp"

namespace msda {

class SimtMemory final : public DeviceMemory {
 public:
  explicit SimtMemory(std::size_t bytes);
  SimtMemory(const SimtMemory&) = delete;
  SimtMemory& operator=(const SimtMemory&) = delete;
  ~SimtMemory() override;

  void* data() override { return data_; }
  std::size_t size() const override { return bytes_; }
  void upload(const void* host, std::size_t bytes) override;
  void download(void* host, std::size_t bytes) const override;
  void download_part(std::size_t offset, void* host, std::size_t bytes) const override;
  void upload_part(std::size_t offset, const void* host, std::size_t bytes) override;
  void fill(int byte) override;

 private:
  std::size_t bytes_;
  std::size_t mapped_;  ///< margins included
  unsigned char* base_ = nullptr;
  unsigned char* data_ = nullptr;
};

}  // namespace msda
