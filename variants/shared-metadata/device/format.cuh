// How the taps of a row lie in shared memory. Sixteen bytes of padding after each side's part let
// the two sides, and neighbouring rows, be read without bank conflicts.
#pragma once

#include <msda/slots/metadata.cuh>
#include <msda/vector.cuh>

namespace msda::shared_metadata {

inline constexpr int kPadding = 16;

constexpr int whole_words(int bytes) { return (bytes + 15) / 16 * 16; }

/// Taps as the arithmetic takes them: [side][point].
template <class K>
struct PlainFormat {
  using Problem = typename K::Problem;
  static constexpr int kSides = K::Mapping::kSides;
  static constexpr int kTap = static_cast<int>(sizeof(Taps<K>));
  static constexpr int kSideBytes = Problem::kLevels * Problem::kPoints * kTap + kPadding;
  static constexpr int kRowBytes = kSides * kSideBytes;

  /// `points` points from the row's point `first` on, a multiple of `points`.
  template <int points>
  __device__ static void write(unsigned char* row, int first,
                               const Taps<K> (&taps)[kSides][points]) {
#pragma unroll
    for (int side = 0; side < kSides; ++side) {
      copy_words<points * kTap>(row + side * kSideBytes + first * kTap, taps[side]);
    }
  }
  __device__ static typename K::Source::Place place(const unsigned char* row, int point) {
    return reinterpret_cast<const Taps<K>*>(row + point * kTap)->place;
  }
  /// `points` points from the row's point `first` on, a multiple of `multiple`.
  template <int points, int multiple>
  __device__ static void read(const unsigned char* row, int first, Taps<K> (&taps)[points]) {
    copy_words<points * kTap, multiple * kTap>(
        taps, row + K::Mapping::side() * kSideBytes + first * kTap);
  }
};

/// The places of a row in 16 bits each, which its sides share; then the weights,
/// [side][point][tap].
template <class K>
struct PackedFormat {
  using Problem = typename K::Problem;
  using Weight = typename K::Arithmetic::Weight;
  static constexpr int kSides = K::Mapping::kSides;
  static constexpr int kPointsPerRow = Problem::kLevels * Problem::kPoints;
  static constexpr int kPlace = 2;
  static constexpr int kWeights = kTaps<K> * static_cast<int>(sizeof(Weight));  ///< of a point
  static constexpr int kPlaceBytes = whole_words(kPointsPerRow * kPlace);
  static constexpr int kSideBytes = whole_words(kPointsPerRow * kWeights) + kPadding;
  static constexpr int kRowBytes = kPlaceBytes + kSides * kSideBytes;

  template <int points>
  __device__ static void write(unsigned char* row, int first,
                               const Taps<K> (&taps)[kSides][points]) {
    alignas(16) unsigned short place[points];
#pragma unroll
    for (int p = 0; p < points; ++p) place[p] = static_cast<unsigned short>(taps[0][p].place);
    copy_words<points * kPlace>(row + first * kPlace, place);
#pragma unroll
    for (int side = 0; side < kSides; ++side) {
      alignas(16) Weight weight[points][kTaps<K>];
#pragma unroll
      for (int p = 0; p < points; ++p) {
#pragma unroll
        for (int t = 0; t < kTaps<K>; ++t) weight[p][t] = taps[side][p].weight[t];
      }
      copy_words<points * kWeights>(side_weights(row, side) + first * kWeights, weight);
    }
  }
  __device__ static typename K::Source::Place place(const unsigned char* row, int point) {
    return reinterpret_cast<const unsigned short*>(row)[point];
  }
  template <int points, int multiple>
  __device__ static void read(const unsigned char* row, int first, Taps<K> (&taps)[points]) {
    alignas(16) unsigned short place[points];
    alignas(16) Weight weight[points][kTaps<K>];
    copy_words<points * kPlace, multiple * kPlace>(place, row + first * kPlace);
    copy_words<points * kWeights, multiple * kWeights>(
        weight, side_weights(row, K::Mapping::side()) + first * kWeights);
#pragma unroll
    for (int p = 0; p < points; ++p) {
      taps[p].place = place[p];
#pragma unroll
      for (int t = 0; t < kTaps<K>; ++t) taps[p].weight[t] = weight[p][t];
    }
  }

 private:
  template <class Byte>
  __device__ static Byte* side_weights(Byte* row, int side) {
    return row + kPlaceBytes + side * kSideBytes;
  }
};

/// True when every place is a pixel that 16 bits can number.
template <class K>
constexpr bool can_pack() {
  if (K::Source::kBlends) return false;
  for (int level = 0; level < K::Problem::kLevels; ++level) {
    if (K::Layout::pixels(level) > 0x10000) return false;
  }
  return true;
}

template <bool packed, class K>
struct FormatOf {
  using Type = PlainFormat<K>;
};
template <class K>
struct FormatOf<true, K> {
  using Type = PackedFormat<K>;
};

}  // namespace msda::shared_metadata
