#include "device/cuda/group.hpp"

#include <utility>

#include <fmt/format.h>

#include "device/cuda/check.hpp"

namespace msda {

CurrentDevice::CurrentDevice(int ordinal) {
  check(cudaGetDevice(&before_), "cudaGetDevice");
  check(cudaSetDevice(ordinal), "cudaSetDevice");
}

CurrentDevice::~CurrentDevice() { static_cast<void>(cudaSetDevice(before_)); }

CudaSignal::CudaSignal() {
  check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreate");
}

CudaSignal::~CudaSignal() { cudaEventDestroy(event_); }

void CudaSignal::record(cudaStream_t signalling) {
  check(cudaEventRecord(event_, signalling), "cudaEventRecord");
}

void CudaSignal::await(cudaStream_t waiting) const {
  check(cudaStreamWaitEvent(waiting, event_, 0), "cudaStreamWaitEvent");
}

void CudaSignal::pass(cudaStream_t signalling, cudaStream_t waiting) {
  record(signalling);
  await(waiting);
}

namespace {

class CudaGroup final : public DeviceGroup {
 public:
  CudaGroup(Device& first, int ordinal, std::vector<Device*> others) : ordinal_(ordinal) {
    devices_.push_back(&first);
    devices_.insert(devices_.end(), others.begin(), others.end());
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      const CurrentDevice on(ordinal_of(i));
      ended_.push_back(std::make_unique<CudaSignal>());
    }
  }

  std::size_t size() const override { return devices_.size(); }
  Device& device(std::size_t i) override { return *devices_.at(i); }
  void use(std::size_t i) override { check(cudaSetDevice(ordinal_of(i)), "cudaSetDevice"); }

  void reach_first() override {
    for (std::size_t i = 1; i < size(); ++i) {
      int reaches = 0;
      check(cudaDeviceCanAccessPeer(&reaches, ordinal_of(i), ordinal_), "cudaDeviceCanAccessPeer");
      if (reaches == 0) {
        throw Unsupported(fmt::format(
            "kernels on cuda:{} cannot write to the memory of cuda:{}; {{output: copied}} copies",
            ordinal_of(i), ordinal_));
      }
      const CurrentDevice on(ordinal_of(i));
      const cudaError_t result = cudaDeviceEnablePeerAccess(ordinal_, 0);
      if (result == cudaErrorPeerAccessAlreadyEnabled) {
        static_cast<void>(cudaGetLastError());
      } else {
        check(result, "cudaDeviceEnablePeerAccess");
      }
    }
  }

  void copy(void* to, const void* from, std::size_t bytes) override {
    check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "cudaMemcpy between devices");
    // Between devices it may return early.
    for (std::size_t i = 0; i < size(); ++i) {
      const CurrentDevice on(ordinal_of(i));
      check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    }
  }

  void enqueue_copy(std::size_t i, void* to, const void* from, std::size_t bytes) override {
    // The addresses say between which devices; a graph captures this copy and not one of peers.
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_of(i)),
          "cudaMemcpyAsync between devices");
  }

  void fork(Stream stream) override {
    ended_.front()->record(static_cast<cudaStream_t>(stream));
    for (std::size_t i = 1; i < size(); ++i) {
      const CurrentDevice on(ordinal_of(i));
      ended_.front()->await(stream_of(i));
    }
  }

  void join(Stream stream) override {
    for (std::size_t i = 1; i < size(); ++i) {
      {
        const CurrentDevice on(ordinal_of(i));
        ended_[i]->record(stream_of(i));
      }
      ended_[i]->await(static_cast<cudaStream_t>(stream));
    }
  }

 private:
  int ordinal_of(std::size_t i) const { return ordinal_ + static_cast<int>(i); }
  cudaStream_t stream_of(std::size_t i) const {
    return static_cast<cudaStream_t>(devices_[i]->stream());
  }

  int ordinal_;
  std::vector<Device*> devices_;
  std::vector<std::unique_ptr<CudaSignal>> ended_;  ///< by device: that it came so far
};

}  // namespace

std::unique_ptr<DeviceGroup> make_cuda_group(Device& first, int ordinal,
                                             std::vector<Device*> others) {
  return std::make_unique<CudaGroup>(first, ordinal, std::move(others));
}

}  // namespace msda
