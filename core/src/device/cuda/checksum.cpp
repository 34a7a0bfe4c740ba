#include "device/cuda/checksum.hpp"

#include "compose/unit_writer.hpp"
#include "device/cuda/check.hpp"

namespace msda {
namespace {

constexpr const char* kChecksumKernel = "msda::microbench::checksum";
constexpr unsigned kChecksumThreads = 256;  ///< as microbench/checksum.cuh has it
constexpr unsigned kChecksumBlocks = 8;     ///< for each multiprocessor

Module compile_checksum(const Compiler& compiler, const DeviceInfo& device) {
  const Unit unit{"checksum",
                  "#include <msda/microbench/checksum.cuh>\n",
                  device_headers(),
                  {kChecksumKernel},
                  ""};
  return compiler.compile(unit, architecture_name(device.compute_capability));
}

}  // namespace

CudaChecksum::CudaChecksum(const Compiler& compiler, const DeviceInfo& device)
    : module_(compile_checksum(compiler, device)),
      blocks_(kChecksumBlocks * static_cast<unsigned>(device.multiprocessors)) {}

std::vector<std::uint64_t> CudaChecksum::of(std::span<DeviceMemory* const> memory,
                                            cudaStream_t stream) {
  std::vector<std::uint64_t> results(memory.size());
  const std::size_t bytes = results.size() * sizeof results[0];
  if (!sums_ || sums_->size() < bytes) sums_ = std::make_unique<CudaMemory>(bytes);
  auto* sum = static_cast<std::uint64_t*>(sums_->data());
  check(cudaMemsetAsync(sum, 0, bytes, stream), "cudaMemsetAsync");
  for (DeviceMemory* const one : memory) {
    const void* data = one->data();
    unsigned long long words = one->size() / sizeof(std::uint64_t);
    unsigned rest = static_cast<unsigned>(one->size() % sizeof(std::uint64_t));
    void* parameters[] = {&data, &words, &rest, &sum};
    check(cudaLaunchKernel(reinterpret_cast<const void*>(module_.kernel(kChecksumKernel)),
                           dim3(blocks_), dim3(kChecksumThreads), parameters, 0, stream),
          "cudaLaunchKernel");
    ++sum;
  }
  check(cudaMemcpyAsync(results.data(), sums_->data(), bytes, cudaMemcpyDeviceToHost, stream),
        "cudaMemcpyAsync");
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  return results;
}

}  // namespace msda
