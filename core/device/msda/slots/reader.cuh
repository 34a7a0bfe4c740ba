// Slot "reader": how a lane finds and reads its channels of value rows in global memory.
#pragma once

#include <msda/contract.cuh>
#include <msda/parts/restage.cuh>
#include <msda/split.cuh>

namespace msda {

/// First channel `channel` of head `head` of an image's stored values.
template <class K>
__device__ __forceinline__ auto image_values(const Arguments& arguments, long long image, int head,
                                             int channel) {
  return element_of<typename K::Arithmetic::Stored>(
      static_cast<const unsigned char*>(stored_values<K>(arguments)),
      arguments.batch * K::Layout::kImageStride,
      image * K::Layout::kImageStride + K::Layout::channel_offset(head, channel));
}

/// - `Address`: where a lane's channels of a stored pixel lie;
/// - `kFetches`: they are texels and no addresses in memory;
/// - texel_bytes(view): the view of the stored values that is asked for; 0: none;
/// - image(arguments, image, head, channel): the image's first pixel;
/// - pixel(image, first, offset): the one `first` + `offset` pixels behind it;
/// - read<level>(arguments, pixel, further): the channels `further` pixels behind it, which is a
///   constant.
template <class Policy, class K>
concept ReaderPolicy = requires(const Arguments& arguments, typename Policy::Address address) {
  requires kConstant<bool, Policy::kFetches>;
  requires kConstant<unsigned, Policy::texel_bytes(0)>;
  { Policy::image(arguments, 0LL, 0, 0) } -> Same<typename Policy::Address>;
  { Policy::pixel(address, 0, 0U) } -> Same<typename Policy::Address>;
  requires Same<decltype(Policy::template read<0>(arguments, address, 0)),
                Vector<typename K::Arithmetic::Stored, K::Mapping::kVector>>;
};

/// Default: by addresses, through the cache slot's loads.
template <class K, class Parameters>
struct AddressReader {
  using Value = typename K::Arithmetic::Stored;
  using Values = Vector<Value, K::Mapping::kVector>;
  using Address = msda::Address<Value>;
  static constexpr bool kFetches = false;
  /// Between neighbouring pixels; as all distances, where elements are split, in their lower plane.
  static constexpr int kPixelBytes = K::Layout::kPixelStride * kUnitBytes<Value>;

  static constexpr unsigned texel_bytes(int) { return 0; }

  __device__ static Address image(const Arguments& arguments, long long image, int head,
                                  int channel) {
    return image_values<K>(arguments, image, head, channel);
  }
  __device__ static Address pixel(const Address& image, int first, unsigned offset) {
    return strided<kPixelBytes>(image + first * kPixelBytes, offset);
  }
  /// A distance that is a constant becomes part of the load instruction.
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
