// The same by PyTorch's C++ API, for versions before 2.10: a binary for the PyTorch that it was
// built with.
#pragma once

#include <torch/library.h>
#include <torch/types.h>
#include <torch/version.h>
#ifndef MSDA_WITHOUT_CUDA
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#endif

#include <cstdint>
#include <optional>
#include <vector>

namespace binding {

using at::ScalarType;
using at::Tensor;
using Sizes = std::vector<int64_t>;
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 5)
using MaybeTensor = std::optional<Tensor>;
#else
using MaybeTensor = c10::optional<Tensor>;
#endif

inline Tensor contiguous(const Tensor& tensor) { return tensor.contiguous(); }
inline Tensor make(const Tensor& like, const Sizes& sizes, ScalarType type) {
  return at::empty(sizes, like.options().dtype(type));
}
inline int32_t device_index(const Tensor& tensor) { return tensor.get_device(); }
inline void* data(const Tensor& tensor) { return tensor.data_ptr(); }

#ifdef MSDA_WITHOUT_CUDA
struct DeviceGuard {
  explicit DeviceGuard(int32_t) {}
};
inline void* current_stream(int32_t) { return nullptr; }
#else
using DeviceGuard = c10::cuda::CUDAGuard;
inline void* current_stream(int32_t device) {
  return c10::cuda::getCurrentCUDAStream(static_cast<c10::DeviceIndex>(device)).stream();
}
#endif

}  // namespace binding

#define MSDA_BOX(function) &function
#define STABLE_TORCH_LIBRARY TORCH_LIBRARY
#define STABLE_TORCH_LIBRARY_IMPL TORCH_LIBRARY_IMPL
