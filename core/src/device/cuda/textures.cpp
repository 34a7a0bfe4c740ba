#include "device/cuda/textures.hpp"

#include "device/cuda/check.hpp"

namespace msda {

CudaTexture::CudaTexture(const TextureShape& shape, unsigned layers) {
  const int bits = static_cast<int>(shape.bits);
  const cudaChannelFormatDesc format = {bits, bits, bits, bits, cudaChannelFormatKindFloat};
  check(cudaMalloc3DArray(&array_, &format, cudaExtent{shape.width, shape.height, layers},
                          cudaArrayLayered | cudaArraySurfaceLoadStore),
        "cudaMalloc3DArray");
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array_;
  cudaTextureDesc reading{};
  reading.addressMode[0] = cudaAddressModeBorder;
  reading.addressMode[1] = cudaAddressModeBorder;
  reading.filterMode = cudaFilterModeLinear;
  reading.readMode = cudaReadModeElementType;
  check(cudaCreateTextureObject(&texture_, &resource, &reading, nullptr),
        "cudaCreateTextureObject");
  check(cudaCreateSurfaceObject(&surface_, &resource), "cudaCreateSurfaceObject");
}

CudaTexture::~CudaTexture() {
  if (surface_ != 0) cudaDestroySurfaceObject(surface_);
  if (texture_ != 0) cudaDestroyTextureObject(texture_);
  if (array_ != nullptr) cudaFreeArray(array_);
}

}  // namespace msda
