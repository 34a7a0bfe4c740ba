// The specialised skeleton: the direct skeleton with two kinds of warps. Producers compute the taps
// of all rows (if the metadata slot is cooperative) and copy values to shared memory (if the fetch
// slot copies by producers); consumers blend and store.
//
//   producers, for each item, tile              schedule, mapping, order
//     points and taps of the tile               point_fetch.enter, metadata.enter (one step)
//     for each batch of points                  unroll
//       copy its values                         fetch producer                    (one step each)
//   consumers, for each item                    source.enter
//     for each tile, batch of points            the same steps
//       taps, values, sums                      metadata.read, fetch.read, arithmetic.add
//     combine lanes, store                      mapping, cache
//
// Every warp of both roles walks through the same items, tiles and steps, whether its rows exist or
// not: the number of steps depends on the sizes of the problem only. (Reported hangs of
// warp-specialised deformable attention come from warps that leave a persistent loop early, or skip
// a barrier that other warps wait at.)
#pragma once

#include <msda/launch.cuh>
#include <msda/simt/thread.cuh>
#include <msda/skeleton/composed.cuh>
#include <msda/skeleton/tile.cuh>
#include <msda/slots/pipeline.cuh>
#include <msda/slots/roles.cuh>

namespace msda::specialised {

template <class ProblemType>
struct Defaults : GatherDefaults<ProblemType> {
#define MSDA_DEFAULT(Name, name, Default) \
  template <class K>                      \
  using Name = Default<K, NoParameters>;
  MSDA_PRODUCER_SLOTS(MSDA_DEFAULT)
#undef MSDA_DEFAULT
};

template <class K>
struct Storage : GatherParts<K, Part<kPipeline, typename K::Pipeline::Storage>> {};

/// The composition `C`.
template <class C, Structure structure = Structure{}>
struct Composed : Gather<C, Composed<C, structure>, structure> {
#define MSDA_BIND(Name, name, Default) using Name = typename C::template Name<Composed>;
  MSDA_PRODUCER_SLOTS(MSDA_BIND)
#undef MSDA_BIND
  using Storage = specialised::Storage<Composed>;
};

/// Calls enter(item) for every item of this block, and each(tile) for every tile of the item.
template <class K, class Enter, class Each>
__device__ __forceinline__ void for_all_tiles(const typename K::Arguments& arguments,
                                              Storage<K>& storage, const Enter& enter,
                                              const Each& each) {
  typename K::Schedule schedule(arguments,
                                part_of<kSchedule, typename K::Schedule::Storage>(storage));
  WorkItem item;
  while (schedule.next(item)) {
    enter(item);
    for_each_tile<K>(arguments, item, each);
  }
}

template <class K>
__device__ __forceinline__ void produce(const typename K::Arguments& arguments, Storage<K>& storage,
                                        Stages<K>& stages) {
  typename K::PointFetch point_fetch(
      arguments, part_of<kPointFetch, typename K::PointFetch::Storage>(storage));
  typename K::Metadata metadata(arguments,
                                part_of<kMetadata, typename K::Metadata::Storage>(storage));
  int buffer = 0;
  for_all_tiles<K>(
      arguments, storage, [](const WorkItem&) {},
      [&](const Tile<K>& tile) {
        const auto flat_row = [&tile](int in_tile) { return tile.flat_row(in_tile); };
        if constexpr (K::Metadata::kIsCooperative) {
          point_fetch.enter(flat_row, tile.is_first(), tile.rows_left());
          stages.pipeline.producer_acquire(stages.state);
          metadata.use_buffer(buffer);
          metadata.enter(point_fetch, flat_row);
          if constexpr (kPrefetchesPoints<K>) point_fetch.prefetch(flat_row, tile.rows_left());
          stages.pipeline.producer_commit(stages.state);
          stages.state.advance();
          buffer = buffer + 1 == kTapBuffers<K> ? 0 : buffer + 1;
        }
        if constexpr (kFetchSteps<K> != 0)
          tile.produce(stages, part_of<kFetch, typename K::Fetch::Storage>(storage), metadata);
      });
  stages.pipeline.producer_tail(stages.state);
}

template <class K>
__device__ __forceinline__ void consume(const typename K::Arguments& arguments, Storage<K>& storage,
                                        Stages<K>& stages) {
  Consumer<K> consumer(arguments, storage);
  if constexpr (kFetchSteps<K> != 0) consumer.fetch.follow(stages);
  int buffer = 0;
  for_all_tiles<K>(
      arguments, storage, [&](const WorkItem& item) { consumer.source.enter(item); },
      [&](const Tile<K>& tile) {
        if constexpr (K::Metadata::kIsCooperative) {
          consumer.metadata.use_buffer(buffer);
          buffer = buffer + 1 == kTapBuffers<K> ? 0 : buffer + 1;
          stages.pipeline.consumer_wait(stages.state);
          if constexpr (kFetchSteps<K> != 0) {
            stages.pipeline.consumer_release(stages.state);
            stages.state.advance();
          }
        } else {
          const auto flat_row = [&tile](int in_tile) { return tile.flat_row(in_tile); };
          consumer.point_fetch.enter(flat_row, tile.is_first(), tile.rows_left());
          if constexpr (K::Points::kJoinsRows) {
            consumer.metadata.enter(consumer.point_fetch, flat_row);
          }
        }
        tile.consume(consumer);
        if constexpr (K::Metadata::kIsCooperative && kFetchSteps<K> == 0) {
          stages.pipeline.consumer_release(stages.state);
          stages.state.advance();
        }
      });
  consumer.source.leave();
}

template <class K>
__device__ __forceinline__ void run(const typename K::Arguments& arguments) {
  auto& storage = shared_storage<typename K::Storage>();
  Stages<K> stages{typename K::Pipeline(part_of<kPipeline, typename K::Pipeline::Storage>(storage)),
                   {}};
  if constexpr (kFetchSteps<K> != 0)
    K::Fetch::prepare(arguments, part_of<kFetch, typename K::Fetch::Storage>(storage));
  simt::syncthreads();
  K::Launch::begin();
  if (simt::thread() >= K::Mapping::kThreads) {
    produce<K>(arguments, storage, stages);
  } else {
    consume<K>(arguments, storage, stages);
  }
}

/// The main kernel of composition C.
template <class C>
__global__ void __launch_bounds__(kShape<Composed<C>>.threads, kLeastBlocks<Composed<C>>)
    kernel(const __grid_constant__ KernelArguments<Composed<C>> arguments) {
  using K = Composed<C>;
  if constexpr (K::Sizes::kStored) {
    K::Launch::begin();
    with_structure<K>(arguments, kShape<K>.threads,
                      [&]<Structure structure>() { run<Composed<C, structure>>(arguments); });
  } else {
    // The body of run(), which as a function would have other registers.
    auto& storage = shared_storage<typename K::Storage>();
    Stages<K> stages{
        typename K::Pipeline(part_of<kPipeline, typename K::Pipeline::Storage>(storage)), {}};
    if constexpr (kFetchSteps<K> != 0)
      K::Fetch::prepare(arguments, part_of<kFetch, typename K::Fetch::Storage>(storage));
    simt::syncthreads();
    K::Launch::begin();
    if (simt::thread() >= K::Mapping::kThreads) {
      produce<K>(arguments, storage, stages);
    } else {
      consume<K>(arguments, storage, stages);
    }
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

}  // namespace msda::specialised
