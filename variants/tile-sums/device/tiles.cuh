// The pass that sums grad_value tile by tile.
#pragma once

#include <backward/units.cuh>
#include <msda/skeleton/plan.cuh>
#include <msda/skeleton/stored_levels.cuh>
#include <tile_sums/points.cuh>

namespace msda::tile_sums {

template <class K, class Parameters>
class SumTiles {
  using Problem = typename K::Problem;
  using Value = typename Problem::Value;
  using Output = typename Problem::Output;
  using Layout = typename K::Layout;
  static constexpr int kThreads = 256;
  static constexpr int kChannels = Problem::kChannels;
  static constexpr int kPixelBytes = kChannels * static_cast<int>(sizeof(int));
  static constexpr int kMostPixels = [] {
    constexpr int kFit = static_cast<int>(Parameters::budget) * 1024 / kPixelBytes;
    return kFit < 1 ? 1 : kFit;
  }();
  /// Points that a block looks at together at most.
  static constexpr int kList = 512;
  static constexpr bool kConverts = kSame<Value, float>;

  /// How a level is cut.
  struct Cut {
    int pixels;
    int tiles;
  };
  struct NoTable {};

 public:
  struct Storage {
    /// Where stored sizes lie: at the beginning.
    Conditional<K::Sizes::kStored, LevelTable, NoTable> levels;
    alignas(128) int sums[kMostPixels * kChannels];
    Entry list[kList];
    Cut cuts[Problem::kLevels];
    unsigned listed;   ///< points, also those that the list has no room for
    unsigned largest;  ///< bits of the largest magnitude that one adds
  };

  static constexpr LaunchShape kShape = [] {
    if (!backward::kIsAsked<K, backward::kGradValue>) return LaunchShape{};
    constexpr unsigned kFit = 227 * 1024 / (sizeof(Storage) + 1024);
    return grid_stride_shape(kThreads, kFit < 1 ? 1 : kFit > 6 ? 6 : kFit);
  }();

  __device__ static void run(const backward::Arguments& arguments, Storage& storage) {
    if constexpr (!backward::kIsAsked<K, backward::kGradValue>) return;
    if constexpr (K::Sizes::kStored) {
      if (read_levels<K>(arguments, ResidentBudget{}, 0) == kNoPyramid) return;
    }
    SumTiles(arguments, storage).sum_all();
  }

 private:
  __device__ SumTiles(const backward::Arguments& arguments, Storage& storage)
      : arguments_(arguments), storage_(storage), sizes_(arguments) {}

  __device__ void sum_all() {
    cut_levels();
    clear();
    simt::syncthreads();
    long long tiles = 0;
    for (int l = 0; l < Problem::kLevels; ++l) tiles += storage_.cuts[l].tiles;
    const long long items = arguments_.batch * Problem::kHeads * tiles;
    for (long long item = simt::block(); item < items; item += simt::blocks()) {
      Tile tile;
      tile.head = static_cast<int>(item % Problem::kHeads);
      tile.image = item / (Problem::kHeads * tiles);
      place(static_cast<int>(item / Problem::kHeads % tiles), tile);
      sum(tile);
    }
  }

  /// The more points a level has, the smaller its tiles, so that none waits for a small level's.
  __device__ void cut_levels() {
    const int level = static_cast<int>(simt::thread());
    if (level == 0) storage_.listed = storage_.largest = 0;
    if (level >= Problem::kLevels) return;
    const long long wanted = arguments_.queries * Problem::kPoints / Parameters::points;
    const int parts = static_cast<int>(max(1LL, min(wanted, 64LL)));
    const int stored = pixels_of(level);
    const int pixels = max(1, min(kMostPixels, (stored + parts - 1) / parts));
    storage_.cuts[level] = {pixels, (stored + pixels - 1) / pixels};
  }
  __device__ int pixels_of(int level) const { return msda::pixels_of<Layout>(sizes_.at(level)); }
  /// Tile `number` of an image. The smallest levels, whose tiles have most points, come first.
  __device__ void place(int number, Tile& tile) const {
    tile.level = Problem::kLevels - 1;
    while (number >= storage_.cuts[tile.level].tiles) number -= storage_.cuts[tile.level--].tiles;
    const Cut cut = storage_.cuts[tile.level];
    const auto at = sizes_.at(tile.level);
    const int pitch = pitch_of<Layout>(at);
    const int border = (pitch - at.width()) / 2;
    const int first = number * cut.pixels;
    tile.first = start_of<Layout>(at) + first;
    tile.count = min(cut.pixels, pixels_of(tile.level) - first);
    tile.from = static_cast<float>(first / pitch - border - 1);
    tile.to = static_cast<float>((first + tile.count - 1) / pitch - border + 1);
    // By a pixel more, since places are rounded. Of levels with more pixels rows have to do.
    constexpr int kMostExact = 1 << 23;
    const bool is_exact = pixels_of(tile.level) <= kMostExact;
    const int of_border = border * (pitch + 1);
    tile.begin = is_exact ? static_cast<float>(first - of_border - 2) : -3.0e38F;
    tile.end = is_exact ? static_cast<float>(first + tile.count - of_border + 1) : 3.0e38F;
  }

  /// Called by all threads of the block, when sums and counts are zero; leaves them so.
  __device__ void sum(const Tile& tile) {
    const LevelPoints<K> points(arguments_, tile);
    const auto all = static_cast<unsigned>(arguments_.queries * Problem::kPoints);
    unsigned listed = list(points, 0, all);
    // A list that is too short for all of them has them in turns, once for the unit and once more.
    const unsigned turn = listed <= kList ? all : kList;
    const unsigned most = listed <= kList ? listed : all;
    for (unsigned first = 0; first < all; first += turn) {
      if (turn != all) listed = list_again(points, first, min(all, first + turn));
      finish(points, listed);
    }
    const float largest = __uint_as_float(storage_.largest);
    const float unit = backward::unit_of<!kConverts>({largest * static_cast<float>(most), largest});
    for (unsigned first = 0; first < all; first += turn) {
      if (turn != all) {
        listed = list_again(points, first, min(all, first + turn));
        finish(points, listed);
      }
      add(points, listed, unit);
    }
    store(tile, unit);
  }

  /// Lists those of some points that may touch the tile, and returns how many these are. Called by
  /// all threads, when `listed` is 0 for all of them.
  __device__ unsigned list(const LevelPoints<K>& points, unsigned first, unsigned last) {
    constexpr int kTogether = 4;
    for (unsigned at = first + simt::thread(); at < last; at += kTogether * kThreads) {
      const auto read = points.template read<kTogether, kThreads>(at, last);
#pragma unroll
      for (int n = 0; n < kTogether; ++n) {
        const unsigned point = at + n * kThreads;
        const Entry entry = points.entry(read, n, point);
        if (point >= last || !points.may_touch(entry)) continue;
        const unsigned place = simt::atomic_add(&storage_.listed, 1U);
        if (place < kList) storage_.list[place] = entry;
      }
    }
    simt::syncthreads();
    return storage_.listed;
  }

  __device__ unsigned list_again(const LevelPoints<K>& points, unsigned first, unsigned last) {
    simt::syncthreads();
    if (simt::thread() == 0) storage_.listed = 0;
    simt::syncthreads();
    return list(points, first, last);
  }

  /// Makes of listed points what they add, and finds the largest magnitude of that.
  __device__ void finish(const LevelPoints<K>& points, unsigned listed) {
    float largest = 0.0F;
    for (unsigned i = simt::thread(); i < listed; i += kThreads) {
      Entry entry = storage_.list[i];
      points.finish(entry);
      storage_.list[i] = entry;
      float weight = 0.0F;
#pragma unroll
      for (int corner = 0; corner < 4; ++corner) {
        weight = backward::larger_magnitude(weight, entry.weight[corner]);
      }
      if (weight == 0.0F) continue;
      const float most = weight * largest_gradient(points.row(entry.query));
      largest = backward::larger_magnitude(largest, most);
    }
    const int most = simt::reduce_max_sync(__float_as_int(largest));
    if (simt::lane() == 0 && most != 0) {
      simt::atomic_max(&storage_.largest, static_cast<unsigned>(most));
    }
    simt::syncthreads();
  }
  __device__ const Output* gradient_of(long long row) const {
    return static_cast<const Output*>(arguments_.grad_output) + row * kChannels;
  }
  __device__ float largest_gradient(long long row) const {
    constexpr int kSize = static_cast<int>(sizeof(Output));
    constexpr int kVector = widest_word(kChannels * kSize) / kSize;
    float largest = 0.0F;
#pragma unroll 4
    for (int c = 0; c < kChannels; c += kVector) {
      const auto part = Vector<Output, kVector>::read(gradient_of(row) + c,
                                                      [](const auto* p) { return ptx::ldg(p); });
#pragma unroll
      for (int v = 0; v < kVector; ++v) {
        largest = backward::larger_magnitude(largest, to_float(part.element[v]));
      }
    }
    return largest;
  }

  /// Adds what is listed to the sums, one channel a lane.
  __device__ void add(const LevelPoints<K>& points, unsigned listed, float unit) {
    constexpr int kLanes = power_of_two_from(kChannels) < simt::kWarpLanes
                               ? power_of_two_from(kChannels)
                               : simt::kWarpLanes;
    constexpr int kOwn = (kChannels + kLanes - 1) / kLanes;
    constexpr int kTogether = kOwn < 4 ? 4 / kOwn : 1;
    constexpr unsigned kGroups = kThreads / kLanes;
    const int lane = static_cast<int>(simt::thread()) % kLanes;
    const ptx::SharedAddress sums = ptx::shared_address(storage_.sums);
    for (unsigned i = simt::thread() / kLanes; i < listed; i += kTogether * kGroups) {
      Entry entry[kTogether];
      float gradient[kTogether][kOwn];
#pragma unroll
      for (int t = 0; t < kTogether; ++t) {
        entry[t] = storage_.list[min(i + t * kGroups, listed - 1)];
        const Output* const stored = gradient_of(points.row(entry[t].query));
#pragma unroll
        for (int n = 0; n < kOwn; ++n) {
          const int channel = lane + n * kLanes;
          gradient[t][n] = channel < kChannels ? unit * to_float(stored[channel]) : 0.0F;
        }
      }
#pragma unroll
      for (int t = 0; t < kTogether; ++t) {
        if (i + t * kGroups >= listed) continue;
#pragma unroll
        for (int corner = 0; corner < 4; ++corner) {
          const float weight = entry[t].weight[corner];
          if (weight == 0.0F) continue;
          const int pixel =
              entry[t].place + corner % 2 * entry[t].right + corner / 2 * entry[t].below;
#pragma unroll
          for (int n = 0; n < kOwn; ++n) {
            const int channel = lane + n * kLanes;
            if (kOwn * kLanes != kChannels && channel >= kChannels) continue;
            ptx::red_shared_add(sums + pixel * kPixelBytes + channel * 4,
                                backward::whole<kConverts>(weight, gradient[t][n]));
          }
        }
      }
    }
  }

  /// Words of sums that one store of values takes.
  static constexpr int kVector =
      widest_word(kChannels * static_cast<int>(sizeof(Value))) / static_cast<int>(sizeof(Value));
  using Sums = Vector<int, kVector>;

  /// Called by all threads; clears for the next tile.
  __device__ void store(const Tile& tile, float unit) {
    simt::syncthreads();
    constexpr int kVectors = kChannels / kVector;
    // In two steps: a unit may be as small as the smallest numbers are.
    const float of_unit = 2147483648.0F / unit;
    auto* const to = static_cast<Value*>(arguments_.grad_value) +
                     tile.image * image_stride<Layout>(sizes_) +
                     Layout::channel_offset(tile.head, 0) +
                     tile.first * static_cast<long long>(Layout::kPixelStride);
    for (int i = static_cast<int>(simt::thread()); i < tile.count * kVectors; i += kThreads) {
      int* const from = storage_.sums + i * kVector;
      const Sums sums = Sums::read(from, [](const auto* p) { return *p; });
      Sums{}.write(from, [](auto* p, auto word) { *p = word; });
      float converted[kVector];
#pragma unroll
      for (int v = 0; v < kVector; ++v) {
        converted[v] = static_cast<float>(sums.element[v]) * 0x1p-31F * of_unit;
      }
      Vector<Value, kVector> values;
      from_floats(converted, values.element);
      values.write(
          to + i / kVectors * static_cast<long long>(Layout::kPixelStride) + i % kVectors * kVector,
          [](auto* p, auto word) { *p = word; });
    }
    if (simt::thread() == 0) storage_.listed = storage_.largest = 0;
    simt::syncthreads();
  }
  __device__ void clear() {
    for (int i = static_cast<int>(simt::thread()); i < kMostPixels * kChannels; i += kThreads) {
      storage_.sums[i] = 0;
    }
  }

  const backward::Arguments& arguments_;
  Storage& storage_;
  typename K::Sizes sizes_;
};

}  // namespace msda::tile_sums
