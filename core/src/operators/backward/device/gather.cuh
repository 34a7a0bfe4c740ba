// The gradients of a row's locations and weights, level by level, and its contributions to
// grad_value.
#pragma once

#include <backward/accumulator.cuh>
#include <backward/cells.cuh>
#include <backward/dots.cuh>
#include <backward/points.cuh>
#include <backward/values.cuh>
#include <msda/static_for.cuh>

namespace msda::backward {

/// One lane's row. All lanes of a warp call its functions, converged; `exists` is false for lanes
/// whose row is past the end of the item, and was clamped to the last one.
template <class K>
class Row {
  using Problem = typename K::Problem;
  using Lanes = typename K::Lanes;
  using Dots = typename K::Dots;
  using Values = LaneValues<K>;
  using Place = msda::Place<K>;
  static constexpr int kTaps = Values::kTaps;
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
    constexpr int kWords = kTaps * Lanes::kOwn * Values::Values::kWords;
    int flight = Lanes::kPoints < kBatch ? Lanes::kPoints : kBatch;
    while (flight > 1 && flight * kWords > kMostWords) flight /= 2;
    return flight;
  }();
  using Products = typename Dots::template Products<kBatch>;
  /// Of the weight, and of the coordinates in pixels before they are multiplied with the weight.
  struct OfPoint {
    float weight, x, y;
  };

 public:
  __device__ Row(const Arguments& arguments, const typename K::Values& source, long long row,
                 bool exists)
      : arguments_(arguments), source_(source), row_(row), exists_(exists) {
    using Output = typename Problem::Output;
    const auto* gradient =
        static_cast<const Output*>(arguments.grad_output) + row * Problem::kChannels;
    LaneGradient<K> stored = {};
#pragma unroll
    for (int n = 0; n < Lanes::kOwn; ++n) {
      if (!Place::has(n)) continue;
      stored.of[n] = stored.of[n].read(gradient + Place::chunk(n) * Lanes::kVector,
                                       [](const auto* p) { return K::Cache::load_stream(p); });
    }
    gradient_ = Dots::gradient(stored);
  }

  /// Of level `only`, if levels are apart. Levels of the two halves of the pyramid take turns: the
  /// large ones add in L2 and the small ones perhaps on chip, so that neither waits while the other
  /// is busy (on an H200 1% to 4% of an encoder's time in fp16).
  template <class Sum>
  __device__ void run(Cell* cells, int only, Sum& sum) const {
    static_for<Problem::kLevels>([&]<int turn>() {
      constexpr int number = turn % 2 * ((Problem::kLevels + 1) / 2) + turn / 2;
      if constexpr (!Lanes::kLevelsApart) {
        run_level(Level<K, number>(arguments_), cells + first_point<Problem>(number), sum);
      } else if (number == only) {
        run_level(Level<K, number>(arguments_), cells, sum);
      }
    });
  }

 private:
  template <class Level, class Sum>
  __device__ void run_level(const Level& level, Cell* cells, Sum& sum) const {
    constexpr int kOfLevel = points_of<Problem>(Level::kNumber);
    constexpr int kWhole = kOfLevel / kBatch * kBatch;
    if constexpr (kWhole > kBatch) {
#pragma unroll 1
      for (int first = 0; first < kWhole; first += kBatch) {
        visit<kBatch>(level, cells, first, sum);
      }
    } else if constexpr (kWhole != 0) {
      visit<kBatch>(level, cells, 0, sum);
    }
    if constexpr (kWhole < kOfLevel) visit<kOfLevel - kWhole>(level, cells, kWhole, sum);
  }

  template <int points, class Level, class Sum>
  __device__ void visit(const Level& level, Cell* cells, int first, Sum& sum) const {
    Products products;
    static_for<(points + kFlight - 1) / kFlight>([&]<int flight>() {
      constexpr int kFrom = flight * kFlight;
      constexpr int kCount = points - kFrom < kFlight ? points - kFrom : kFlight;
      fly<kCount, kFrom>(level, cells + first, sum, products);
    });
    if constexpr (kHasDots<K>) finish<points>(level, cells, first, products.sums());
  }

  /// Loads the values of some points of a batch, adds their contributions, and multiplies the
  /// values.
  template <int points, int from, class Level, class Sum>
  __device__ void fly(const Level& level, const Cell* batch, Sum& sum, Products& products) const {
    // Copied once: reds order memory, so that the compiler would read them again.
    Cell own[points];
#pragma unroll
    for (int p = 0; p < points; ++p) own[p] = batch[from + p];
    Values values[points];
    if constexpr (kHasDots<K>) {
#pragma unroll
      for (int p = 0; p < points; ++p) source_.read(level, own[p], values[p]);
    }
    if constexpr (kAdds<K>) {
      K::Clear::wait();
#pragma unroll
      for (int p = 0; p < points; ++p) sum.add(level, own[p]);
    }
    if constexpr (kHasDots<K>) {
#pragma unroll
      for (int p = 0; p < points; ++p) products.add(from + p, gradient_, values[p]);
    }
  }

  /// Stores, or keeps for the end of the row, the gradients of the points that the lane is left
  /// with.
  template <int points, class Level, class Sums>
  __device__ void finish(const Level& level, Cell* cells, int first, const Sums& sums) const {
    Cell cell[Products::kLeft];
    OfPoint of[Products::kLeft];
#pragma unroll
    for (int i = 0; i < Products::kLeft; ++i) {
      cell[i] = cells[first + min(Products::first() + i, points - 1)];
      of[i] = blend(level, cell[i], sums.of[i]);
    }
    if constexpr (kMakesPoints<K>) simt::syncwarp();  // all lanes have read the coordinates
    if (!Products::is_first()) return;
#pragma unroll
    for (int i = 0; i < Products::kLeft; ++i) {
      const int p = first + Products::first() + i;
      if (Products::first() + i >= points) continue;
      if constexpr (kMakesPoints<K>) {
        if (Place::side() == 0) keep_point(cells[p], of[i].weight, of[i].x, of[i].y);
      } else if (exists_) {
        store(level, number_of_point<Problem>(row_, Level::kNumber, p), cell[i], of[i]);
      }
    }
  }

  /// A point's gradients, of the products of the corners that the lane has: all lanes of the warp
  /// call it, converged.
  template <class Level>
  __device__ static OfPoint blend(const Level& level, const Cell& cell,
                                  const float (&sums)[kTaps]) {
    float dot[kTaps];
#pragma unroll
    for (int t = 0; t < kTaps; ++t) {
      const int corner = Values::first_corner() + t * Values::kTapCorner;
      dot[t] = is_masked<K>(cell, corner) ? 0.0F : sums[t];
    }
    const float upper = level.y_share(cell.y, false);
    const float lower = level.y_share(cell.y, true);
    // Of a column of corners along y: the sum, and the derivative.
    const auto column = [&](float above, float below) {
      return Column{fmaf(lower, below, upper * above), level.y_slope_of(cell.y, above, below)};
    };
    if constexpr (Lanes::kSides == 2) {
      const bool right = Place::side() == 1;
      const float share = level.x_share(cell.x, right);
      const Column own = column(dot[0], dot[1]);
      return {over_sides(share * own.sum), over_sides(level.x_slope(cell.x, right) * own.sum),
              over_sides(share * own.slope)};
    } else {
      const Column left = column(dot[0], dot[2]);
      const Column right = column(dot[1], dot[3]);
      const float left_share = level.x_share(cell.x, false);
      const float right_share = level.x_share(cell.x, true);
      return {fmaf(right_share, right.sum, left_share * left.sum),
              fmaf(level.x_slope(cell.x, true), right.sum, level.x_slope(cell.x, false) * left.sum),
              fmaf(right_share, right.slope, left_share * left.slope)};
    }
  }
  struct Column {
    float sum, slope;
  };

  template <class Level>
  __device__ void store(const Level& level, long long number, const Cell& cell,
                        const OfPoint& of) const {
    if (Lanes::kSides == 1 || Place::side() == 0) {
      store_location(number, cell.weight * level.width() * of.x,
                     cell.weight * level.height() * of.y);
    }
    if (Lanes::kSides == 1 || Place::side() == 1) store_weight(number, of.weight);
  }

  __device__ static float over_sides(float number) {
    return number + simt::shfl_xor_sync(number, Products::kAcross);
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
  const typename K::Values& source_;
  long long row_;
  bool exists_;
  typename Dots::Gradient gradient_;
};

}  // namespace msda::backward
