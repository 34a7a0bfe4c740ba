#include "device/cuda/linear_textures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include <msda/error.hpp>

#include "device/cuda/check.hpp"

namespace msda {
namespace {

/// Of unsigned numbers of at most 32 bits.
cudaChannelFormatDesc format_of(unsigned texel_bytes) {
  const int bits = static_cast<int>(std::min(8 * texel_bytes, 32U));
  const auto channel = [&](unsigned n) { return 4 * n < texel_bytes ? bits : 0; };
  return {channel(0), channel(1), channel(2), channel(3), cudaChannelFormatKindUnsigned};
}

}  // namespace

LinearTextures::LinearTextures(const LaunchPlan& plan, std::size_t bytes) : bytes_(bytes) {
  std::copy(std::begin(plan.texel_bytes), std::end(plan.texel_bytes), texel_bytes_.begin());
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  int alignment = 0;
  check(cudaDeviceGetAttribute(&alignment, cudaDevAttrTextureAlignment, device),
        "cudaDeviceGetAttribute(TextureAlignment)");
  alignment_ = static_cast<std::size_t>(alignment);
}

LinearTextures::~LinearTextures() {
  for (const auto& [values, views] : views_) {
    for (const cudaTextureObject_t texture : views.texture) {
      if (texture != 0) cudaDestroyTextureObject(texture);
    }
  }
}

void LinearTextures::make(const void* values) {
  if (views_.contains(values)) return;
  const std::size_t before = reinterpret_cast<std::uintptr_t>(values) % alignment_;
  Views& views = views_[values];
  for (std::size_t v = 0; v < kTexelViews; ++v) {
    if (texel_bytes_[v] == 0) continue;
    if (before % texel_bytes_[v] != 0) {
      throw Error(fmt::format("values at {} lie at no multiple of {} bytes, as texels have to",
                              fmt::ptr(values), texel_bytes_[v]));
    }
    views.first[v] = static_cast<unsigned>(before / texel_bytes_[v]);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr =
        const_cast<unsigned char*>(static_cast<const unsigned char*>(values) - before);
    resource.res.linear.desc = format_of(texel_bytes_[v]);
    resource.res.linear.sizeInBytes = before + bytes_;
    cudaTextureDesc reading{};
    reading.readMode = cudaReadModeElementType;
    check(cudaCreateTextureObject(&views.texture[v], &resource, &reading, nullptr),
          "cudaCreateTextureObject");
  }
}

void LinearTextures::add_to(Arguments& arguments, const void* values) const {
  const auto found = views_.find(values);
  if (found == views_.end()) throw Error("launched on tensors that were not bound before");
  std::copy(found->second.texture.begin(), found->second.texture.end(), arguments.texels);
  std::copy(found->second.first.begin(), found->second.first.end(), arguments.first_texel);
}

}  // namespace msda
