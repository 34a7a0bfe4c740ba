// Slot "pipeline": how locations and weights come from memory to the metadata slot.
#pragma once

#include <msda/launch.cuh>
#include <msda/sampling.cuh>
#include <msda/slots/metadata_threads.cuh>
#include <msda/vector.cuh>

namespace msda {

/// Neighbouring points as they lie in memory, at most 16 bytes of locations: a power of two of
/// them, at a multiple of it. Kept in words, which a loop carries from one pass to the next as they
/// are.
template <class Problem, int points>
struct StoredSamples {
  using Location = typename Problem::Location;
  using Weight = typename Problem::Weight;
  using LocationWord = ptx::Word<2 * points* static_cast<int>(sizeof(Location))>;
  using WeightWord = ptx::Word<points* static_cast<int>(sizeof(Weight))>;
  LocationWord locations;
  WeightWord weights;

  /// Points `first` .. `first` + points - 1 of the arrays, with `load(const Word*)`.
  template <class Load>
  __device__ static StoredSamples read(const Location* locations, const Weight* weights,
                                       long long first, Load load) {
    return {load(reinterpret_cast<const LocationWord*>(locations + 2 * first)),
            load(reinterpret_cast<const WeightWord*>(weights + first))};
  }
  __device__ Sample operator[](int i) const {
    const auto* location = reinterpret_cast<const Location*>(&locations);
    const auto* weight = reinterpret_cast<const Weight*>(&weights);
    return {to_float(location[2 * i]), to_float(location[2 * i + 1]), to_float(weight[i])};
  }
};

/// Points from point `first` of flat row `flat_row` on, read from global memory past the caches
/// that values use.
template <class K, int points>
__device__ __forceinline__ StoredSamples<typename K::Problem, points> load_samples(
    const Arguments& arguments, long long flat_row, int first) {
  using Problem = typename K::Problem;
  using Samples = StoredSamples<Problem, points>;
  return Samples::read(static_cast<const typename Samples::Location*>(arguments.locations),
                       static_cast<const typename Samples::Weight*>(arguments.weights),
                       flat_row * Problem::kLevels * Problem::kPoints + first,
                       [](const auto* p) { return K::Cache::load_stream(p); });
}

/// Default: read when needed.
template <class Problem, class Parameters>
struct DirectPipeline {
  static constexpr Slot kSlot = kPipeline;
  template <class K>
  static constexpr unsigned kSharedBytes = 0;

  template <class K>
  class Reader {
    using Runs = PointRuns<K>;

   public:
    __device__ Reader(const Arguments& arguments, unsigned char* shared) : arguments_(arguments) {
      static_cast<void>(shared);
    }
    /// All threads of the block turn to a tile. `flat_row(r)` is the flat row of its row r, and of
    /// the tiles that follow for larger r; `first` says that the item begins, `rows_left` how many
    /// rows the item has from here on.
    template <class FlatRow>
    __device__ void enter(const FlatRow& flat_row, bool first, long long rows_left) {
      static_cast<void>(flat_row);
      static_cast<void>(first);
      static_cast<void>(rows_left);
    }
    /// Point `point` of row `row_in_tile` (points of all levels, one after another), which is flat
    /// row (b*Q + q)*H + h.
    __device__ Sample sample(long long flat_row, int row_in_tile, int point) const {
      static_cast<void>(row_in_tile);
      return load_samples<K, 1>(arguments_, flat_row, point)[0];
    }
    /// The n-th run of points of this metadata thread.
    __device__ StoredSamples<Problem, Runs::kPoints> run(long long flat_row, int n) const {
      return load_samples<K, Runs::kPoints>(arguments_, flat_row, Runs::run(n).first);
    }

   private:
    const Arguments& arguments_;
  };
};

}  // namespace msda
