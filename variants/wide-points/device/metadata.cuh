// Every lane computes its own taps, of points that it loads several at a time.
#pragma once

#include <msda/slots/metadata.cuh>

namespace msda::wide_points {

template <class K, class Parameters>
class Metadata : public InlineMetadata<K, Parameters> {
  using Inline = InlineMetadata<K, Parameters>;
  using Problem = typename K::Problem;
  using Offset = typename K::Source::Offset;

  /// Points of one load: those of each batch of the level begin at a multiple of their number.
  static constexpr int loaded_together(int level, int points) {
    constexpr int kFit = 16 / (2 * static_cast<int>(sizeof(typename Problem::Location)));
    const int all[] = {points, kBatch<K>, first_point<Problem>(level), kRowPoints<Problem>};
    int together = 1;
    for (bool divides = true; divides && 2 * together <= kFit;) {
      for (const int number : all) divides = divides && number % (2 * together) == 0;
      if (divides) together *= 2;
    }
    return together;
  }
  /// What is staged for both sides of a point lies where one side's taps say.
  static constexpr bool kStagesSides = K::Mapping::kSides == 2 && K::Fetch::kStaged;
  /// Offset 0 is a pixel of what a source reads where sizes are constants. Beside levels on chip
  /// whose place follows from sizes at run time it lies before them.
  static constexpr bool kSharesPixel = Parameters::outside_together && K::Sizes::kFixed &&
                                       !K::Source::kBlends && Same<Offset, unsigned> &&
                                       !kStagesSides;

 public:
  static constexpr const char* idle() {
    if (kSharesPixel) return nullptr;
    for (int level = 0; level < Problem::kLevels; ++level) {
      const int points =
          points_of<Problem>(level) < kBatch<K> ? points_of<Problem>(level) : kBatch<K>;
      if (loaded_together(level, points) > 1) return nullptr;
    }
    return "a batch has one point, or points that do not begin at multiples of their number";
  }
  using Inline::Inline;

  template <int level, int points, class PointFetch>
  __device__ void read(const PointFetch& point_fetch, long long flat_row, int row_in_tile,
                       int point, Taps<K> (&taps)[kBatch<K>]) const {
    constexpr int kTogether = loaded_together(level, points);
#pragma unroll
    for (int p = 0; p < points; p += kTogether) {
      const auto stored = point_fetch.template points<kTogether>(
          flat_row, row_in_tile, first_point<Problem>(level) + point + p);
#pragma unroll
      for (int i = 0; i < kTogether; ++i) {
        taps[p + i] = this->template taps_of_stored<level>(stored, i, row_in_tile);
        if constexpr (kSharesPixel) {
          if (!has_weight(taps[p + i])) taps[p + i].offset = 0;
        }
      }
    }
  }

 private:
  __device__ static bool has_weight(const Taps<K>& taps) {
    bool any = false;
#pragma unroll
    for (int t = 0; t < kTaps<K>; ++t) any = any || !is_zero(taps.weight[t]);
    return any;
  }
  __device__ static bool is_zero(float weight) { return weight == 0.0F; }
  template <class Weight>
  __device__ static bool is_zero(const Weight& weight) requires(sizeof(Weight) == 2) {
    return (reinterpret_cast<const unsigned short&>(weight) & 0x7FFFU) == 0;
  }
  template <class Weight>
  __device__ static bool is_zero(const Weight& weight) requires(sizeof(Weight) == 4 &&
                                                                !Same<Weight, float>) {
    return (reinterpret_cast<const unsigned&>(weight) & 0x7FFF7FFFU) == 0;
  }
};

}  // namespace msda::wide_points
