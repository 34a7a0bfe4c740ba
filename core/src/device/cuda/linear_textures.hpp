// Views of stored values as linear textures, which a composition's reader slot asks for in its
// launch plan.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <map>

#include <msda/launch.cuh>

namespace msda {

class LinearTextures {
 public:
  /// Of values of `bytes` bytes on the current device.
  LinearTextures(const LaunchPlan& plan, std::size_t bytes);
  LinearTextures(const LinearTextures&) = delete;
  LinearTextures& operator=(const LinearTextures&) = delete;
  ~LinearTextures();

  /// Makes the textures of the values at `values`, a device pointer. Throws Error when it is at no
  /// multiple of a texel.
  void make(const void* values);
  /// Adds those that make() made for these values. Throws Error without.
  void add_to(Arguments& arguments, const void* values) const;

 private:
  struct Views {
    std::array<cudaTextureObject_t, kTexelViews> texture{};
    std::array<unsigned, kTexelViews> first{};
  };

  std::array<unsigned, kTexelViews> texel_bytes_{};
  std::size_t bytes_;
  std::size_t alignment_ = 1;  ///< of a texture's first byte
  std::map<const void*, Views> views_;
};

}  // namespace msda
