// Slot "reader": how a lane addresses and reads its channels of a pixel in global memory.
#pragma once

#include <msda/contract.cuh>
#include <msda/parts/restage.cuh>
#include <msda/split.cuh>

namespace msda {

/// Address of channel `channel` of head `head` in the first stored pixel of an image.
template <class K>
__device__ __forceinline__ auto image_values(const Arguments& arguments, long long image, int head,
                                             int channel) {
  const long long stride = image_stride<typename K::Layout>(typename K::Sizes(arguments));
  return element_of<typename K::Arithmetic::Stored>(
      static_cast<const unsigned char*>(stored_values<K>(arguments)), arguments.batch * stride,
      image * stride + K::Layout::channel_offset(head, channel));
}

/// Static members, called by consumers without synchronisation:
///
/// - `Address`: identifies a lane's channels of a stored pixel;
/// - `kFetches`: values are fetched by the texture unit, and addresses are numbers of texels;
/// - texel_bytes(view) returns the bytes of a texel in that view of the stored values; 0: no view;
/// - image(arguments, image, head, channel) returns the address in the image's first pixel;
/// - pixel(base, first, offset) returns the address of the pixel at `first + offset` from `base`;
/// - read<level>(arguments, pixel, pixels) returns the values at `pixels`, a constant with
///   fixed level sizes, from `pixel`.
template <class Policy, class K>
concept ReaderPolicy = requires(const Arguments& arguments, typename Policy::Address address) {
  requires kConstant<bool, Policy::kFetches>;
  requires kConstant<unsigned, Policy::texel_bytes(0)>;
  { Policy::image(arguments, 0LL, 0, 0) } -> Same<typename Policy::Address>;
  { Policy::pixel(address, 0, 0U) } -> Same<typename Policy::Address>;
  requires Same<decltype(Policy::template read<0>(arguments, address, 0)),
                Vector<typename K::Arithmetic::Stored, K::Mapping::kVector>>;
};

/// Default: addresses in memory, and the loads of the cache slot.
template <class K, class Parameters>
struct AddressReader {
  using Value = typename K::Arithmetic::Stored;
  using Values = Vector<Value, K::Mapping::kVector>;
  using Address = msda::Address<Value>;
  static constexpr bool kFetches = false;
  /// Bytes between neighbouring pixels; of split elements in the lower plane.
  static constexpr int kPixelBytes = K::Layout::kPixelStride * kUnitBytes<Value>;

  static constexpr unsigned texel_bytes(int) { return 0; }

  __device__ static Address image(const Arguments& arguments, long long image, int head,
                                  int channel) {
    return image_values<K>(arguments, image, head, channel);
  }
  __device__ static Address pixel(const Address& image, int first, unsigned offset) {
    return strided<kPixelBytes>(image + first * kPixelBytes, offset);
  }
  /// If `pixels` is a constant, the distance becomes part of the load instruction.
  __device__ static Address further(const Address& pixel, int pixels) {
    return pixel + static_cast<long long>(pixels) * kPixelBytes;
  }
  template <int level>
  __device__ static Values read(const Arguments&, const Address& pixel, int pixels) {
    return Values::read(further(pixel, pixels),
                        [](const auto* p) { return K::Cache::template load_value<level>(p); });
  }
};

}  // namespace msda
