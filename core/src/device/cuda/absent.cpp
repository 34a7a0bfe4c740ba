// CUDA devices of a program that was built without CUDA: none.
#include "device/cuda/cuda.hpp"

namespace msda {

std::vector<DeviceInfo> cuda_devices() { return {}; }

std::string cuda_unavailable_reason() { return MSDA_CUDA_MISSING; }

std::unique_ptr<Device> open_cuda(int ordinal) {
  throw EnvironmentError("no device cuda:" + std::to_string(ordinal) + ": " MSDA_CUDA_MISSING);
}

}  // namespace msda
