// The parameter of a composition's kernels in the layout of msda/launch.cuh.
#pragma once

#include <cstddef>
#include <cstring>

#include <msda/launch.cuh>

namespace msda::runtime {

inline bool has_maps(const LaunchPlan& plan) {
  for (const BoxShape& box : plan.boxes) {
    if (box.element_bytes != 0) return true;
  }
  return false;
}

/// For all kernels of the plan: each takes this or less of its beginning.
class Parameters {
 public:
  Parameters(const LaunchPlan& plan, const AllArguments& arguments) {
    for (unsigned i = 0; i < plan.tensors; ++i) append(&arguments.tensor[plan.tensors - 1 - i], 1);
    append<LaunchArguments>(&arguments, 1);
    if (!has_maps(plan)) return;
    size_ = (size_ + alignof(TensorMap) - 1) / alignof(TensorMap) * alignof(TensorMap);
    append(arguments.maps, kLevelLimit);
  }

  const void* data() const { return bytes_; }
  std::size_t size() const { return size_; }

 private:
  template <class T>
  void append(const T* first, std::size_t count) {
    std::memcpy(bytes_ + size_, first, count * sizeof(T));
    size_ += count * sizeof(T);
  }

  alignas(TensorMap) unsigned char bytes_[sizeof(AllArguments)];
  std::size_t size_ = 0;
};

}  // namespace msda::runtime
