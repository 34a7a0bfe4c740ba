#include "device/cuda/gate.hpp"

#include <atomic>

#include "compose/unit_writer.hpp"
#include "device/cuda/check.hpp"

namespace msda {
namespace {

constexpr const char* kKernel = "msda::microbench::gate";

Module compile_gate(const Compiler& compiler, const DeviceInfo& device) {
  Unit unit{"gate", "#include <msda/microbench/gate.cuh>\n", device_headers(), {kKernel}, ""};
  return compiler.compile(unit, architecture_name(device.compute_capability));
}

}  // namespace

/// As microbench/gate.cuh has it.
struct CudaGate::State {
  unsigned open;
  unsigned late;
};

CudaGate::CudaGate(const Compiler& compiler, const DeviceInfo& device)
    : module_(compile_gate(compiler, device)) {
  void* state = nullptr;
  check(cudaHostAlloc(&state, sizeof(State), cudaHostAllocMapped), "cudaHostAlloc");
  state_ = static_cast<State*>(state);
  state_->open = 0;
  state_->late = 0;
  check(cudaHostGetDevicePointer(&on_device_, state, 0), "cudaHostGetDevicePointer");
}

CudaGate::~CudaGate() { cudaFreeHost(state_); }

void CudaGate::close(cudaStream_t stream) {
  ++pass_;
  unsigned long long limit = static_cast<unsigned long long>(kPatience.count());
  void* parameters[] = {&on_device_, &pass_, &limit};
  check(cudaLaunchKernel(reinterpret_cast<const void*>(module_.kernel(kKernel)), dim3(1), dim3(1),
                         parameters, 0, stream),
        "cudaLaunchKernel");
}

void CudaGate::open() { std::atomic_ref(state_->open).store(pass_, std::memory_order_release); }

bool CudaGate::was_late() const {
  return std::atomic_ref(state_->late).load(std::memory_order_acquire) == pass_;
}

}  // namespace msda
