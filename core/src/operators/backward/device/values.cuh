// Slot "values": the memory from which a lane reads the values that it multiplies with the
// gradient.
#pragma once

#include <backward/cells.cuh>
#include <msda/slots/schedule.cuh>

namespace msda {

/// A lane's vectors of the corners that it reads of a point.
template <class K>
struct LaneValues {
  using Lanes = typename K::Lanes;
  using Values = Vector<typename K::Problem::Value, Lanes::kVector>;
  static constexpr int kTaps = 4 / Lanes::kSides;
  /// From the corner of one tap to that of the next.
  static constexpr int kTapCorner = Lanes::kSides == 2 ? 2 : 1;

  Values of[kTaps][Lanes::kOwn];

  /// The corner of the lane's first tap, column + 2 * row.
  __device__ static int first_corner() { return Lanes::kSides == 2 ? Place<K>::side() : 0; }
  /// The lane's first channel; of a lane without any the first one of all.
  __device__ static int first_channel() {
    return Place<K>::has(0) ? Place<K>::chunk(0) * Lanes::kVector : 0;
  }
  /// `first` is the lane's first vector at its first corner, `pixel_bytes` are from a pixel to the
  /// next one; read(p) loads a word.
  template <int pixel_bytes, class Level, class Read>
  __device__ __forceinline__ void load(const unsigned char* first, const Level& level,
                                       const Read& read) {
#pragma unroll
    for (int t = 0; t < kTaps; ++t) {
      const unsigned char* const pixel =
          first + level.pixels_to(t * kTapCorner) * static_cast<long long>(pixel_bytes);
#pragma unroll
      for (int n = 0; n < Lanes::kOwn; ++n) {
        const int further = Place<K>::has(n) ? n * Lanes::kLanesPerSide * Values::kBytes : 0;
        of[t][n] = Values::read(pixel + further, read);
      }
    }
  }
};

/// An object for each thread:
///
/// - `kOneHead`: items have one head;
/// - enter(item): called by all threads of a block before the first tile of an item; when it
///   returns, what other threads have copied is there;
/// - begin_row(image, head): called by each lane when it begins a row;
/// - read(level, cell, values): reads the lane's vectors around a point of a `backward::Level`.
template <class Policy, class K>
concept ValuesPolicy = requires(Policy& policy, const WorkItem& item, const backward::Cell& cell,
                                const backward::Level<K, 0>& level, LaneValues<K>& values,
                                const backward::Arguments& arguments,
                                typename Policy::Storage& storage) {
  Policy(arguments, storage);
  requires kConstant<bool, Policy::kOneHead>;
  policy.enter(item);
  policy.begin_row(0LL, 0);
  policy.read(level, cell, values);
};

/// Default: all values in global memory.
template <class K, class Parameters>
class GlobalValuesOf {
  using Problem = typename K::Problem;
  using Value = typename Problem::Value;

 public:
  static constexpr bool kOneHead = false;
  struct Storage {};

  __device__ GlobalValuesOf(const backward::Arguments& arguments, Storage&)
      : arguments_(arguments) {}

  __device__ void enter(const WorkItem&) {}
  __device__ void begin_row(long long image, int head) {
    values_ = reinterpret_cast<const unsigned char*>(
        static_cast<const Value*>(arguments_.value) +
        image * image_stride<typename K::Layout>(typename K::Sizes(arguments_)) +
        K::Layout::channel_offset(head, LaneValues<K>::first_channel()));
  }
  template <class Level>
  __device__ __forceinline__ void read(const Level& level, const backward::Cell& cell,
                                       LaneValues<K>& values) const {
    constexpr int kPixelBytes = K::Layout::kPixelStride * static_cast<int>(sizeof(Value));
    const unsigned char* const column = values_ + level.pixels_to(LaneValues<K>::first_corner()) *
                                                      static_cast<long long>(kPixelBytes);
    values.template load<kPixelBytes>(
        ptx::mad_wide<kPixelBytes>(column, backward::pixel_of<K>(cell)), level,
        [](const auto* p) { return K::Cache::template load_value<Level::kNumber>(p); });
  }

 protected:
  const backward::Arguments& arguments_;

 private:
  const unsigned char* values_;  ///< of the lane's first vector in the image's first pixel
};

}  // namespace msda
