// Values in global memory are read by texture fetches: the texture unit has a data path of its own
// to the registers, which is free while loads from shared memory occupy the other path.
//
// The stored values are one linear texture with the words of a lane's vector as texels. Split
// elements have a view for each part. A lane's vector of either part is one word, so that one
// number counts texels in both planes.
#pragma once

#include <msda/simt/texture.cuh>
#include <msda/slots/reader.cuh>
#include <msda/slots/source.cuh>

namespace msda::texture_fetch {

template <class K, class Parameters>
struct Reader {
  using Value = typename K::Arithmetic::Stored;
  using Values = Vector<Value, K::Mapping::kVector>;
  /// The number of a texel of the first view.
  using Address = unsigned;
  static constexpr bool kFetches = true;

  static constexpr const char* idle() {
    return K::Fetch::kStaged ? "values pass through the fetch slot's shared memory"
                             : all_levels_on_chip<K>();
  }
  static constexpr unsigned texel_bytes(int view) {
    if constexpr (kIsSplit) {
      static_assert(Values::Uppers::kWords == 1 && Values::Lowers::kWords == 1);
      return view == 0 ? Values::Uppers::kWordBytes : Values::Lowers::kWordBytes;
    } else {
      return view == 0 ? Values::kWordBytes : 0;
    }
  }

  __device__ static Address image(const Arguments& arguments, long long image, int head,
                                  int channel) {
    const long long first = image * image_stride<typename K::Layout>(typename K::Sizes(arguments)) +
                            K::Layout::channel_offset(head, channel);
    return arguments.first_texel[0] + static_cast<unsigned>(first / kVector) * kTexels;
  }
  __device__ static Address pixel(Address image, int first, unsigned offset) {
    const unsigned from = image + static_cast<unsigned>(first) * kPixelTexels;
    return static_cast<Address>(ptx::mad_lo<kPixelTexels>(static_cast<int>(from), offset));
  }
  template <int level>
  __device__ static Values read(const Arguments& arguments, Address pixel, int pixels) {
    const Address at = pixel + static_cast<unsigned>(pixels) * kPixelTexels;
    if constexpr (kIsSplit) {
      // The plane of the lower parts follows the plane of the upper parts.
      const long long stride = image_stride<typename K::Layout>(typename K::Sizes(arguments));
      const unsigned behind = static_cast<unsigned>(2 * arguments.batch * (stride / kVector)) +
                              arguments.first_texel[1] - arguments.first_texel[0];
      return {fetch<typename Values::Uppers>(arguments.texels[0], at),
              fetch<typename Values::Lowers>(arguments.texels[1], at + behind)};
    } else {
      return fetch<Values>(arguments.texels[0], at);
    }
  }

 private:
  static constexpr bool kIsSplit = SplitElement<Value>;
  static constexpr int kVector = K::Mapping::kVector;
  /// Texels of a lane's vector, and of a pixel.
  static constexpr unsigned kTexels = [] {
    if constexpr (!kIsSplit) return static_cast<unsigned>(Values::kWords);
    return 1U;
  }();
  static constexpr unsigned kPixelTexels = K::Layout::kPixelStride / kVector * kTexels;

  template <class Words>
  __device__ static Words fetch(unsigned long long texture, Address first) {
    return Words::of_words([&](int w) {
      return simt::tex1d_fetch<typename Words::Word>(texture, first + static_cast<unsigned>(w));
    });
  }
};

}  // namespace msda::texture_fetch
