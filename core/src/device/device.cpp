#include "device/device.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstring>

#include "device/cuda/cuda.hpp"
#include "device/host/device.hpp"
#include "device/simt/device.hpp"
#include "hash.hpp"

namespace msda {
void DeviceMemory::check_size(std::size_t bytes) const {
  if (bytes != size())
    throw Error(fmt::format("copy of {} bytes to or from {} bytes", bytes, size()));
}

void DeviceMemory::check_part(std::size_t offset, std::size_t bytes) const {
  if (offset > size() || bytes > size() - offset) {
    throw Error(fmt::format("copy of {} bytes at {} of {} bytes", bytes, offset, size()));
  }
}

std::vector<std::string> Device::fingerprints(std::span<DeviceMemory* const> memory) {
  wait();
  std::vector<std::string> hashes;
  for (DeviceMemory* const one : memory) {
    std::vector<std::byte> content(one->size());
    one->download(content.data(), content.size());
    hashes.push_back(Hash().add(content.data(), content.size()).hex());
  }
  return hashes;
}

void Device::enqueue_copy(void* to, const void* from, const Pieces& pieces) {
  for (std::size_t i = 0; i < pieces.count; ++i) {
    std::memcpy(static_cast<std::byte*>(to) + i * pieces.to_pitch,
                static_cast<const std::byte*>(from) + i * pieces.from_pitch, pieces.bytes);
  }
}

std::vector<DeviceInfo> list_devices() {
  std::vector<DeviceInfo> devices = {host_info()};
  for (DeviceInfo& device : cuda_devices()) devices.push_back(std::move(device));
  devices.push_back(simt_info({}));
  return devices;
}

std::unique_ptr<Device> open_device(std::string_view id) {
  if (id == "auto") id = cuda_devices().empty() ? "cpu" : "cuda:0";
  if (id == "cpu") return open_host();
  if (const auto options = parse_simt(id)) return open_simt(*options);
  if (id == "cuda") id = "cuda:0";
  constexpr std::string_view kPrefix = "cuda:";
  int ordinal = -1;
  if (id.starts_with(kPrefix)) {
    const auto [end, error] =
        std::from_chars(id.data() + kPrefix.size(), id.data() + id.size(), ordinal);
    if (error == std::errc() && end == id.data() + id.size() && ordinal >= 0)
      return open_cuda(ordinal);
  }
  throw UsageError(
      fmt::format("no device '{}': write auto, cpu, cuda:N or simt[:SEED[:races]]", id));
}

}  // namespace msda
