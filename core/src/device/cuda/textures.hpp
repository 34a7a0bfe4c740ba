// Layered textures that a composition's source slot asks for in its launch plan.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <vector>

#include <msda/launch.cuh>

namespace msda {

/// One level: a CUDA array with a texture object to read it, bilinear and zero outside, and a
/// surface object to write it.
class CudaTexture {
 public:
  /// `layers` in all. Throws Error when the device cannot make it.
  CudaTexture(const TextureShape& shape, unsigned layers);
  CudaTexture(const CudaTexture&) = delete;
  CudaTexture& operator=(const CudaTexture&) = delete;
  ~CudaTexture();

  cudaTextureObject_t texture() const { return texture_; }
  cudaSurfaceObject_t surface() const { return surface_; }

 private:
  cudaArray_t array_ = nullptr;
  cudaTextureObject_t texture_ = 0;
  cudaSurfaceObject_t surface_ = 0;
};

}  // namespace msda
