// Slot "point-fetch": how the metadata slot gets locations and weights from memory.
#pragma once

#include <msda/contract.cuh>
#include <msda/parts/metadata_threads.cuh>
#include <msda/sampling.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/vector.cuh>

namespace msda {

/// Neighbouring points as stored, with at most 16 bytes of locations: a power of two of points that
/// begins at a multiple of it. Members are words because a loop carries words unchanged from one
/// iteration to the next.
template <class Problem, int points>
struct StoredPoints {
  using Location = typename Problem::Location;
  using Weight = typename Problem::Weight;
  using LocationWord = ptx::Word<(2 * points * int{sizeof(Location)})>;
  using WeightWord = ptx::Word<(points * int{sizeof(Weight)})>;
  LocationWord locations;
  WeightWord weights;

  /// Reads from the addresses of the first point's location and weight, with `load(const Word*)`.
  template <class Load>
  __device__ static StoredPoints read(const void* locations, const void* weights, Load load) {
    return {load(static_cast<const LocationWord*>(locations)),
            load(static_cast<const WeightWord*>(weights))};
  }
  __device__ Point operator[](int i) const {
    const auto* location = reinterpret_cast<const Location*>(&locations);
    const auto* weight = reinterpret_cast<const Weight*>(&weights);
    return {to_float(location[2 * i]), to_float(location[2 * i + 1]), to_float(weight[i])};
  }
};

/// Points from point `first` of a row on, loaded from global memory as a stream (slot cache).
template <class K, int points>
__device__ __forceinline__ StoredPoints<typename K::Problem, points> load_points(
    const Arguments& arguments, RowNumber row, int first) {
  using Problem = typename K::Problem;
  using Points = StoredPoints<Problem, points>;
  using Location = typename Points::Location;
  using Weight = typename Points::Weight;
  constexpr unsigned kRowPoints = Problem::kLevels * Problem::kPoints;
  return Points::read(at_row<2 * kRowPoints * sizeof(Location)>(
                          static_cast<const Location*>(arguments.locations) + 2 * first, row),
                      at_row<kRowPoints * sizeof(Weight)>(
                          static_cast<const Weight*>(arguments.weights) + first, row),
                      [](const auto* p) { return K::Cache::load_stream(p); });
}

/// Where lanes compute their own taps: point(flat_row, row_in_tile, index) returns a point of a
/// row; `index` counts through all levels.
template <class Policy>
concept FetchesPoints = requires(const Policy& policy) {
  { policy.point(0LL, 0, 0) } -> Same<Point>;
};

/// Where the metadata slot is cooperative: run(flat_row, n) returns the points of this metadata
/// thread's n-th run (PointRuns), as an object whose [] returns a Point.
template <class Policy>
concept FetchesRuns = requires(const Policy& policy) {
  { policy.run(0LL, 0)[0] } -> Same<Point>;
};

/// An object for each thread that computes taps. enter(flat_row, first, rows_left): called by all
/// of them when a tile begins. flat_row(r) is the index (b*Q + q)*H + h of the tile's row r, or for
/// larger r of the tiles that follow; `first`: the item begins; `rows_left`: its rows from this
/// tile on.
template <class Policy, class K>
concept PointFetchPolicy = requires(Policy& policy, RowNumber (*flat_row)(int)) {
  requires HasStorage<Policy>;
  requires(K::Metadata::kIsCooperative ? FetchesRuns<Policy> : FetchesPoints<Policy>);
  policy.enter(flat_row, true, 0LL);
};

/// True if the policy prefetches the next tile's points: prefetch(flat_row, rows_left), called with
/// the arguments of enter() by the same threads, after the first values of this tile were
/// requested.
template <class K>
inline constexpr bool kPrefetchesPoints = requires(typename K::PointFetch& point_fetch,
                                                   RowNumber (*flat_row)(int)) {
  point_fetch.prefetch(flat_row, 0LL);
};

/// For a policy's idle(): why no point can be fetched ahead of its tile, or null.
template <class K>
constexpr const char* no_next_tile() {
  if constexpr (requires { K::Schedule::kOneTileItems; }) {
    if (K::Schedule::kOneTileItems) {
      return "a work item has one tile: there is no next one to fetch while it is computed";
    }
  }
  return nullptr;
}

/// Default: loads points when they are needed.
template <class K, class Parameters>
class DirectPointFetch {
  using Runs = PointRuns<K>;

 public:
  struct Storage {};

  __device__ DirectPointFetch(const Arguments& arguments, Storage&) : arguments_(arguments) {}

  template <class FlatRow>
  __device__ void enter(const FlatRow&, bool, long long) {}
  __device__ Point point(long long flat_row, int, int index) const {
    return load_points<K, 1>(arguments_, {flat_row, 0}, index)[0];
  }
  __device__ auto run(long long flat_row, int n) const {
    return load_points<K, Runs::kPoints>(arguments_, {flat_row, 0}, Runs::run(n).first);
  }

 private:
  const Arguments& arguments_;
};

}  // namespace msda
