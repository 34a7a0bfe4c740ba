// Slot "point-fetch": how the metadata slot gets points, as slot points has them, from memory.
#pragma once

#include <msda/contract.cuh>
#include <msda/parts/metadata_threads.cuh>
#include <msda/slots/points.cuh>
#include <msda/slots/schedule.cuh>

namespace msda {

/// Of every policy: points<n>(flat_row, row_in_tile, first) returns `n` neighbouring points of a
/// row of the tile as K::Points::Stored has them; `first`, a multiple of n, counts through all
/// levels.
template <class Policy, class K>
concept FetchesPoints = requires(const Policy& policy) {
  { policy.template points<1>(0LL, 0, 0) } -> Same<typename K::Points::template Stored<1>>;
};

/// Where the metadata slot is cooperative: run(flat_row, n) returns the points of this metadata
/// thread's n-th run (PointRuns).
template <class Policy>
concept FetchesRuns = requires(const Policy& policy) {
  policy.run(0LL, 0);
};

/// An object for each thread that computes taps. enter(flat_row, first, rows_left): called by all
/// of them when a tile begins. flat_row(r) is the index (b*Q + q)*H + h of the tile's row r, or for
/// larger r of the tiles that follow; `first`: the item begins; `rows_left`: its rows from this
/// tile on.
template <class Policy, class K>
concept PointFetchPolicy = requires(Policy& policy, RowNumber (*flat_row)(int)) {
  requires HasStorage<Policy>;
  requires FetchesPoints<Policy, K>;
  requires !K::Metadata::kIsCooperative || FetchesRuns<Policy>;
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

/// Default: loads points when they are needed; where warps read level sizes while the points come,
/// the runs of a tile when it begins.
template <class K, class Parameters>
class DirectPointFetch {
  using Runs = PointRuns<K>;
  using Points = typename K::Points::template Stored<Runs::kPoints>;
  static constexpr bool kLoadsEarly = K::kStructure.by_warp;

 public:
  struct Storage {};

  __device__ DirectPointFetch(const Arguments& arguments, Storage&) : arguments_(arguments) {}

  template <class FlatRow>
  __device__ void enter(const FlatRow& flat_row, bool, long long) {
    if constexpr (kLoadsEarly) {
#pragma unroll
      for (int n = 0; n < Runs::kRunsPerThread; ++n) {
        const auto run = Runs::run(n);
        if (run.exists) early_.run[n] = load(flat_row(run.row), n);
      }
    }
  }
  template <int n>
  __device__ auto points(long long flat_row, int, int first) const {
    return K::Points::template load<n>(arguments_, {flat_row, 0}, first);
  }
  __device__ Points run(long long flat_row, int n) const {
    if constexpr (kLoadsEarly) return early_.run[n];
    if constexpr (!kLoadsEarly) return load({flat_row, 0}, n);
  }

 private:
  struct Early {
    Points run[Runs::kRunsPerThread];
  };
  struct Nothing {};

  __device__ Points load(RowNumber row, int n) const {
    return K::Points::template load<Runs::kPoints>(arguments_, row, Runs::run(n).first);
  }

  const Arguments& arguments_;
  Conditional<kLoadsEarly, Early, Nothing> early_;
};

}  // namespace msda
