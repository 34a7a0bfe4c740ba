// Kernels whose level sizes are no constants. What depends on them in structure, as the levels that
// lie in shared memory, is a template constant. Of given sizes there is a kernel for each number of
// resident levels, and the host launches its pyramid's; of stored sizes a way through one kernel,
// which takes one when it begins: all blocks of a launch the same.
#pragma once

#include <msda/composition.cuh>
#include <msda/level_sizes.cuh>
#include <msda/parts/metadata_threads.cuh>
#include <msda/skeleton/stored_levels.cuh>
#include <msda/static_for.cuh>

namespace msda {

/// Levels that the composition's source may keep in shared memory: 0 .. kMostResident.
template <class K>
inline constexpr int kResidentChoices = [] {
  if constexpr (!K::Sizes::kFixed) {
    if constexpr (requires { K::Source::kBudget; }) {
      constexpr int kLevels = K::Problem::kLevels;
      return kLevels < kMostResident ? kLevels : kMostResident;
    }
  }
  return 0;
}();

struct NoStorage {};
/// True if each warp reads stored level sizes by itself, while its first points come: where no
/// level is ever resident, and the skeleton can. A block of few tiles waits for memory once less.
template <class K>
inline constexpr bool kReadsSizesByWarp = [] {
  if constexpr (K::Sizes::kStored && requires { K::kSettlesSizes; }) {
    return kResidentChoices<K> == 0 && K::Metadata::kIsCooperative &&
           PointRuns<K>::kRunsPerThread <= 4;
  }
  return false;
}();

/// A block's part for stored level sizes, the first one, where StoredSizes finds them.
template <class K>
using LevelTablePart = Part<
    kLevelTable,
    Conditional<!K::Sizes::kStored, NoStorage,
                Conditional<kReadsSizesByWarp<K>,
                            LevelTables<K::Mapping::kThreads / simt::kWarpLanes>, LevelTable>>>;

/// What the source may keep in shared memory, for the plan.
template <class K>
constexpr ResidentBudget resident_budget() {
  if constexpr (kResidentChoices<K> != 0) return K::Source::kBudget;
  return {};
}

/// The structures that a kernel has: by resident levels, and for stored sizes one more for pyramids
/// with levels of a single row or column. Of given sizes the class says whether there are any.
template <class K>
inline constexpr int kStructures = kResidentChoices<K> + 1 +
                                   (K::Sizes::kStored && K::Problem::kClass.least == 1 ? 1 : 0);

template <class K, int number>
inline constexpr Structure kStructureOf =
    number <= kResidentChoices<K>
        ? Structure{.resident = number, .least = K::Sizes::kStored ? 2 : K::Problem::kClass.least}
        : Structure{.resident = 0, .least = 1};

/// Calls each.operator()<structure>() for the structure of the launch's stored pyramid; K is the
/// composition with any. All threads of a block call this first. Where stored sizes are no pyramid
/// of the value tensor's pixels, calls otherwise().
template <class K, class Each, class Otherwise>
__device__ __forceinline__ void with_structure_or(const Arguments& arguments, const Each& each,
                                                  const Otherwise& otherwise) {
  const int number = read_levels<K>(arguments, resident_budget<K>(), kResidentChoices<K>);
  if (number == kNoPyramid) return otherwise();
  static_for<kStructures<K>>([&]<int n>() {
    if (number == n) each.template operator()<kStructureOf<K, n>>();
  });
}

/// The same in a block of `threads` threads; sizes that are no pyramid fill the output with NaN.
template <class K, class Each>
__device__ __forceinline__ void with_structure(const Arguments& arguments, unsigned threads,
                                               const Each& each) {
  with_structure_or<K>(arguments, each, [&] {
    fill_with_nan<typename K::Problem>(static_cast<const typename K::Arguments&>(arguments),
                                       threads);
  });
}

}  // namespace msda
