// What describes a composition's stored values to its kernels beside their address: tensor maps for
// TMA, and linear textures. Both belong to an address and take long to make, so that they are made
// when tensors are bound and not when a kernel is launched.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <msda/launch.cuh>

namespace msda {

class StoredViews {
 public:
  /// For `bytes` bytes of values of `batch` images on the current device. `maps`: whether the
  /// device's code copies boxes where the plan has them.
  StoredViews(const LaunchPlan& plan, std::int64_t batch, std::size_t bytes, bool maps);
  StoredViews(const StoredViews&) = delete;
  StoredViews& operator=(const StoredViews&) = delete;
  ~StoredViews();

  /// Makes those of the values at `values`, a device pointer. Throws Error with the driver's
  /// reason, and when the address is at no multiple of a texel.
  void make(const void* values);
  /// Adds those that make() made for these values. Throws Error without.
  void add_to(AllArguments& arguments, const void* values);

 private:
  void make_textures(const void* values, AllArguments& views);

  const LaunchPlan& plan_;
  std::int64_t batch_;
  std::size_t bytes_;
  bool maps_;
  bool texels_;
  std::size_t alignment_ = 1;  ///< of a texture's first byte
  std::vector<cudaTextureObject_t> textures_;
  std::map<const void*, AllArguments> made_;  ///< maps and texels alone
};

}  // namespace msda
