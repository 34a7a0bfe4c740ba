#include "device/cuda/memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "device/cuda/check.hpp"

namespace msda {

void check(cudaError_t result, const char* call) {
  if (result == cudaSuccess) return;
  throw Error(
      fmt::format("{}: {} ({})", call, cudaGetErrorString(result), static_cast<int>(result)));
}

void check(const runtime::Status& status) {
  switch (status.failure) {
    case runtime::Failure::kNone: return;
    case runtime::Failure::kCall: return check(static_cast<cudaError_t>(status.code), status.call);
    case runtime::Failure::kNoCluster:
      throw Unsupported("the device holds no cluster of its blocks");
    case runtime::Failure::kNoEncoder:
      throw Error("the driver has no cuTensorMapEncodeTiled: it is older than CUDA 12.0");
    case runtime::Failure::kEncoding:
      throw Error(fmt::format("cuTensorMapEncodeTiled: error {}", status.code));
  }
}

CudaMemory::CudaMemory(std::size_t bytes) : bytes_(bytes) {
  const cudaError_t result = cudaMalloc(&data_, std::max<std::size_t>(bytes, 1));
  if (result == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());  // not sticky: the next call starts clean
    throw EnvironmentError(
        fmt::format("the GPU has no {:.2f} GB left", static_cast<double>(bytes) / 1e9));
  }
  check(result, "cudaMalloc");
}

CudaMemory::~CudaMemory() { cudaFree(data_); }

void CudaMemory::upload(const void* host, std::size_t bytes) {
  check_size(bytes);
  check(cudaMemcpy(data_, host, bytes, cudaMemcpyHostToDevice), "cudaMemcpy to the device");
}

void CudaMemory::download(void* host, std::size_t bytes) const {
  check_size(bytes);
  check(cudaMemcpy(host, data_, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy from the device");
}

void CudaMemory::download_part(std::size_t offset, void* host, std::size_t bytes) const {
  check_part(offset, bytes);
  check(cudaMemcpy(host, static_cast<const std::byte*>(data_) + offset, bytes,
                   cudaMemcpyDeviceToHost),
        "cudaMemcpy from the device");
}

void CudaMemory::upload_part(std::size_t offset, const void* host, std::size_t bytes) {
  check_part(offset, bytes);
  check(cudaMemcpy(static_cast<std::byte*>(data_) + offset, host, bytes, cudaMemcpyHostToDevice),
        "cudaMemcpy to the device");
}

void CudaMemory::fill(int byte) {
  check(cudaMemset(data_, byte, bytes_), "cudaMemset");
  check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");  // other streams do not wait
}

CudaEvents::CudaEvents(int count) : events_(static_cast<std::size_t>(count)) {
  for (cudaEvent_t& event : events_) check(cudaEventCreate(&event), "cudaEventCreate");
}

CudaEvents::~CudaEvents() {
  for (cudaEvent_t event : events_) cudaEventDestroy(event);
}

void CudaEvents::record(int index, cudaStream_t stream) {
  check(cudaEventRecord(events_[static_cast<std::size_t>(index)], stream), "cudaEventRecord");
}

double CudaEvents::seconds(int from, int to) const {
  const cudaEvent_t last = events_[static_cast<std::size_t>(to)];
  check(cudaEventSynchronize(last), "cudaEventSynchronize");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, events_[static_cast<std::size_t>(from)], last),
        "cudaEventElapsedTime");
  return milliseconds * 1e-3;
}

}  // namespace msda
