// The specialised skeleton: the direct skeleton with two kinds of warps. Producers compute the taps
// of all rows (where the metadata slot is cooperative) and copy values to shared memory (where the
// fetch slot has producers do that); consumers blend and store.
//
//   producers, for each item, tile              schedule, mapping, order
//     samples and taps of the tile              pipeline.enter, metadata.enter    (one step)
//     for each batch of points                  unroll
//       copy its values                         fetch producer                    (one step each)
//   consumers, for each item                    source.enter
//     for each tile, batch of points            the same steps
//       taps, values, sums                      metadata.read, fetch.read, arithmetic.add
//     combine lanes, store                      mapping, cache
//
// Both walk through the same items, tiles and steps, and every warp of the block through all of
// them, whether its rows exist or not: the number of handovers depends on the sizes of the problem
// only. (The hangs that are reported of warp-specialised deformable attention come from warps that
// leave a persistent loop early, or skip a barrier that others count on.)
#pragma once

#include <msda/launch.cuh>
#include <msda/simt/thread.cuh>
#include <msda/skeleton/composed.cuh>
#include <msda/skeleton/plan.cuh>
#include <msda/skeleton/tile.cuh>
#include <msda/slots/handover.cuh>
#include <msda/slots/roles.cuh>

namespace msda::specialised {

template <class Problem>
struct Defaults : GatherDefaults<Problem> {
  using Roles = ProducerWarps<2, 2>;
  using Handover = BarrierHandover<Problem, NoParameters>;
};

/// The composition `C`.
template <class C>
struct Composed : Gather<C, C::Roles::kProducerThreads> {
  static_assert(Fills<typename C::Roles, kRoles> && Fills<typename C::Handover, kHandover>,
                "every slot holds a policy of its own kind");
  using Self = Composed<C>;
  static constexpr bool kTapsByProducers = C::Metadata::kIsCooperative;
  /// Batches of a tile whose values the producers copy.
  static constexpr int kFetchSteps = C::Fetch::kByProducers ? Tile<Self>::staged_batches() : 0;
  static constexpr int kSteps = (kTapsByProducers ? 1 : 0) + kFetchSteps;  ///< of a tile
  static constexpr int kStages =
      kFetchSteps > 0 ? C::Fetch::kStages : C::Roles::kStages;  ///< of the handover
  /// Tiles whose taps are in shared memory at a time. Consumers release a tile's step of taps at
  /// its end when there are no others, and otherwise at once, so that the stages come round: then a
  /// buffer is free when a step of the next tile was released.
  static constexpr int kTapBuffers = !kTapsByProducers  ? 1
                                     : kFetchSteps == 0 ? kStages
                                                        : 1 + (kStages + kSteps - 1) / kSteps;
  static constexpr unsigned kHandoverBytes = C::Handover::template kSharedBytes<Self>;
  static constexpr unsigned kCluster = 1;
  using Shared = SharedLayout<Self>;
  static constexpr LaunchShape kShape = shape_of<Self>();
};

/// Calls `tile(item, first)` for the first row of every tile of this block's items, and
/// `enter(item)` before those of an item.
template <class K, class Enter, class Each>
__device__ __forceinline__ void for_each_tile(const Arguments& arguments, unsigned char* shared,
                                              const Enter& enter, const Each& each) {
  typename K::Schedule::template Cursor<K> cursor(arguments, shared + K::Shared::kScheduleAt);
  WorkItem item;
  while (cursor.next(item)) {
    enter(item);
    for (long long first = item.first; first < item.last; first += Tile<K>::kRows) {
      each(item, first);
    }
  }
}

template <class K>
__device__ __forceinline__ void produce(const Arguments& arguments, unsigned char* shared,
                                        Stages<K>& stages) {
  typename K::Pipeline::template Reader<K> samples(arguments, shared + K::Shared::kPipelineAt);
  typename K::Metadata::template Reader<K> metadata(arguments, shared + K::Shared::kMetadataAt);
  typename K::Fetch::template Producer<K> fetch(arguments, shared + K::Shared::kFetchAt);
  int buffer = 0;
  for_each_tile<K>(
      arguments, shared, [](const WorkItem&) {},
      [&](const WorkItem& item, long long first) {
        const Tile<K> tile(arguments, item, first);
        const auto flat_row = [&tile](int in_tile) { return tile.flat_row(in_tile); };
        if constexpr (K::kTapsByProducers) {
          samples.enter(flat_row, first == item.first, item.last - first);
          stages.handover.producer_acquire(stages.state);
          metadata.turn_to(buffer);
          metadata.enter(samples, flat_row);
          stages.handover.producer_commit(stages.state);
          stages.state.advance();
          buffer = buffer + 1 == K::kTapBuffers ? 0 : buffer + 1;
        }
        if constexpr (K::kFetchSteps > 0) tile.produce(stages, fetch, metadata);
      });
  stages.handover.producer_tail(stages.state);
}

template <class K>
__device__ __forceinline__ void gather(const Arguments& arguments, unsigned char* shared,
                                       Stages<K>& stages) {
  Readers<K> readers(arguments, shared);
  if constexpr (K::kFetchSteps > 0) readers.fetch.follow(stages);
  int buffer = 0;
  for_each_tile<K>(
      arguments, shared, [&](const WorkItem& item) { readers.source.enter(item); },
      [&](const WorkItem& item, long long first) {
        const Tile<K> tile(arguments, item, first);
        if constexpr (K::kTapsByProducers) {
          readers.metadata.turn_to(buffer);
          buffer = buffer + 1 == K::kTapBuffers ? 0 : buffer + 1;
          stages.handover.consumer_wait(stages.state);
          if constexpr (K::kFetchSteps > 0) {
            stages.handover.consumer_release(stages.state);
            stages.state.advance();
          }
        } else {
          const auto flat_row = [&tile](int in_tile) { return tile.flat_row(in_tile); };
          readers.samples.enter(flat_row, first == item.first, item.last - first);
        }
        tile.compute(readers);
        if constexpr (K::kTapsByProducers && K::kFetchSteps == 0) {
          stages.handover.consumer_release(stages.state);
          stages.state.advance();
        }
      });
  readers.source.leave();
}

/// The main kernel of composition C.
template <class C>
__global__ void __launch_bounds__(Composed<C>::kShape.threads,
                                  Composed<C>::kShape.resident_blocks > 0
                                      ? Composed<C>::kShape.resident_blocks
                                      : 1) kernel(const __grid_constant__ Arguments arguments) {
  using K = Composed<C>;
  unsigned char* shared = simt::shared_memory();
  Stages<K> stages{typename K::Handover::template Handover<K>(shared + K::Shared::kHandoverAt), {}};
  K::Fetch::template prepare<K>(arguments, shared + K::Shared::kFetchAt);
  simt::sync_block();
  if (simt::thread() >= K::Mapping::kThreads) {
    produce<K>(arguments, shared, stages);
  } else {
    gather<K>(arguments, shared, stages);
  }
}

template <class C, Slot slot>
__global__ void prepass(const __grid_constant__ Arguments arguments) {
  run_prepass<Composed<C>, slot>(arguments);
}

/// What the host reads from the module to launch it.
template <class C>
__device__ const LaunchPlan plan = make_plan<Composed<C>>();

}  // namespace msda::specialised
