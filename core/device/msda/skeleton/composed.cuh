// What the skeletons that gather point by point share: their slots, and the division of a block's
// threads and shared memory.
#pragma once

#include <msda/launch.cuh>
#include <msda/skeleton/tile.cuh>
#include <msda/slots/arithmetic.cuh>
#include <msda/slots/cache.cuh>
#include <msda/slots/fetch.cuh>
#include <msda/slots/layout.cuh>
#include <msda/slots/mapping.cuh>
#include <msda/slots/metadata.cuh>
#include <msda/slots/order.cuh>
#include <msda/slots/pipeline.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/slots/source.cuh>
#include <msda/slots/unroll.cuh>

namespace msda {

/// Parameters of the default policies: they have none.
struct NoParameters {};

/// The slots of the direct skeleton. A composition derives from this and names those it fills anew.
template <class ProblemType>
struct GatherDefaults {
  using Problem = ProblemType;
  using Layout = PlainLayout<Problem, NoParameters>;
  using Mapping = LaneMapping<Problem, 1, 256>;
  using Order = StoredOrder<Problem, NoParameters>;
  using Schedule = GridSchedule<Problem, NoParameters>;
  using Metadata = InlineMetadata<Problem, NoParameters>;
  using Source = GlobalSource<Problem, NoParameters>;
  using Cache = DefaultCache<Problem, NoParameters>;
  using Arithmetic = FloatArithmetic<Problem, NoParameters>;
  using Unroll = OnePoint<Problem, NoParameters>;
  using Pipeline = DirectPipeline<Problem, NoParameters>;
  using Fetch = LoadFetch<Problem, NoParameters>;
};

/// A policy of the right slot; what else a slot asks of its policy is checked where it is used.
template <class Policy, Slot slot>
concept Fills = (Policy::kSlot == slot);

/// Offsets of the slots' parts of the dynamic shared memory.
template <class K>
struct SharedLayout {
  static constexpr unsigned kSourceAt = 0;
  static constexpr unsigned kFetchAt = align_shared(K::Source::template kSharedBytes<K>);
  static constexpr unsigned kMetadataAt =
      kFetchAt + align_shared(K::Fetch::template kSharedBytes<K>);
  static constexpr unsigned kPipelineAt =
      kMetadataAt + K::kTapBuffers * align_shared(K::Metadata::template kSharedBytes<K>);
  static constexpr unsigned kScheduleAt =
      kPipelineAt + align_shared(K::Pipeline::template kSharedBytes<K>);
  static constexpr unsigned kHandoverAt = kScheduleAt + align_shared(K::Schedule::kSharedBytes);
  static constexpr unsigned kBytes = kHandoverAt + align_shared(K::kHandoverBytes);
};

/// Blocks of a cluster: as many as the source slot spreads levels over.
template <class K>
constexpr unsigned cluster_of() {
  if constexpr (requires { K::Source::template kCluster<K>; }) {
    return K::Source::template kCluster<K>;
  } else {
    return 1;
  }
}

/// Composition `C`, whose block has `producer_threads` threads after those of the mapping.
template <class C, int producer_threads>
struct Gather : C {
  static_assert(Fills<typename C::Layout, kLayout> && Fills<typename C::Mapping, kMapping> &&
                    Fills<typename C::Order, kOrder> && Fills<typename C::Schedule, kSchedule> &&
                    Fills<typename C::Metadata, kMetadata> && Fills<typename C::Source, kSource> &&
                    Fills<typename C::Cache, kCache> &&
                    Fills<typename C::Arithmetic, kArithmetic> &&
                    Fills<typename C::Unroll, kUnroll> && Fills<typename C::Pipeline, kPipeline> &&
                    Fills<typename C::Fetch, kFetch>,
                "every slot holds a policy of its own kind");
  static_assert(C::Mapping::kThreads + producer_threads <= 1024,
                "a block has at most 1024 threads: the mapping's and those of producer warps");
  static constexpr bool kByHead = C::Source::kByHead;
  static constexpr int kProducerThreads = producer_threads;
};

/// The main kernel's launch.
template <class K>
constexpr LaunchShape shape_of() {
  return {.threads = K::Mapping::kThreads + K::kProducerThreads,
          .shared_bytes = SharedLayout<K>::kBytes,
          .resident_blocks = K::Schedule::kResidentBlocks,
          .planes = static_cast<unsigned>((K::kByHead ? K::Problem::kHeads : 1) *
                                          K::Mapping::kChannelBlocks),
          .rows_per_query = static_cast<unsigned>(K::kByHead ? 1 : K::Problem::kHeads),
          .rows_per_item = K::Schedule::template kRowsPerItem<K> * K::kCluster,
          .chunks = K::Schedule::kChunks,
          .cluster = K::kCluster};
}

}  // namespace msda
