// The gradients of a row's locations and weights, level by level, and its contributions to
// grad_value.
#pragma once

#include <backward/cells.cuh>
#include <backward/dots.cuh>
#include <msda/static_for.cuh>

namespace msda::backward {

/// One lane's row. All lanes of a warp call its functions, converged; `exists` is false for lanes
/// whose row is past the end of the item, and was clamped to the last one.
template <class K>
class Row {
  using Problem = typename K::Problem;
  using Lanes = typename K::Lanes;
  using Dots = typename K::Dots;
  using Value = typename Problem::Value;
  using Values = Vector<Value, Lanes::kVector>;
  using Place = msda::Place<K>;
  static constexpr int kTaps = 4 / Lanes::kSides;
  static constexpr int kMostBatch = 4;
  static constexpr int kPoints = Problem::kPoints;
  /// Points whose gradients are summed over lanes together, a power of two.
  static constexpr int kBatch = [] {
    int batch = Lanes::kPoints < kMostBatch ? kMostBatch : Lanes::kPoints;
    while (batch > 1 && batch / 2 >= kPoints) batch /= 2;
    return batch;
  }();
  /// Points of them whose values a lane loads together.
  static constexpr int kFlight = [] {
    constexpr int kMostWords = 16;
    constexpr int kWords = kTaps * Lanes::kOwn * Values::kWords;
    int flight = Lanes::kPoints < kBatch ? Lanes::kPoints : kBatch;
    while (flight > 1 && flight * kWords > kMostWords) flight /= 2;
    return flight;
  }();
  static constexpr int kWhole = kPoints / kBatch * kBatch;
  /// With two sides, the blends of a side's column along y: a sum and a derivative. With one side,
  /// the gradients of the weight, of x and of y.
  static constexpr int kNumbers = Lanes::kSides == 2 ? 2 : 3;
  using Transposed = TransposedSums<kBatch, Lanes::kLanesPerSide>;

 public:
  __device__ Row(const Arguments& arguments, long long image, long long row, int head, bool exists)
      : arguments_(arguments), row_(row), exists_(exists) {
    using Output = typename Problem::Output;
    const auto* gradient =
        static_cast<const Output*>(arguments.grad_output) + row * Problem::kChannels;
    values_ = reinterpret_cast<const unsigned char*>(
        static_cast<const Value*>(arguments.value) +
        image * image_stride<typename K::Layout>(typename K::Sizes(arguments)) +
        K::Layout::channel_offset(head, has(0) ? Place::chunk(0) * Lanes::kVector : 0));
#pragma unroll
    for (int n = 0; n < Lanes::kOwn; ++n) {
      Vector<Output, Lanes::kVector> stored = {};
      if (has(n)) {
        stored = stored.read(gradient + Place::chunk(n) * Lanes::kVector,
                             [](const auto* p) { return K::Cache::load_stream(p); });
      }
      gradient_[n] = Dots::gradient(stored);
    }
  }

  /// Of level `only`, if levels are apart.
  template <class Sum>
  __device__ void run(const Cell* cells, int only, Sum& sum) const {
    static_for<Problem::kLevels>([&]<int number>() {
      if constexpr (!Lanes::kLevelsApart) {
        run_level(Level<K, number>(arguments_), cells + number * kPoints, sum);
      } else if (number == only) {
        run_level(Level<K, number>(arguments_), cells, sum);
      }
    });
  }

 private:
  __device__ static bool has(int n) {
    return Lanes::kOwn * Lanes::kLanesPerSide == Lanes::kChunks || Place::chunk(n) < Lanes::kChunks;
  }
  __device__ static int corner(int tap) {
    return Lanes::kSides == 2 ? Place::side() + 2 * tap : tap;
  }

  template <class Level, class Sum>
  __device__ void run_level(const Level& level, const Cell* cells, Sum& sum) const {
    if constexpr (kWhole > kBatch) {
#pragma unroll 1
      for (int first = 0; first < kWhole; first += kBatch) {
        visit<kBatch>(level, cells, first, sum);
      }
    } else if constexpr (kWhole != 0) {
      visit<kBatch>(level, cells, 0, sum);
    }
    if constexpr (kWhole < kPoints) visit<kPoints - kWhole>(level, cells, kWhole, sum);
  }

  template <int points, class Level, class Sum>
  __device__ void visit(const Level& level, const Cell* cells, int first, Sum& sum) const {
    PointSums<kBatch, kNumbers> sums = {};
    static_for<(points + kFlight - 1) / kFlight>([&]<int flight>() {
      constexpr int kFrom = flight * kFlight;
      constexpr int kCount = points - kFrom < kFlight ? points - kFrom : kFlight;
      fly<kCount>(level, cells + first + kFrom, sum, sums.of + kFrom);
    });
    if constexpr (kHasDots<K>) {
      finish<points>(level, cells, first, Transposed::template sum<kNumbers>(sums));
    }
  }

  /// Loads the values of some points, adds their contributions, and blends the values.
  template <int points, class Level, class Sum>
  __device__ void fly(const Level& level, const Cell* cells, Sum& sum,
                      float (*numbers)[kNumbers]) const {
    // Copied once: reds order memory, so that the compiler would read them again.
    Cell own[points];
#pragma unroll
    for (int p = 0; p < points; ++p) own[p] = cells[p];
    Values values[points][kTaps][Lanes::kOwn];
    if constexpr (kHasDots<K>) {
#pragma unroll
      for (int p = 0; p < points; ++p) load(level, own[p], values[p]);
    }
    if constexpr (kIsAsked<K, kGradValue>) {
#pragma unroll
      for (int p = 0; p < points; ++p) sum.add(level, own[p]);
    }
    if constexpr (kHasDots<K>) {
#pragma unroll
      for (int p = 0; p < points; ++p) blend(level, own[p], values[p], numbers[p]);
    }
  }

  template <class Level>
  __device__ void load(const Level& level, const Cell& cell,
                       Values (&values)[kTaps][Lanes::kOwn]) const {
    constexpr int kPixelBytes = K::Layout::kPixelStride * static_cast<int>(sizeof(Value));
    const unsigned char* const column =
        values_ + level.pixels_to(corner(0)) * static_cast<long long>(kPixelBytes);
    const unsigned char* const anchor = ptx::mad_wide<kPixelBytes>(column, cell.pixel);
#pragma unroll
    for (int t = 0; t < kTaps; ++t) {
      constexpr int kTapCorner = Lanes::kSides == 2 ? 2 : 1;
      const unsigned char* const pixel =
          anchor + level.pixels_to(t * kTapCorner) * static_cast<long long>(kPixelBytes);
#pragma unroll
      for (int n = 0; n < Lanes::kOwn; ++n) {
        const int further = has(n) ? n * Lanes::kLanesPerSide * Values::kBytes : 0;
        values[t][n] = Values::read(pixel + further, [](const auto* p) {
          return K::Cache::template load_value<Level::kNumber>(p);
        });
      }
    }
  }

  /// This lane's part of a point's numbers.
  template <class Level>
  __device__ void blend(const Level& level, const Cell& cell,
                        const Values (&values)[kTaps][Lanes::kOwn],
                        float (&numbers)[kNumbers]) const {
    float dot[kTaps];
#pragma unroll
    for (int t = 0; t < kTaps; ++t) {
      dot[t] = 0.0F;
#pragma unroll
      for (int n = 0; n < Lanes::kOwn; ++n) dot[t] += Dots::dot(gradient_[n], values[t][n]);
    }
    const float upper = level.y_share(cell.y, false);
    const float lower = level.y_share(cell.y, true);
    if constexpr (Lanes::kSides == 2) {
      numbers[0] = fmaf(lower, dot[1], upper * dot[0]);
      numbers[1] = level.y_slope_of(cell.y, dot[0], dot[1]);
    } else {
      const float left = fmaf(lower, dot[2], upper * dot[0]);
      const float right = fmaf(lower, dot[3], upper * dot[1]);
      const float down_left = level.y_slope_of(cell.y, dot[0], dot[2]);
      const float down_right = level.y_slope_of(cell.y, dot[1], dot[3]);
      const float left_share = level.x_share(cell.x, false);
      const float right_share = level.x_share(cell.x, true);
      numbers[0] = fmaf(right_share, right, left_share * left);
      numbers[1] = fmaf(level.x_slope(cell.x, true), right, level.x_slope(cell.x, false) * left);
      numbers[2] = fmaf(right_share, down_right, left_share * down_left);
    }
  }

  /// Stores the gradients of the points that the lane is left with.
  template <int points, class Level>
  __device__ void finish(const Level& level, const Cell* cells, int first,
                         const PointSums<Transposed::kLeft, kNumbers>& sums) const {
#pragma unroll
    for (int i = 0; i < Transposed::kLeft; ++i) {
      const int p = Transposed::first() + i;
      const Cell cell = cells[first + min(p, points - 1)];
      float of_weight = sums.of[i][0];
      float of_x = sums.of[i][1];
      float of_y = sums.of[i][kNumbers - 1];
      if constexpr (Lanes::kSides == 2) {
        const bool right = Place::side() == 1;
        const float column = level.x_share(cell.x, right);
        of_weight = over_sides(column * sums.of[i][0]);
        of_x = over_sides(level.x_slope(cell.x, right) * sums.of[i][0]);
        of_y = over_sides(column * sums.of[i][1]);
      }
      if (!exists_ || p >= points || !Transposed::is_first()) continue;
      const long long number = (row_ * Problem::kLevels + Level::kNumber) * kPoints + first + p;
      if (Lanes::kSides == 1 || Place::side() == 0) {
        store_location(number, cell.weight * level.width() * of_x,
                       cell.weight * level.height() * of_y);
      }
      if (Lanes::kSides == 1 || Place::side() == 1) store_weight(number, of_weight);
    }
  }

  __device__ static float over_sides(float number) {
    return number + simt::shfl_xor_sync(number, Lanes::kLanesPerSide);
  }
  __device__ void store_location(long long number, float x, float y) const {
    using Location = typename Problem::Location;
    if constexpr (!kIsAsked<K, kGradLocations>) return;
    Vector<Location, 2> xy;
    const float gradients[2] = {x, y};
    from_floats(gradients, xy.element);
    xy.write(static_cast<Location*>(arguments_.grad_sampling_locations) + 2 * number,
             [](auto* p, auto word) { K::Cache::store_output(p, word); });
  }
  __device__ void store_weight(long long number, float gradient) const {
    using Weight = typename Problem::Weight;
    if constexpr (!kIsAsked<K, kGradWeights>) return;
    Vector<Weight, 1> one;
    one.element[0] = from_float<Weight>(gradient);
    one.write(static_cast<Weight*>(arguments_.grad_attention_weights) + number,
              [](auto* p, auto word) { K::Cache::store_output(p, word); });
  }

  const Arguments& arguments_;
  long long row_;
  bool exists_;
  const unsigned char* values_;  ///< of the lane's first vector in the image's first pixel
  typename Dots::Gradient gradient_[Lanes::kOwn];
};

}  // namespace msda::backward
