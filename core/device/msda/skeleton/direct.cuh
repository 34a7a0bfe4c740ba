// The direct skeleton: every lane group gathers its row's points itself. It owns the loops, the
// barriers and the division of shared memory; the slots own the decisions.
//
//   for each work item of this block              schedule
//     bring what stays on chip                    source.enter
//     for each tile of rows                       mapping, order
//       bring samples and taps of the tile        pipeline.enter, metadata.enter
//       for each level, for each batch of points  unroll
//         taps                                    metadata.read
//         values                                  source.read (layout, cache)
//         sums += weights * values                arithmetic.add
//       combine lanes, store                      mapping, cache
#pragma once

#include <msda/launch.cuh>
#include <msda/simt/thread.cuh>
#include <msda/skeleton/tile.cuh>
#include <msda/slots/arithmetic.cuh>
#include <msda/slots/cache.cuh>
#include <msda/slots/layout.cuh>
#include <msda/slots/mapping.cuh>
#include <msda/slots/metadata.cuh>
#include <msda/slots/order.cuh>
#include <msda/slots/pipeline.cuh>
#include <msda/slots/restage.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/slots/source.cuh>
#include <msda/slots/unroll.cuh>
#include <msda/vector.cuh>

namespace msda::direct {

/// Parameters of the default levels: they have none.
struct NoParameters {};

/// A composition derives from this and names the slots it fills anew.
template <class ProblemType>
struct Defaults {
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
};

/// A level of the right slot; what else a slot asks of its level is checked where it is used.
template <class Level, Slot slot>
concept Fills = (Level::kSlot == slot);

constexpr unsigned align_shared(unsigned bytes) { return (bytes + 127U) / 128U * 128U; }

/// Offsets of the slots' parts of the dynamic shared memory.
template <class K>
struct SharedLayout {
  static constexpr unsigned kSourceAt = 0;
  static constexpr unsigned kMetadataAt = align_shared(K::Source::template kSharedBytes<K>);
  static constexpr unsigned kPipelineAt =
      kMetadataAt + align_shared(K::Metadata::template kSharedBytes<K>);
  static constexpr unsigned kScheduleAt =
      kPipelineAt + align_shared(K::Pipeline::template kSharedBytes<K>);
  static constexpr unsigned kBytes = kScheduleAt + align_shared(K::Schedule::kSharedBytes);
};

/// The composition `C` with what follows from its slots together.
template <class C>
struct Composed : C {
  static_assert(Fills<typename C::Layout, kLayout> && Fills<typename C::Mapping, kMapping> &&
                    Fills<typename C::Order, kOrder> && Fills<typename C::Schedule, kSchedule> &&
                    Fills<typename C::Metadata, kMetadata> && Fills<typename C::Source, kSource> &&
                    Fills<typename C::Cache, kCache> &&
                    Fills<typename C::Arithmetic, kArithmetic> &&
                    Fills<typename C::Unroll, kUnroll> && Fills<typename C::Pipeline, kPipeline>,
                "every slot holds a level of its own kind");
  using Self = Composed<C>;
  using Shared = SharedLayout<Self>;
  static constexpr bool kByHead = C::Source::kByHead;

  static constexpr LaunchShape kShape = {
      .threads = C::Mapping::kThreads,
      .shared_bytes = Shared::kBytes,
      .resident_blocks = C::Schedule::kResidentBlocks,
      .planes =
          static_cast<unsigned>((kByHead ? C::Problem::kHeads : 1) * C::Mapping::kChannelBlocks),
      .rows_per_query = static_cast<unsigned>(kByHead ? 1 : C::Problem::kHeads),
      .rows_per_item = C::Schedule::template kRowsPerItem<Self>,
      .chunks = C::Schedule::kChunks,
      .cluster = 0};
};

template <class K>
__device__ __forceinline__ void run(const Arguments& arguments) {
  using Shared = typename K::Shared;
  unsigned char* shared = simt::shared_memory();
  typename K::Schedule::template Cursor<K> cursor(arguments, shared + Shared::kScheduleAt);
  typename K::Source::template Reader<K> source(arguments, shared + Shared::kSourceAt);
  typename K::Pipeline::template Reader<K> samples(arguments, shared + Shared::kPipelineAt);
  typename K::Metadata::template Reader<K> metadata(arguments, shared + Shared::kMetadataAt);

  WorkItem item;
  while (cursor.next(item)) {
    source.enter(item);
    for (long long first = item.first; first < item.last; first += Tile<K>::kRows) {
      const Tile<K> tile(arguments, item, first);
      const auto flat_row = [&tile](int in_tile) { return tile.flat_row(in_tile); };
      samples.enter(flat_row, first == item.first, item.last - first);
      metadata.enter(samples, flat_row);
      tile.compute(source, metadata, samples);
    }
  }
}

/// The main kernel of composition C.
template <class C>
__global__ void __launch_bounds__(Composed<C>::kShape.threads,
                                  Composed<C>::kShape.resident_blocks > 0
                                      ? Composed<C>::kShape.resident_blocks
                                      : 1) kernel(const __grid_constant__ Arguments arguments) {
  run<Composed<C>>(arguments);
}

/// Slot to level.
template <class K, Slot slot>
struct LevelOf;
#define MSDA_LEVEL_OF(SLOT, MEMBER)  \
  template <class K>                 \
  struct LevelOf<K, SLOT> {          \
    using Type = typename K::MEMBER; \
  }
MSDA_LEVEL_OF(kLayout, Layout);
MSDA_LEVEL_OF(kArithmetic, Arithmetic);
MSDA_LEVEL_OF(kSource, Source);
MSDA_LEVEL_OF(kMapping, Mapping);
MSDA_LEVEL_OF(kOrder, Order);
MSDA_LEVEL_OF(kSchedule, Schedule);
MSDA_LEVEL_OF(kMetadata, Metadata);
MSDA_LEVEL_OF(kPipeline, Pipeline);
MSDA_LEVEL_OF(kCache, Cache);
MSDA_LEVEL_OF(kUnroll, Unroll);
#undef MSDA_LEVEL_OF

/// Any level may declare a workspace, and a pre-pass that fills it before the main kernel:
///
///   template <class K> static constexpr Extent kWorkspace = {...};
///   static constexpr bool kZeroed = true;  // the host clears the workspace before each launch
///   template <class K> static constexpr LaunchShape kPrepassShape = {...};
///   template <class K> __device__ static void prepass(const Arguments&, unsigned char* shared);
template <class K, Slot slot>
constexpr void add_to_plan(LaunchPlan& plan) {
  using Level = typename LevelOf<K, slot>::Type;
  if constexpr (requires { Level::template kWorkspace<K>; }) {
    plan.workspace[slot] = Level::template kWorkspace<K>;
  }
  if constexpr (requires { Level::kZeroed; }) plan.zeroed[slot] = Level::kZeroed;
  if constexpr (requires { Level::template kPrepassShape<K>; }) {
    plan.has_prepass[slot] = 1;
    plan.prepass[slot] = Level::template kPrepassShape<K>;
  }
}

template <class K>
constexpr LaunchPlan make_plan() {
  LaunchPlan plan = {};
  plan.main = K::kShape;
  add_to_plan<K, kLayout>(plan);
  add_to_plan<K, kArithmetic>(plan);
  add_to_plan<K, kSource>(plan);
  add_to_plan<K, kMapping>(plan);
  add_to_plan<K, kOrder>(plan);
  add_to_plan<K, kSchedule>(plan);
  add_to_plan<K, kMetadata>(plan);
  add_to_plan<K, kPipeline>(plan);
  add_to_plan<K, kCache>(plan);
  add_to_plan<K, kUnroll>(plan);
  if constexpr (kRestages<K>) {
    plan.workspace[kLayout] = Restage<K>::kWorkspace;
    plan.has_prepass[kLayout] = 1;
    plan.prepass[kLayout] = Restage<K>::kShape;
  }
  if constexpr (requires { K::Cache::kPersistValue; }) plan.persist_value = K::Cache::kPersistValue;
  if constexpr (requires { K::Source::template kTexture<K>(0); }) {
    for (int l = 0; l < K::Problem::kLevels; ++l)
      plan.texture[l] = K::Source::template kTexture<K>(l);
  }
  return plan;
}

/// The pre-pass of the level that fills `slot`; empty when it has none. That of the layout slot
/// copies values into another layout, encoding, or both.
template <class C, Slot slot>
__global__ void prepass(const __grid_constant__ Arguments arguments) {
  using K = Composed<C>;
  if constexpr (slot == kLayout) {
    if constexpr (kRestages<K>) Restage<K>::run(arguments);
  } else {
    using Level = typename LevelOf<K, slot>::Type;
    if constexpr (requires { Level::template kPrepassShape<K>; }) {
      Level::template prepass<K>(arguments, simt::shared_memory());
    }
  }
}

/// What the host reads from the module to launch it.
template <class C>
__device__ const LaunchPlan plan = make_plan<Composed<C>>();

}  // namespace msda::direct
