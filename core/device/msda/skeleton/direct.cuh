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

/// The rows [first, first + kTileRows) of an item, kRowsPerLane for each lane group of the block.
template <class K>
class Tile {
  using Problem = typename K::Problem;
  using Mapping = typename K::Mapping;
  using Sums = typename K::Arithmetic::template Sums<Mapping::kVector>;
  using Source = typename K::Source::template Reader<K>;
  using Value = Vector<typename Source::Value, Mapping::kVector>;
  using Metadata = typename K::Metadata::template Reader<K>;
  using Samples = typename K::Pipeline::template Reader<K>;
  static constexpr int kBlocking = Mapping::kRowsPerLane;

  /// One of this lane's rows.
  struct Row {
    long long flat;  ///< (b*Q + q)*H + h
    typename Source::Base base;
    int in_tile;
  };

 public:
  static constexpr int kRows = Mapping::kRows * kBlocking;

  __device__ Tile(const Arguments& arguments, const WorkItem& item, long long first)
      : arguments_(arguments), item_(item), first_(first) {}

  /// Flat row of row `in_tile` (>= kRows: of a later tile of the item); one beyond the item's end
  /// stands for its last row, so that all lanes of a warp stay together and only the store asks who
  /// is real.
  __device__ long long flat_row(int in_tile) const {
    const long long row = min(first_ + in_tile, item_.last - 1);
    const long long position = K::kByHead ? row : row / Problem::kHeads;
    const int head = K::kByHead ? item_.head : static_cast<int>(row % Problem::kHeads);
    const long long query = K::Order::query(arguments_, item_.image, position);
    return (item_.image * arguments_.queries + query) * Problem::kHeads + head;
  }

  __device__ void compute(const Source& source, const Metadata& metadata,
                          const Samples& samples) const {
    const int group = min(Mapping::row(), Mapping::kRows - 1);
    const int channel = Mapping::channel(item_.channel_block);
    Row row[kBlocking];
    Sums sums[kBlocking];
#pragma unroll
    for (int r = 0; r < kBlocking; ++r) {
      row[r].in_tile = r * Mapping::kRows + group;
      row[r].flat = flat_row(row[r].in_tile);
      const int head = K::kByHead ? item_.head : static_cast<int>(row[r].flat % Problem::kHeads);
      row[r].base = source.base(item_, head, channel);
      sums[r].clear();
    }
    add_all(source, metadata, samples, row, sums);
#pragma unroll
    for (int r = 0; r < kBlocking; ++r) {
      Mapping::combine(sums[r]);
      const bool real = Mapping::row() < Mapping::kRows && first_ + row[r].in_tile < item_.last;
      if (real && Mapping::stores()) store(sums[r], row[r].flat, channel);
    }
  }

 private:
  static constexpr int kBatch =
      K::Unroll::kPoints < Problem::kPoints ? K::Unroll::kPoints : Problem::kPoints;
  static constexpr int kBatchesPerLevel = (Problem::kPoints + kBatch - 1) / kBatch;
  static constexpr int kBatches = Problem::kLevels * kBatchesPerLevel;

  /// Which level the b-th batch belongs to, and which of the level's batches it is. Alternating:
  /// levels 0 and L-1 take turns, then 1 and L-2, and so on.
  struct Visit {
    int level;
    int batch;
  };
  static constexpr Visit visit(int b) {
    if (!K::Unroll::kAlternates) return {b / kBatchesPerLevel, b % kBatchesPerLevel};
    const int pair = b / (2 * kBatchesPerLevel);
    const int in_pair = b % (2 * kBatchesPerLevel);
    if (2 * pair + 1 == Problem::kLevels) return {pair, in_pair};
    return {in_pair % 2 == 0 ? pair : Problem::kLevels - 1 - pair, in_pair / 2};
  }

  template <int points>
  struct Batch {
    Taps<K> taps[kBlocking][points];
    Value value[kBlocking][points][kTaps<K>];
  };

  /// All batches: unrolled with the next batch's loads before this batch's blend, or in a loop.
  __device__ void add_all(const Source& source, const Metadata& metadata, const Samples& samples,
                          const Row (&row)[kBlocking], Sums (&sums)[kBlocking]) const {
    if constexpr (K::Unroll::kLoadsAhead || K::Unroll::kAlternates) {
      const auto first = load<visit(0).level, points_of(0)>(source, metadata, samples, row, 0);
      add_visits<0>(source, metadata, samples, row, sums, first);
    } else {
      add_levels<0>(source, metadata, samples, row, sums);
    }
  }

  static constexpr int points_of(int b) {
    const int left = Problem::kPoints - visit(b).batch * kBatch;
    return left < kBatch ? left : kBatch;
  }

  template <int b, class Loaded>
  __device__ void add_visits(const Source& source, const Metadata& metadata, const Samples& samples,
                             const Row (&row)[kBlocking], Sums (&sums)[kBlocking],
                             const Loaded& loaded) const {
    if constexpr (b + 1 == kBatches) {
      add<visit(b).level>(row, sums, loaded);
    } else if constexpr (K::Unroll::kLoadsAhead) {
      const auto next = load<visit(b + 1).level, points_of(b + 1)>(source, metadata, samples, row,
                                                                   visit(b + 1).batch * kBatch);
      add<visit(b).level>(row, sums, loaded);
      add_visits<b + 1>(source, metadata, samples, row, sums, next);
    } else {
      add<visit(b).level>(row, sums, loaded);
      const auto next = load<visit(b + 1).level, points_of(b + 1)>(source, metadata, samples, row,
                                                                   visit(b + 1).batch * kBatch);
      add_visits<b + 1>(source, metadata, samples, row, sums, next);
    }
  }

  template <int level>
  __device__ void add_levels(const Source& source, const Metadata& metadata, const Samples& samples,
                             const Row (&row)[kBlocking], Sums (&sums)[kBlocking]) const {
    if constexpr (level < Problem::kLevels) {
      constexpr int kWhole = Problem::kPoints / kBatch * kBatch;
#pragma unroll 1
      for (int point = 0; point < kWhole; point += kBatch) {
        add<level>(row, sums, load<level, kBatch>(source, metadata, samples, row, point));
      }
      if constexpr (kWhole < Problem::kPoints) {
        add<level>(row, sums,
                   load<level, Problem::kPoints - kWhole>(source, metadata, samples, row, kWhole));
      }
      add_levels<level + 1>(source, metadata, samples, row, sums);
    }
  }

  /// `points` points of each row of the lane: all their loads are begun.
  template <int level, int points>
  __device__ Batch<points> load(const Source& source, const Metadata& metadata,
                                const Samples& samples, const Row (&row)[kBlocking],
                                int point) const {
    Batch<points> batch;
#pragma unroll
    for (int r = 0; r < kBlocking; ++r) {
      metadata.template read<level, points>(samples, row[r].flat, row[r].in_tile, point,
                                            batch.taps[r]);
#pragma unroll
      for (int p = 0; p < points; ++p) {
#pragma unroll
        for (int t = 0; t < kTaps<K>; ++t) {
          const int delta = K::Source::template delta<K>(level, Mapping::tap_column(t),
                                                         Mapping::tap_row(t));  // a constant
          batch.value[r][p][t] =
              source.template read<level>(row[r].base, batch.taps[r][p].place, delta);
        }
      }
    }
    return batch;
  }

  /// Blends a batch. Encoded values are summed as stored, and the level's scale is applied once.
  template <int level, int points>
  __device__ void add(const Row (&row)[kBlocking], Sums (&sums)[kBlocking],
                      const Batch<points>& batch) const {
#pragma unroll
    for (int r = 0; r < kBlocking; ++r) {
      if constexpr (K::Arithmetic::kEncoded) {
        Sums stored;
        stored.clear();
        K::Arithmetic::add(stored, batch.taps[r], batch.value[r]);
        const int head = K::kByHead ? item_.head : static_cast<int>(row[r].flat % Problem::kHeads);
        sums[r].add_scaled(stored, K::Arithmetic::scale(arguments_, item_.image, head, level));
      } else {
        K::Arithmetic::add(sums[r], batch.taps[r], batch.value[r]);
      }
    }
  }

  __device__ void store(const Sums& sums, long long flat, int channel) const {
    using Output = typename Problem::Output;
    Vector<Output, Mapping::kVector> out;
#pragma unroll
    for (int v = 0; v < Mapping::kVector; ++v) out.element[v] = from_float<Output>(sums.sum[v]);
    auto* address = static_cast<Output*>(arguments_.output) + flat * Problem::kChannels + channel;
    out.write(address, [](auto* p, auto word) { K::Cache::store_output(p, word); });
  }

  const Arguments& arguments_;
  const WorkItem& item_;
  long long first_;
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
