// What ops.cpp needs of PyTorch, by its stable ABI: one binary for PyTorch 2.10 and newer.
#pragma once

#include <torch/csrc/stable/accelerator.h>
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/ScalarType.h>

#include <cstdint>
#include <optional>
#include <vector>

// The shim's own declaration is behind a macro of PyTorch's build.
extern "C" AOTITorchError aoti_torch_get_current_cuda_stream(int32_t device_index, void** stream);

namespace binding {

using torch::headeronly::ScalarType;
using torch::stable::Tensor;
using Sizes = std::vector<int64_t>;
using MaybeTensor = std::optional<Tensor>;
using DeviceGuard = torch::stable::accelerator::DeviceGuard;

inline Tensor contiguous(const Tensor& tensor) { return torch::stable::contiguous(tensor); }
inline Tensor make(const Tensor& like, const Sizes& sizes, ScalarType type) {
  return torch::stable::new_empty(like, sizes, type);
}
inline int32_t device_index(const Tensor& tensor) { return tensor.get_device_index(); }
inline void* data(const Tensor& tensor) { return tensor.mutable_data_ptr(); }
inline void* current_stream(int32_t device) {
  void* stream = nullptr;
  TORCH_ERROR_CODE_CHECK(aoti_torch_get_current_cuda_stream(device, &stream));
  return stream;
}

}  // namespace binding

#define MSDA_BOX(function) TORCH_BOX(&function)
