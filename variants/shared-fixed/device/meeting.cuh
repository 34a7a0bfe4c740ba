// A bound from where the points of an item lie: the magnitudes that meet in each pixel, one number
// for all channels. Costs more than rows.cuh, and leaves units small enough for float32.
#pragma once

#include <backward/cells.cuh>
#include <backward/points.cuh>
#include <shared_fixed/mass.cuh>

namespace msda::shared_fixed {

/// The points of an item in the levels of `Levels`. Some lanes of a warp read a row together, and a
/// thread some rows before it uses one, since nothing else hides the latency of these loads.
template <class K, class Levels>
class Meeting {
  using Problem = typename K::Problem;
  using Location = typename Problem::Location;
  using Weight = typename Problem::Weight;
  static constexpr int kChunks = GradientPart<K, 1>::kChunks;
  static constexpr int kPoints = Levels::kLevels * Problem::kPoints;
  static constexpr int kLanes = [] {
    constexpr int kWanted = power_of_two_from(kPoints > kChunks ? kPoints : kChunks);
    return kWanted < simt::kWarpLanes ? kWanted : simt::kWarpLanes;
  }();
  /// One that is never used where run-time sizes leave no level on chip.
  static constexpr int kOwnPoints = kPoints == 0 ? 1 : (kPoints + kLanes - 1) / kLanes;
  using Gradient = GradientPart<K, kLanes>;
  /// What may meet beyond the first rows' largest mass, as many times as large.
  static constexpr float kRoom = 256.0F;
  static constexpr int kTogether = kOwnPoints + Gradient::kOwn > 2 ? 2 : 4;
  static constexpr int kThreads = K::Lanes::kThreads;
  static constexpr int kWarps = kThreads / simt::kWarpLanes;
  static constexpr int kBlockRows = kThreads / kLanes;

  /// A lane's part of a row.
  struct Part {
    Gradient gradient;
    Vector<Location, 2> xy[kOwnPoints];
    Weight weight[kOwnPoints];
    Point made[kMakesPoints<K> ? kOwnPoints : 1];  ///< in place of these
    float mass[kOwnPoints];
    int pixel[kOwnPoints];  ///< in Storage
  };

 public:
  struct Warps {
    float first[kWarps];
  };
  struct FixedStorage {
    unsigned mass[Levels::pixels() > 0 ? Levels::pixels() : 1];
    float first[kWarps];
  };
  using Storage = Conditional<K::Sizes::kFixed, FixedStorage, Warps>;

  static constexpr bool kAdds = false;

  /// `behind_sums`: with run-time level sizes room for a number for each pixel.
  __device__ Meeting(const backward::Arguments& arguments, const Levels& levels, Storage& storage,
                     int* behind_sums)
      : arguments_(arguments),
        levels_(levels),
        storage_(storage),
        masses_(masses_in(storage, behind_sums)) {}

  /// This thread's part of the item's mass: the larger of all threads' are that of the block.
  /// Called by all threads; the caller's barrier comes after it.
  __device__ Mass of(const WorkItem& item) {
    const int thread = static_cast<int>(simt::thread());
    const float points = static_cast<float>((item.last - item.first) * Problem::kPoints);
    float unit = 0.0F;
    float largest = add_all(item, unit);
    if (is_unfit(unit, largest, points)) {
      unit = unit_of_masses(largest, 2.0F, points);
      largest = add_all(item, unit);
    }
    unsigned most = 0;
    for (int i = thread; i < levels_.pixels(); i += kThreads) most = max(most, masses_[i]);
    // A pixel gets of four neighbours. Masses that were too large for the unit may all have met.
    const bool is_whole = largest * unit <= most_units(points);
    return {is_whole ? 4.0F * static_cast<float>(most) / unit : 4.0F * largest * points, largest};
  }

 private:
  __device__ static unsigned* masses_in(Storage& storage, int* behind_sums) {
    if constexpr (K::Sizes::kFixed) return storage.mass;
    return reinterpret_cast<unsigned*>(behind_sums);
  }
  __device__ static int lane() { return static_cast<int>(simt::lane()) % kLanes; }
  __device__ static int own(int n) { return lane() + n * kLanes; }
  /// A level with fewer points than another one has none in some of its places.
  __device__ static bool has(int n) {
    if (own(n) >= kPoints) return false;
    if constexpr (!kPointsDiffer<Problem>) return true;
    return own(n) % Problem::kPoints < points_of<Problem>(level(n));
  }
  __device__ static long long row(long long first, int t) {
    return first + t * kBlockRows + static_cast<int>(simt::thread()) / kLanes;
  }

  __device__ Part read(const WorkItem& item, long long row) const {
    const long long number = number_of<K>(arguments_, item, row);
    Part part = {};
    part.gradient.read(arguments_, number);
    if constexpr (kMakesPoints<K>) {
      make_points(part, number);
      return part;
    }
#pragma unroll
    for (int n = 0; n < kOwnPoints; ++n) {
      if (!has(n)) continue;
      const long long point =
          backward::number_of_point<Problem>(number, level(n), own(n) % Problem::kPoints);
      part.xy[n] =
          Vector<Location, 2>::read(static_cast<const Location*>(arguments_.locations) + 2 * point,
                                    [](const auto* p) { return ptx::ldg(p); });
      part.weight[n] = static_cast<const Weight*>(arguments_.weights)[point];
    }
    return part;
  }
  /// All lanes of the warp call it, converged. A row whose weights are no numbers has none here.
  __device__ void make_points(Part& part, long long number) const {
    using Made = typename K::Points;
    const auto of_row = Made::template softmax<kLanes>(arguments_, number);
#pragma unroll
    for (int n = 0; n < kOwnPoints; ++n) {
      const int first = has(n) ? first_point<Problem>(level(n)) : 0;
      const int point = first + own(n) % Problem::kPoints;
      const auto stored = Made::template load<1>(arguments_, RowNumber{number, 0}, point);
      const int on = level_of<Problem>(point);
      const Position at = Made::place(stored, 0, typename K::Sizes(arguments_).at(on), on);
      const float weight = Made::weight(stored, 0, of_row);
      part.made[n] = {at.x, at.y, Made::is_lost(of_row) ? 0.0F : weight};
    }
  }
  __device__ static Point point_of(const Part& part, int n) {
    if constexpr (kMakesPoints<K>) return part.made[n];
    return {to_float(part.xy[n].element[0]), to_float(part.xy[n].element[1]),
            to_float(part.weight[n])};
  }
  __device__ static int level(int n) { return Levels::number(own(n) / Problem::kPoints); }

  /// Finds masses and pixels of a row's points, which are 0 unless it `exists`. All lanes of the
  /// warp call it, converged.
  __device__ void multiply(Part& part, bool exists) const {
    const typename K::Sizes sizes(arguments_);
    const float gradient = part.gradient.largest();
#pragma unroll
    for (int n = 0; n < kOwnPoints; ++n) {
      part.mass[n] = 0.0F;
      if (!exists || !has(n)) continue;
      const backward::Cell cell = backward::make_cell<K>(point_of(part, n), sizes.at(level(n)));
      if (cell.x == backward::kAway) continue;
      part.mass[n] = fabsf(cell.weight) * gradient;
      part.pixel[n] = levels_.place(level(n)) + static_cast<int>(backward::pixel_of<K>(cell));
    }
  }
  /// Adds what points add, by `unit`, or where that is 0 by one that the first rows ask for. The
  /// largest mass of the item's points. Called by all threads.
  __device__ float add_all(const WorkItem& item, float& unit) {
    const float points = static_cast<float>((item.last - item.first) * Problem::kPoints);
    for (int i = static_cast<int>(simt::thread()); i < levels_.pixels(); i += kThreads)
      masses_[i] = 0;
    simt::syncthreads();
    float largest = 0.0F;
    for (long long first = item.first; first < item.last; first += kTogether * kBlockRows) {
      Part parts[kTogether];
#pragma unroll
      for (int t = 0; t < kTogether; ++t) parts[t] = read(item, row(first, t));
#pragma unroll
      for (int t = 0; t < kTogether; ++t) {
        multiply(parts[t], row(first, t) < item.last);
#pragma unroll
        for (int n = 0; n < kOwnPoints; ++n) largest = larger(parts[t].mass[n], largest);
      }
      if (unit == 0.0F) unit = unit_of_masses(of_block(largest), kRoom, points);
#pragma unroll
      for (int t = 0; t < kTogether; ++t) add(parts[t], unit, most_units(points));
    }
    return of_block(largest);
  }
  /// Units of one point, of which `points` can meet without overflow.
  __device__ static float most_units(float points) { return 2147483648.0F / points - 1.0F; }
  /// The unit that masses up to `largest` are small enough for, and `room` times as large ones.
  __device__ static float unit_of_masses(float largest, float room, float points) {
    return is_number(largest) ? most_units(points) / (room * largest) : 1.0F;
  }
  /// Whether the first rows' unit is none for the others: a model's gradients are zero for many
  /// queries, and of some thousands of times as large as most.
  __device__ static bool is_unfit(float unit, float largest, float points) {
    const float units = largest * unit;
    const float most = most_units(points);
    return is_number(largest) && !(units <= most && units >= most / (2.0F * kRoom));
  }
  __device__ static bool is_number(float largest) { return largest > 0.0F && largest <= 1.0e30F; }
  /// The largest of all threads' numbers; called by all threads.
  __device__ float of_block(float largest) {
    largest = simt::warp_reduce(largest, [](float a, float b) { return larger(a, b); });
    simt::syncthreads();  // whoever still reads
    if (simt::lane() == 0) storage_.first[simt::warp()] = largest;
    simt::syncthreads();
    for (int w = 0; w < kWarps; ++w) largest = larger(storage_.first[w], largest);
    return largest;
  }
  __device__ void add(const Part& part, float unit, float most) {
#pragma unroll
    for (int n = 0; n < kOwnPoints; ++n) {
      if (part.mass[n] == 0.0F) continue;
      simt::atomic_add(masses_ + part.pixel[n],
                       static_cast<unsigned>(fminf(part.mass[n] * unit, most)) + 1);
    }
  }

  const backward::Arguments& arguments_;
  const Levels& levels_;
  Storage& storage_;
  /// For each pixel what points add to it and the three pixels right of and below it: whole numbers
  /// too, since many points of neighbouring rows meet in one place.
  unsigned* masses_;
};

}  // namespace msda::shared_fixed
