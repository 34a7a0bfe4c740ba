// The direct skeleton: every lane group gathers the points of its rows itself. The skeleton owns
// the loops, the barriers and the division of shared memory; the slots own the decisions.
//
//   wait for earlier launches of the stream       launch
//   for each work item of this block              schedule
//     begin to load resident levels               source.enter
//     for each tile of rows                       mapping, order
//       points of the tile                        point_fetch.enter
//       stored level sizes that each warp reads   SizesOfWarp
//       taps of the tile                          metadata.enter
//       wait for resident levels                  source.begin_tile
//       for each level, for each batch of points  unroll
//         taps                                    metadata.read
//         values                                  source.read (layout, cache)
//         sums += weights * values                arithmetic.add
//       combine lanes, store                      mapping, cache
#pragma once

#include <msda/launch.cuh>
#include <msda/simt/thread.cuh>
#include <msda/skeleton/composed.cuh>
#include <msda/skeleton/tile.cuh>

namespace msda::direct {

template <class Problem>
struct Defaults : GatherDefaults<Problem> {};

template <class K>
struct Storage : GatherParts<K> {};

/// The composition `C`: all warps of a block do all of the work.
template <class C, Structure structure = Structure{}>
struct Composed : Gather<C, Composed<C, structure>, structure> {
  using Storage = direct::Storage<Composed>;
  static constexpr bool kSettlesSizes = true;  ///< see kReadsSizesByWarp
};

template <class K>
__device__ __forceinline__ void run(const typename K::Arguments& arguments) {
  auto& storage = shared_storage<typename K::Storage>();
  typename K::Schedule schedule(arguments,
                                part_of<kSchedule, typename K::Schedule::Storage>(storage));
  Consumer<K> consumer(arguments, storage);
  K::Launch::begin();  // barriers are initialised, and global memory is untouched so far
  SizesOfWarp<K> sizes(arguments);

  WorkItem item;
  while (schedule.next(item)) {
    item = share_in_cluster<K>(item);
    consumer.source.enter(item);
    for_each_tile<K>(arguments, item, [&](const Tile<K>& tile) {
      const auto flat_row = [&tile](int in_tile) { return tile.flat_row(in_tile); };
      consumer.point_fetch.enter(flat_row, tile.is_first(), tile.rows_left());
      if constexpr (K::kStructure.by_warp) {
        if (!sizes.settle()) return tile.leave_nan();
      }
      consumer.metadata.enter(consumer.point_fetch, flat_row);
      tile.consume(consumer);
    });
  }
  consumer.source.leave();
}

/// The main kernel of composition C.
template <class C>
__global__ void __launch_bounds__(kShape<Composed<C>>.threads, kLeastBlocks<Composed<C>>)
    kernel(const __grid_constant__ KernelArguments<Composed<C>> arguments) {
  using K = Composed<C>;
  if constexpr (K::Sizes::kFixed) {
    run<K>(arguments);
  } else if constexpr (kReadsSizesByWarp<K>) {
    run<Composed<C, Structure{.least = K::Problem::kClass.least, .by_warp = true}>>(arguments);
  } else {
    K::Launch::begin();
    with_structure<K>(arguments, kShape<K>.threads,
                      [&]<Structure structure>() { run<Composed<C, structure>>(arguments); });
  }
}

/// The main kernel of given level sizes for pyramids with `resident` levels in shared memory. Empty
/// where the source never keeps as many.
template <class C, int resident>
__global__ void __launch_bounds__(kShape<Composed<C>>.threads, kLeastBlocks<Composed<C>>)
    sized_kernel(const __grid_constant__ KernelArguments<Composed<C>> arguments) {
  if constexpr (resident <= kResidentChoices<Composed<C>>) {
    run<Composed<C, kStructureOf<Composed<C>, resident>>>(arguments);
  }
}

template <class C, int slot>
__global__ void prepass(const __grid_constant__ typename Composed<C>::Arguments arguments) {
  run_prepass<Composed<C>, slot>(arguments);
}

using msda::make_plan;

/// The plan that the host reads from the module.
template <class C>
__device__ const LaunchPlan plan = make_plan<Composed<C>>();

}  // namespace msda::direct
