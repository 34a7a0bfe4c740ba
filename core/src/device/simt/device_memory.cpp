#include "device/simt/device_memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstring>

namespace msda {
namespace {

constexpr std::size_t kMargin = std::size_t{1} << 20U;
constexpr std::size_t kPage = 4096;

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

}  // namespace

SimtMemory::SimtMemory(std::size_t bytes)
    : bytes_(bytes), mapped_(whole_pages(bytes) + 2 * kMargin) {
  void* region =
      mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (region == MAP_FAILED) throw EnvironmentError(fmt::format("no memory for {} bytes", bytes));
  base_ = static_cast<unsigned char*>(region);
  data_ = base_ + kMargin;
  if (mprotect(data_, whole_pages(bytes), PROT_READ | PROT_WRITE) != 0) {
    munmap(base_, mapped_);
    throw EnvironmentError(fmt::format("no memory for {} bytes", bytes));
  }
}

SimtMemory::~SimtMemory() { munmap(base_, mapped_); }

void SimtMemory::upload(const void* host, std::size_t bytes) {
  check_size(bytes);
  std::memcpy(data_, host, bytes);
}

void SimtMemory::download(void* host, std::size_t bytes) const {
  check_size(bytes);
  std::memcpy(host, data_, bytes);
}

void SimtMemory::download_part(std::size_t offset, void* host, std::size_t bytes) const {
  check_part(offset, bytes);
  std::memcpy(host, data_ + offset, bytes);
}

void SimtMemory::upload_part(std::size_t offset, const void* host, std::size_t bytes) {
  check_part(offset, bytes);
  std::memcpy(data_ + offset, host, bytes);
}

void SimtMemory::fill(int byte) { std::memset(data_, byte, bytes_); }

}  // namespace msda
