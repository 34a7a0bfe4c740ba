// Layered textures of four-channel texels, and linear textures.
#pragma once

#if defined(MSDA_SIMT_HOST)
#include <msda/simt/host/texture.cuh>
#else

namespace msda::simt {

/// Bilinear blend at `coordinates`, in texels, of a layer; zero outside it.
__device__ __forceinline__ float4 tex2d_layered(unsigned long long texture, float2 coordinates,
                                                int layer) {
  return tex2DLayered<float4>(static_cast<cudaTextureObject_t>(texture), coordinates.x,
                              coordinates.y, layer);
}

/// Writes one texel of 8 or 16 bytes.
template <class Texel>
__device__ __forceinline__ void surf2d_layered_write(unsigned long long surface, const Texel& texel,
                                                     int x, int y, int layer) {
  using Word = typename Texel::Word;
  surf2DLayeredwrite(reinterpret_cast<const Word&>(texel),
                     static_cast<cudaSurfaceObject_t>(surface), x * Texel::kBytes, y, layer);
}

/// Texel `number` of a linear texture with texels of type Word (ptx::Word).
template <class Word>
__device__ __forceinline__ Word tex1d_fetch(unsigned long long texture, unsigned number) {
  return tex1Dfetch<Word>(static_cast<cudaTextureObject_t>(texture), static_cast<int>(number));
}

}  // namespace msda::simt

#endif
