// How the taps of a row lie in shared memory. Sixteen bytes of padding after each side's part let
// the two sides, and neighbouring rows, be read without bank conflicts.
#pragma once

#include <msda/slots/metadata.cuh>
#include <msda/vector.cuh>

namespace msda::shared_metadata {

/// Entries of rows that keep the taps of a point for each side.
template <class K>
struct TapsOfSides {
  using Entry = Taps<K>;
  template <class At>
  __device__ static Entry entry(const Point& point, const At& level, int side,
                                const typename K::Points::Mask& mask) {
    return make_taps<K>(point, level, side, mask);
  }
};

/// Taps as the arithmetic takes them: [side][point].
template <class K>
struct PlainRow : TapsOfSides<K> {
  static constexpr int kSides = K::Mapping::kSides;
  static constexpr int kPoints = kRowPoints<typename K::Problem>;
  static constexpr int kTap = static_cast<int>(sizeof(Taps<K>));

  struct Side {
    Taps<K> taps[kPoints];
    unsigned char padding[16];
  };
  Side side[kSides];

  /// `points` points from point `first` on, a multiple of `points`.
  template <int points>
  __device__ void write(int first, const Taps<K> (&taps)[kSides][points]) {
#pragma unroll
    for (int s = 0; s < kSides; ++s) copy_words<points * kTap>(side[s].taps + first, taps[s]);
  }
  __device__ typename K::Source::Offset offset(int point) const {
    return side[0].taps[point].offset;
  }
  /// `points` points from point `first` on, a multiple of `multiple`.
  template <int points, int multiple>
  __device__ void read(int first, Taps<K>* taps) const {
    copy_words<points * kTap, multiple * kTap>(taps, side[K::Mapping::side()].taps + first);
  }
};

/// Offsets in 16 bits, which the sides of a row share; then the weights, [side][point][tap].
template <class K>
struct PackedRow : TapsOfSides<K> {
  using Weight = typename K::Arithmetic::Weight;
  using Offset = unsigned short;
  static constexpr int kSides = K::Mapping::kSides;
  static constexpr int kPoints = kRowPoints<typename K::Problem>;
  static constexpr int kOffset = static_cast<int>(sizeof(Offset));
  static constexpr int kWeights = kTaps<K> * static_cast<int>(sizeof(Weight));  ///< of a point

  struct Side {
    alignas(16) Weight weight[kPoints][kTaps<K>];
    alignas(16) unsigned char padding[16];
  };
  alignas(16) Offset offsets[kPoints];
  Side side[kSides];

  template <int points>
  __device__ void write(int first, const Taps<K> (&taps)[kSides][points]) {
    alignas(16) Offset offset[points];
#pragma unroll
    for (int p = 0; p < points; ++p) offset[p] = static_cast<Offset>(taps[0][p].offset);
    copy_words<points * kOffset>(offsets + first, offset);
#pragma unroll
    for (int s = 0; s < kSides; ++s) {
      alignas(16) Weight weight[points][kTaps<K>];
#pragma unroll
      for (int p = 0; p < points; ++p) {
#pragma unroll
        for (int t = 0; t < kTaps<K>; ++t) weight[p][t] = taps[s][p].weight[t];
      }
      copy_words<points * kWeights>(side[s].weight + first, weight);
    }
  }
  __device__ typename K::Source::Offset offset(int point) const { return offsets[point]; }
  template <int points, int multiple>
  __device__ void read(int first, Taps<K>* taps) const {
    alignas(16) Offset offset[points];
    alignas(16) Weight weight[points][kTaps<K>];
    copy_words<points * kOffset, multiple * kOffset>(offset, offsets + first);
    copy_words<points * kWeights, multiple * kWeights>(weight,
                                                       side[K::Mapping::side()].weight + first);
#pragma unroll
    for (int p = 0; p < points; ++p) {
      taps[p].offset = offset[p];
#pragma unroll
      for (int t = 0; t < kTaps<K>; ++t) taps[p].weight[t] = weight[p][t];
    }
  }
};

/// True if 16 bits hold every offset, a pixel of a level.
template <class K>
constexpr bool can_pack() {
  if constexpr (K::Source::kBlends) return false;
  if constexpr (K::Sizes::kFixed) {
    for (int level = 0; level < K::Problem::kLevels; ++level) {
      if (K::Layout::pixels(level) > 0x10000) return false;
    }
    return true;
  } else {
    return K::Problem::kClass.packs;
  }
}

}  // namespace msda::shared_metadata
