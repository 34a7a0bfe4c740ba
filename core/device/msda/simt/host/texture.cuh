// Host bodies of simt/texture.cuh: bilinear filtering with fractions of 8 bits, as texture units
// have them, and zero outside. A texel of a linear texture is a load like others, with a hint.
#pragma once

#include <msda/ptx/memory.cuh>
#include <msda/simt/host/executor.cuh>
#include <msda/simt/host/narrow.cuh>

namespace msda::simt {

namespace host {

/// A coordinate's lower texel, and the weight of the upper texel in 256ths.
struct Fixed {
  int whole;
  int fraction;
};
MSDA_UNCHECKED inline Fixed fixed(float coordinate) {
  const int in_256ths = __float2int_rn((coordinate - 0.5F) * 256.0F);
  return {in_256ths >> 8, in_256ths & 255};
}

MSDA_UNCHECKED inline bool is_inside(const Texture& texture, int x, int y) {
  return x >= 0 && y >= 0 && x < static_cast<int>(texture.width) &&
         y < static_cast<int>(texture.height);
}

/// One channel of a texel; zero outside the texture.
MSDA_UNCHECKED inline float texel(const Texture& texture, int x, int y, int layer,
                                  unsigned channel) {
  if (!is_inside(texture, x, y)) return 0.0F;
  const unsigned long long at =
      ((static_cast<unsigned long long>(layer) * texture.height + y) * texture.width + x) * 4 +
      channel;
  if (texture.bits == 32) return reinterpret_cast<const float*>(texture.texels)[at];
  return Half::widen(reinterpret_cast<const unsigned short*>(texture.texels)[at]);
}

MSDA_UNCHECKED inline void check_layer(const Texture& texture, int layer, Where where) {
  if (layer < 0 || layer >= static_cast<int>(texture.layers)) {
    executor->fail(where, "the layer of a texture does not exist");
  }
}

/// A fault where a GPU would return zero or refuse.
template <class Word>
MSDA_UNCHECKED const Word* linear_texel(unsigned long long texture, unsigned number, Where where) {
  const auto& from = *reinterpret_cast<const LinearTexture*>(texture);
  if (from.texel_bytes != sizeof(Word)) {
    executor->fail(where, "a texel is fetched as a word of another size");
  }
  if (number >= from.texels) executor->fail(where, "the texel of a linear texture does not exist");
  return reinterpret_cast<const Word*>(from.first) + number;
}

}  // namespace host

MSDA_UNCHECKED inline float4 tex2d_layered(unsigned long long texture, float2 coordinates,
                                           int layer, host::Where where = host::here()) {
  const auto& from = *reinterpret_cast<const host::Texture*>(texture);
  host::check_layer(from, layer, where);
  const host::Fixed x = host::fixed(coordinates.x);
  const host::Fixed y = host::fixed(coordinates.y);
  host::count(host::kTextureFetch);
  const int texels = (host::is_inside(from, x.whole, y.whole) ? 1 : 0) +
                     (x.fraction != 0 && host::is_inside(from, x.whole + 1, y.whole) ? 1 : 0) +
                     (y.fraction != 0 && host::is_inside(from, x.whole, y.whole + 1) ? 1 : 0);
  if (texels > 1) host::count(host::kTextureBlend);
  float channels[4];
  for (unsigned c = 0; c < 4; ++c) {
    const auto corner = [&](int dx, int dy) MSDA_UNCHECKED {
      const int weight =
          (dx != 0 ? x.fraction : 256 - x.fraction) * (dy != 0 ? y.fraction : 256 - y.fraction);
      const float value = host::texel(from, x.whole + dx, y.whole + dy, layer, c);
      return static_cast<float>(weight) / 65536.0F * value;
    };
    channels[c] = corner(0, 0) + corner(1, 0) + corner(0, 1) + corner(1, 1);
  }
  return {channels[0], channels[1], channels[2], channels[3]};
}

template <class Texel>
MSDA_UNCHECKED void surf2d_layered_write(unsigned long long surface, const Texel& texel, int x,
                                         int y, int layer, host::Where where = host::here()) {
  const auto& to = *reinterpret_cast<const host::Texture*>(surface);
  host::check_layer(to, layer, where);
  if (x < 0 || y < 0 || x >= static_cast<int>(to.width) || y >= static_cast<int>(to.height)) {
    host::executor->fail(where, "a texel is written outside its surface");
  }
  host::count(host::kTextureStore);
  const unsigned long long at =
      (static_cast<unsigned long long>(layer) * to.height + y) * to.width + x;
  __builtin_memcpy(to.texels + at * Texel::kBytes, &texel, Texel::kBytes);
}

template <class Word>
Word tex1d_fetch(unsigned long long texture, unsigned number, host::Where where = host::here()) {
  const Word* texel = host::linear_texel<Word>(texture, number, where);
  ptx::host::set_hint(host::kTexel);
  const Word word = ptx::host::load(texel);
  ptx::host::set_hint(host::kPlain);
  return word;
}

}  // namespace msda::simt
