// The pass after the kernel: each warp sums one pixel of a head. Its points lie in the cells of two
// rows, the pixel's own and the one above, and in each of these in two neighbouring cells, which
// are one run of a share's entries.
#pragma once

#include <backward/cells.cuh>
#include <msda/skeleton/plan.cuh>
#include <msda/skeleton/stored_levels.cuh>
#include <sorted_points/lists.cuh>

namespace msda::sorted_points {

template <class K, class Parameters>
class SumPixels {
  using Problem = typename K::Problem;
  using Value = typename Problem::Value;
  using Output = typename Problem::Output;
  using Layout = typename K::Layout;
  using Lists = sorted_points::Lists<K, Parameters>;
  static constexpr int kThreads = 256;
  static constexpr int kWarps = kThreads / simt::kWarpLanes;
  static constexpr int kChannels = Problem::kChannels;
  /// Of each share one in the row above, and one in the pixel's.
  static constexpr int kRuns = 2 * Lists::kShares;
  static_assert(kRuns <= simt::kWarpLanes, "a lane looks a run up");

  /// A point's channels have `kLanes` neighbouring lanes, `kGroups` points at a time.
  static constexpr int kSize =
      static_cast<int>(sizeof(Output) > sizeof(Value) ? sizeof(Output) : sizeof(Value));
  static constexpr int kVector = widest_word(kChannels * kSize) / kSize;
  static constexpr int kChunks = kChannels / kVector;
  static constexpr int kLanes =
      power_of_two_from(kChunks) < simt::kWarpLanes ? power_of_two_from(kChunks) : simt::kWarpLanes;
  static constexpr int kOwn = (kChunks + kLanes - 1) / kLanes;
  static constexpr int kGroups = simt::kWarpLanes / kLanes;
  /// Points of a group whose gradients are loaded before one is added: more of them take registers
  /// of which more warps make better use.
  static constexpr int kTogether = kLanes < 2 ? kLanes : 2;
  struct NoTable {};

  /// A stored pixel of a level and head.
  struct Pixel {
    long long image;
    int head;
    int number;  ///< in the image
    int level;
    int in_level;
    int x, y;  ///< outside the level: of a border
  };
  /// What a lane knows of a run, or of none.
  struct Run {
    unsigned through;  ///< points of all runs before and of this one
    unsigned offset;   ///< from a number among the points of all runs to the level's entry
    unsigned middle;   ///< the first entry of the pixel's own cell: those before lie to the left
  };
  /// A point as one lane has found it.
  struct Found {
    float weight;
    unsigned query;
  };

 public:
  using Storage = Conditional<K::Sizes::kStored, LevelTable, NoTable>;
  static constexpr LaunchShape kShape = [] {
    if (!backward::kIsAsked<K, backward::kGradValue>) return LaunchShape{};
    return grid_stride_shape(kThreads, 5);
  }();

  __device__ static void run(const backward::Arguments& arguments, Storage&) {
    if constexpr (!backward::kIsAsked<K, backward::kGradValue>) return;
    if constexpr (K::Sizes::kStored) {
      if (read_levels<K>(arguments, ResidentBudget{}, 0) == kNoPyramid) return;
    }
    const long long pixels = typename K::Sizes(arguments).pixels();
    const long long planes = arguments.batch * Problem::kHeads;
    const long long stride = static_cast<long long>(simt::blocks()) * kWarps;
    long long plane = 0;
    // The last level, whose pixels have most points, comes first.
    for (long long at = static_cast<long long>(simt::block()) * kWarps + simt::warp();;
         at += stride) {
      while (plane < planes && at >= pixels) {
        at -= pixels;
        ++plane;
      }
      if (plane >= planes) return;
      const Pixel pixel = place(arguments, plane, static_cast<int>(pixels - 1 - at));
      SumPixels(arguments, pixel).sum();
    }
  }

 private:
  __device__ SumPixels(const backward::Arguments& arguments, const Pixel& pixel)
      : arguments_(arguments),
        pixel_(pixel),
        lists_(arguments, pixel.image, pixel.head, pixel.level) {}

  __device__ static Pixel place(const backward::Arguments& arguments, long long plane, int number) {
    const typename K::Sizes sizes(arguments);
    Pixel pixel;
    pixel.image = plane / Problem::kHeads;
    pixel.head = static_cast<int>(plane % Problem::kHeads);
    pixel.number = number;
    pixel.level = Problem::kLevels - 1;
    while (number < start_of<Layout>(sizes.at(pixel.level))) --pixel.level;
    const auto level = sizes.at(pixel.level);
    const int pitch = pitch_of<Layout>(level);
    const int border = (pitch - level.width()) / 2;
    pixel.in_level = number - start_of<Layout>(level);
    pixel.x = pixel.in_level % pitch - border;
    pixel.y = pixel.in_level / pitch - border;
    return pixel;
  }

  /// Whether points add to the pixel.
  __device__ bool counts() const {
    const auto level = typename K::Sizes(arguments_).at(pixel_.level);
    if (pixel_.x < 0 || pixel_.x >= level.width() || pixel_.y < 0 || pixel_.y >= level.height()) {
      return false;
    }
    if constexpr (backward::kIsPadded<K>) {
      if (arguments_.queries == 0) return false;
      typename K::Points::Mask mask(arguments_);
      mask.enter(pixel_.image * arguments_.queries * Problem::kHeads);
      return mask.share(level, pixel_.x, pixel_.y) != 0.0F;
    }
    return true;
  }

  /// Called by all lanes of the warp.
  __device__ void sum() {
    float sums[kOwn][kVector] = {};
    if (counts()) add(sums);
#pragma unroll
    for (int step = kLanes; step < simt::kWarpLanes; step *= 2) {
#pragma unroll
      for (int n = 0; n < kOwn; ++n) {
#pragma unroll
        for (int v = 0; v < kVector; ++v) sums[n][v] += simt::shfl_xor_sync(sums[n][v], step);
      }
    }
    if (group() == 0) store(sums);
  }

  __device__ void add(float (&sums)[kOwn][kVector]) const {
    const Run own = look_up();
    const unsigned all = simt::shfl_sync(own.through, kRuns - 1);
    for (unsigned first = 0; first < all; first += simt::kWarpLanes) {
      const Found found = find(own, first + simt::lane(), all);
#pragma unroll 1
      for (int step = 0; step < kLanes; step += kTogether) {
        if (first + step * kGroups >= all) break;
        add_found(found, step, sums);
      }
    }
  }

  /// A lane's run.
  __device__ Run look_up() const {
    const int lane = static_cast<int>(simt::lane());
    const bool is_above = lane % 2 == 0;
    Run run = {};
    unsigned begin = 0;
    unsigned count = 0;
    if (lane < kRuns && (!is_above || pixel_.y > 0)) {
      const auto level = typename K::Sizes(arguments_).at(pixel_.level);
      const unsigned* const places =
          lists_.places(lane / 2) + pixel_.in_level - (is_above ? pitch_of<Layout>(level) : 0);
      const unsigned share = lists_.first_entry(lane / 2);
      begin = share + ptx::ldg(places - (pixel_.x > 0 ? 1 : 0));
      run.middle = share + ptx::ldg(places);
      count = share + ptx::ldg(places + 1) - begin;
    }
    run.through = simt::warp_inclusive_sum(count);
    run.offset = begin - (run.through - count);
    return run;
  }

  /// Point `point` of all runs together, if there are so many, and what it adds to the pixel.
  __device__ Found find(const Run& own, unsigned point, unsigned all) const {
    int run = 0;
#pragma unroll
    for (int step = kRuns / 2; step > 0; step /= 2) {
      if (point >= simt::shfl_sync(own.through, run + step - 1)) run += step;
    }
    const unsigned place = point + simt::shfl_sync(own.offset, run);
    const unsigned middle = simt::shfl_sync(own.middle, run);
    if (point >= all) return {0.0F, 0};
    using Words = Vector<unsigned, 4>;
    const Words words =
        Words::read(lists_.entries() + place, [](const auto* p) { return ptx::ldg(p); });
    const float x = __uint_as_float(words.element[1]);
    const float y = __uint_as_float(words.element[2]);
    const bool is_right = place < middle;  // the pixel, in the point's cell
    const bool is_lower = run % 2 == 0;
    if (!reads(x, is_right) || !reads(y, is_lower)) return {0.0F, 0};
    const float weight = __uint_as_float(words.element[0]);
    return {weight * backward::share(x, is_right) * backward::share(y, is_lower), words.element[3]};
  }
  /// Whether a point reads a pixel of its cell: else its share is 0, which a weight that is no
  /// number would not leave so.
  __device__ static bool reads(float distance, bool second) {
    return second ? distance >= 0.0F : distance < 1.0F;
  }

  /// Adds what the lanes have found from point `step` of each group on.
  __device__ void add_found(const Found& found, int step, float (&sums)[kOwn][kVector]) const {
    using Part = Vector<Output, kVector>;
    constexpr unsigned kRowBytes = Problem::kHeads * kChannels * sizeof(Output);
    const auto* const head =
        static_cast<const Output*>(arguments_.grad_output) +
        (pixel_.image * arguments_.queries * Problem::kHeads + pixel_.head) * kChannels;
    float weight[kTogether];
    Part part[kTogether][kOwn];
#pragma unroll
    for (int t = 0; t < kTogether; ++t) {
      const int lane = (step + t) * kGroups + group();
      weight[t] = simt::shfl_sync(found.weight, lane);
      const auto* const row = reinterpret_cast<const Output*>(ptx::mad_wide<kRowBytes>(
          reinterpret_cast<const unsigned char*>(head), simt::shfl_sync(found.query, lane)));
#pragma unroll
      for (int n = 0; n < kOwn; ++n) {
        part[t][n] = {};
        if (weight[t] == 0.0F || !has(n)) continue;
        part[t][n] =
            Part::read(row + chunk(n) * kVector, [](const auto* p) { return ptx::ldg(p); });
      }
    }
#pragma unroll
    for (int t = 0; t < kTogether; ++t) {
#pragma unroll
      for (int n = 0; n < kOwn; ++n) {
#pragma unroll
        for (int v = 0; v < kVector; ++v) {
          sums[n][v] = fmaf(weight[t], to_float(part[t][n].element[v]), sums[n][v]);
        }
      }
    }
  }

  __device__ void store(const float (&sums)[kOwn][kVector]) const {
    auto* const to = static_cast<Value*>(arguments_.grad_value) +
                     pixel_.image * image_stride<Layout>(typename K::Sizes(arguments_)) +
                     pixel_.number * static_cast<long long>(Layout::kPixelStride) +
                     Layout::channel_offset(pixel_.head, 0);
#pragma unroll
    for (int n = 0; n < kOwn; ++n) {
      if (!has(n)) continue;
      Vector<Value, kVector> values;
      from_floats(sums[n], values.element);
      values.write(to + chunk(n) * kVector, [](auto* p, auto word) { *p = word; });
    }
  }

  __device__ static int group() { return static_cast<int>(simt::lane()) / kLanes; }
  /// The lane's n-th vector of the row.
  __device__ static int chunk(int n) {
    return static_cast<int>(simt::lane()) % kLanes + n * kLanes;
  }
  __device__ static bool has(int n) { return kOwn * kLanes == kChunks || chunk(n) < kChunks; }

  const backward::Arguments& arguments_;
  const Pixel& pixel_;
  Lists lists_;
};

}  // namespace msda::sorted_points
