// Stored values as linear textures, which a kernel fetches texels of by their numbers.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <msda/launch.cuh>

#include <msda/runtime/status.hpp>

namespace msda::runtime {

/// Texels of unsigned numbers of at most 32 bits.
inline cudaChannelFormatDesc texel_format(unsigned texel_bytes) {
  const int bits = static_cast<int>(std::min(8 * texel_bytes, 32U));
  const auto channel = [&](unsigned n) { return 4 * n < texel_bytes ? bits : 0; };
  return {channel(0), channel(1), channel(2), channel(3), cudaChannelFormatKindUnsigned};
}

/// Describes `bytes` bytes from `first` on, an address that is aligned as a texture's has to be.
/// The texture holds no memory. Making it is no work of a stream, so that one that is captured may
/// go on.
inline Status make_texture(const void* first, std::size_t bytes, unsigned texel_bytes,
                           cudaTextureObject_t& texture) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = const_cast<void*>(first);
  resource.res.linear.desc = texel_format(texel_bytes);
  resource.res.linear.sizeInBytes = bytes;
  cudaTextureDesc reading{};
  reading.readMode = cudaReadModeElementType;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  Status status =
      status_of(cudaThreadExchangeStreamCaptureMode(&mode), "cudaThreadExchangeStreamCaptureMode");
  if (status.failed()) return status;
  status = status_of(cudaCreateTextureObject(&texture, &resource, &reading, nullptr),
                     "cudaCreateTextureObject");
  static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode));
  return status;
}

/// Adds the views that the plan asks for of `bytes` bytes of stored values, which are at a multiple
/// of every view's texel. `alignment` is the device's for textures, a power of two: a texture
/// begins at the multiple before the values. `find(first, bytes, texel_bytes, texture)` makes it,
/// or finds one that it made before.
template <class Find>
Status add_textures(const LaunchPlan& plan, const void* values, std::size_t bytes,
                    std::size_t alignment, LaunchArguments& arguments, const Find& find) {
  const std::size_t before = reinterpret_cast<std::uintptr_t>(values) % alignment;
  const void* first = static_cast<const unsigned char*>(values) - before;
  for (int view = 0; view < kTexelViews; ++view) {
    const unsigned texel_bytes = plan.texel_bytes[view];
    if (texel_bytes == 0) continue;
    cudaTextureObject_t texture = 0;
    const Status status = find(first, before + bytes, texel_bytes, texture);
    if (status.failed()) return status;
    arguments.texels[view] = texture;
    arguments.first_texel[view] = static_cast<unsigned>(before / texel_bytes);
  }
  return {};
}

}  // namespace msda::runtime
