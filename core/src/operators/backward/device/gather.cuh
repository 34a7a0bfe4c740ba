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
  /// With two sides, the blends of a side's column along y: a sum and a derivative. With one side,
  /// the gradients of the weight, of x and of y.
  static constexpr int kNumbers = Lanes::kSides == 2 ? 2 : 3;
  using Transposed = TransposedSums<kBatch, Lanes::kLanesPerSide>;

 public:
  __device__ Row(const Arguments& arguments, const typename K::Values& source, long long row,
                 bool exists)
      : arguments_(arguments), source_(source), row_(row), exists_(exists) {
    using Output = typename Problem::Output;
    const auto* gradient =
        static_cast<const Output*>(arguments.grad_output) + row * Problem::kChannels;
#pragma unroll
    for (int n = 0; n < Lanes::kOwn; ++n) {
      Vector<Output, Lanes::kVector> stored = {};
      if (Place::has(n)) {
        stored = stored.read(gradient + Place::chunk(n) * Lanes::kVector,
                             [](const auto* p) { return K::Cache::load_stream(p); });
      }
      gradient_[n] = Dots::gradient(stored);
    }
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
    PointSums<kBatch, kNumbers> sums = {};
    static_for<(points + kFlight - 1) / kFlight>([&]<int flight>() {
      constexpr int kFrom = flight * kFlight;
      constexpr int kCount = points - kFrom < kFlight ? points - kFrom : kFlight;
      fly<kCount>(level, cells + first + kFrom, sum, sums.of + kFrom);
    });
    if constexpr (kHasDots<K> && kMakesPoints<K>) {
      keep<points>(level, cells + first, Transposed::template sum<kNumbers>(sums));
    } else if constexpr (kHasDots<K>) {
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
      for (int p = 0; p < points; ++p) blend(level, own[p], values[p], numbers[p]);
    }
  }

  /// This lane's part of a point's numbers.
  template <class Level>
  __device__ void blend(const Level& level, const Cell& cell, const Values& values,
                        float (&numbers)[kNumbers]) const {
    float dot[kTaps];
#pragma unroll
    for (int t = 0; t < kTaps; ++t) {
      dot[t] = 0.0F;
#pragma unroll
      for (int n = 0; n < Lanes::kOwn; ++n) dot[t] += Dots::dot(gradient_[n], values.of[t][n]);
      if (is_masked<K>(cell, Values::first_corner() + t * Values::kTapCorner)) dot[t] = 0.0F;
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
      const long long number = number_of_point<Problem>(row_, Level::kNumber, first + p);
      if (Lanes::kSides == 1 || Place::side() == 0) {
        store_location(number, cell.weight * level.width() * of_x,
                       cell.weight * level.height() * of_y);
      }
      if (Lanes::kSides == 1 || Place::side() == 1) store_weight(number, of_weight);
    }
  }

  /// Leaves what the gradients of the points are made of in their cells, for the end of the row: in
  /// place of the coordinates, which nobody reads any more.
  template <int points, class Level>
  __device__ static void keep(const Level& level, Cell* cells,
                              const PointSums<Transposed::kLeft, kNumbers>& sums) {
    float kept[Transposed::kLeft][3];
#pragma unroll
    for (int i = 0; i < Transposed::kLeft; ++i) {
      const int p = Transposed::first() + i;
      if constexpr (Lanes::kSides == 2) {
        const bool right = Place::side() == 1;
        const float x = p < points ? cells[p].x : kAway;
        const float column = level.x_share(x, right);
        kept[i][0] = over_sides(column * sums.of[i][0]);
        kept[i][1] = over_sides(level.x_slope(x, right) * sums.of[i][0]);
        kept[i][2] = over_sides(column * sums.of[i][1]);
      } else {
#pragma unroll
        for (int n = 0; n < 3; ++n) kept[i][n] = sums.of[i][n];
      }
    }
    simt::syncwarp();  // all lanes have read the coordinates
    if (!Transposed::is_first() || Place::side() != 0) return;
#pragma unroll
    for (int i = 0; i < Transposed::kLeft; ++i) {
      const int p = Transposed::first() + i;
      if (p < points) keep_point(cells[p], kept[i][0], kept[i][1], kept[i][2]);
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
  const typename K::Values& source_;
  long long row_;
  bool exists_;
  typename Dots::Gradient gradient_[Lanes::kOwn];
};

}  // namespace msda::backward
