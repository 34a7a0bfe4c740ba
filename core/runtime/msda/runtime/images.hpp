// Code that was compiled earlier: which of several images a device runs, and its functions.
#pragma once

#include <cuda_runtime_api.h>

#include <msda/runtime/status.hpp>

namespace msda::runtime {

enum class ImageKind {
  kCubin,  ///< for its compute capability and those of the same major number above it
  kExact,  ///< a cubin of an architecture with an 'a': for its compute capability alone
  kPtx     ///< which the driver compiles, for its compute capability and all above it
};

struct Image {
  int capability;  ///< 10 * major + minor
  ImageKind kind;
  const void* code;  ///< a cubin, or PTX that ends in a zero
};

inline bool runs_on(const Image& image, int capability) {
  if (image.kind == ImageKind::kExact) return image.capability == capability;
  if (image.capability > capability) return false;
  return image.kind == ImageKind::kPtx || image.capability / 10 == capability / 10;
}

/// The image for a device: a cubin before PTX, then the one for the highest capability. Null where
/// none runs there.
inline const Image* choose_image(const Image* images, int count, int capability) {
  const auto rank = [](const Image& image) {
    constexpr int kAboveAll = 1000;  // capabilities
    return image.capability + (image.kind == ImageKind::kPtx ? 0 : kAboveAll);
  };
  const Image* best = nullptr;
  for (const Image* image = images; image != images + count; ++image) {
    if (!runs_on(*image, capability)) continue;
    if (best == nullptr || rank(*image) > rank(*best)) best = image;
  }
  return best;
}

/// Loads the code of an image. It is the caller's to unload, after the last launch.
inline Status load_image(const void* code, cudaLibrary_t& library) {
  return status_of(cudaLibraryLoadData(&library, code, nullptr, nullptr, 0, nullptr, nullptr, 0),
                   "cudaLibraryLoadData");
}

/// The kernel with this name in the image, as Kernel::function has it.
inline Status find_function(cudaLibrary_t library, const char* symbol, const void*& function) {
  cudaKernel_t kernel = nullptr;
  const Status status =
      status_of(cudaLibraryGetKernel(&kernel, library, symbol), "cudaLibraryGetKernel");
  function = kernel;
  return status;
}

}  // namespace msda::runtime
