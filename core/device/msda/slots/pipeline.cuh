// Slot "pipeline": how locations and weights come from memory to the metadata slot.
#pragma once

#include <msda/launch.cuh>
#include <msda/sampling.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/vector.cuh>

namespace msda {

/// Default: read when needed.
template <class Problem, class Parameters>
struct DirectPipeline {
  static constexpr Slot kSlot = kPipeline;
  template <class K>
  static constexpr unsigned kSharedBytes = 0;

  template <class K>
  class Reader {
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
    /// Point `point` of level `level` of row `row_in_tile`, which is flat row (b*Q + q)*H + h.
    __device__ Sample sample(long long flat_row, int row_in_tile, int level, int point) const {
      static_cast<void>(row_in_tile);
      using Location = typename Problem::Location;
      using Weight = typename Problem::Weight;
      const long long at = (flat_row * Problem::kLevels + level) * Problem::kPoints + point;
      const auto load = [](const auto* p) { return K::Cache::load_stream(p); };
      const auto xy = Vector<Location, 2>::read(
          static_cast<const Location*>(arguments_.locations) + 2 * at, load);
      const auto w =
          Vector<Weight, 1>::read(static_cast<const Weight*>(arguments_.weights) + at, load);
      return {to_float(xy.element[0]), to_float(xy.element[1]), to_float(w.element[0])};
    }

   private:
    const Arguments& arguments_;
  };
};

}  // namespace msda
