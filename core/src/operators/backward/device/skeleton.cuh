// The skeleton of operator `backward`: in one pass over the points, values are gathered for the
// gradients of locations and weights, and contributions added to the gradient of the values.
//
//   for each work item of this block              schedule
//     values on chip, what is summed there        values.enter, sum.enter
//     for each tile of rows                       lanes, order
//       cells of the warp's points                (shared memory)
//       for each level, for each batch of points
//         values                                  lanes, values, cache
//         contributions                           clear, sum.add (red-map, accumulator)
//         products with the gradient, their sums  dots
//         gradients of locations and weights
//       gradients of what points are made of      points
//     what is summed in the block goes to memory  sum.leave
//   sums become grad_value                        accumulator (a pass after the kernel, or before
//   it)
//
// Slot fusion may divide this: the additions alone in a pass before, the rest in the main kernel.
#pragma once

#include <backward/accumulator.cuh>
#include <backward/clear.cuh>
#include <backward/dots.cuh>
#include <backward/fusion.cuh>
#include <backward/gather.cuh>
#include <backward/no_pyramid.cuh>
#include <backward/points.cuh>
#include <backward/slot_list.cuh>
#include <backward/sum.cuh>
#include <msda/skeleton/evidence.cuh>
#include <msda/skeleton/plan.cuh>
#include <msda/skeleton/sized.cuh>
#include <msda/slots/cache.cuh>
#include <msda/slots/order.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/storage.cuh>

namespace msda::backward {

struct NoParameters {};

template <class ProblemType>
struct Defaults {
  using Problem = ProblemType;
  /// Of an operator that makes points of other tensors: its own, with these at their end.
  using Arguments = backward::Arguments;
#define MSDA_DEFAULT(Name, name, Default) \
  template <class K>                      \
  using Name = Default<K, NoParameters>;
  MSDA_BACKWARD_SLOTS(MSDA_DEFAULT)
  MSDA_BACKWARD_SHARED_SLOTS(MSDA_DEFAULT)
#undef MSDA_DEFAULT
};

/// Slot of the cells' part of shared memory, for evidence.
inline constexpr int kCells = kLanes;

/// In place of slot sum in a kernel that adds nothing.
struct NoSum {
  struct Storage {};
  __device__ NoSum(const Arguments&, Storage&) {}
};
template <class K>
using SumOf = Conditional<kAdds<K>, typename K::Sum, NoSum>;

/// With run-time level sizes the sums are last, so that a launch needs no more than its pyramid's.
template <class K>
using Parts = Conditional<
    K::Sizes::kFixed,
    BlockStorage<Part<kCells, typename Cells<K>::Storage>, Part<kSum, typename SumOf<K>::Storage>,
                 Part<kSchedule, typename K::Schedule::Storage>,
                 Part<kValues, typename K::Values::Storage>>,
    BlockStorage<LevelTablePart<K>, Part<kCells, typename Cells<K>::Storage>,
                 Part<kSchedule, typename K::Schedule::Storage>,
                 Part<kSum, typename SumOf<K>::Storage>>>;
template <class K>
struct Storage : Parts<K> {};

/// Blocks of a cluster among which a policy of slot sum divides what it keeps.
template <class Sum>
inline constexpr unsigned kClusterOf = [] {
  if constexpr (requires { Sum::kCluster; }) return unsigned{Sum::kCluster};
  return 1U;
}();

/// What a policy of slot sum keeps in shared memory of levels whose sizes are no constants.
template <class Sum>
struct Resident {};
template <class Sum>
requires requires { Sum::kBudget; }
struct Resident<Sum> {
  static constexpr ResidentBudget kBudget = Sum::kBudget;
};

/// The composition `C`, and what the shared slots ask of a gathering skeleton.
template <class C, Structure structure = Structure{}, bool adds_alone = false>
struct Composed {
  using Problem = typename C::Problem;
  using Arguments = typename C::Arguments;
  static constexpr Structure kStructure = structure;
  /// The pass before the kernel that adds to grad_value and leaves nothing else, and its
  /// composition (slot fusion).
  static constexpr bool kAddsAlone = adds_alone;
  template <Structure of>
  using AddsAlone = Composed<C, of, true>;
  using Layout = ProblemLayout<Problem>;
  using Sizes = typename SizesOf<Problem>::Type;
#define MSDA_BIND(Name, name, Default) using Name = typename C::template Name<Composed>;
  MSDA_BACKWARD_SLOTS(MSDA_BIND)
  MSDA_BACKWARD_SHARED_SLOTS(MSDA_BIND)
#undef MSDA_BIND
  struct Mapping {
    static constexpr int kThreads = Lanes::kThreads;
    static constexpr int kRows = Lanes::kRows;
    static constexpr int kRowsPerLane = 1;
    /// What a work item has of its rows: a level.
    static constexpr int kChannelBlocks = Lanes::kLevelsApart ? Problem::kLevels : 1;
  };
  struct Source : Resident<Sum> {
    static constexpr int kPlaneHeads = Sum::kOneHead || Values::kOneHead ? 1 : Problem::kHeads;
    static constexpr unsigned kCluster = kClusterOf<Sum>;
  };
  struct Launch {
    static constexpr bool kDependent = Clear::kBeginsEarly;
  };
  struct Arithmetic {
    using Weight = float;
  };
  using Storage = backward::Storage<Composed>;
  static_assert(kFillsSectors<Composed>,
                "a red instruction fills a part of a sector: another red-map, or fewer lanes");
};

/// A work item's rows, as the lanes of a warp have them: the tile that begins at row `at` of the
/// item. Rows past the end are clamped to the last one, so that all lanes stay converged.
template <class K>
class WarpRows {
  using Problem = typename K::Problem;
  static constexpr int kHeads = K::Source::kPlaneHeads;

 public:
  __device__ WarpRows(const Arguments& arguments, const WorkItem& item, long long at)
      : arguments_(arguments),
        item_(item),
        first_(item.first + at + static_cast<long long>(simt::warp()) * K::Lanes::kWarpRows) {}

  __device__ bool any() const { return first_ < item_.last; }
  __device__ bool exists(int row) const { return first_ + row < item_.last; }
  __device__ int head(int row) const {
    return kHeads == 1 ? item_.head : static_cast<int>(in_plane(row) % kHeads);
  }
  /// The row's index (b*Q + q)*H + h.
  __device__ long long number(int row) const {
    const auto position = static_cast<long long>(in_plane(row) / kHeads);
    const long long query = K::Order::query(arguments_, item_.image, position);
    simt::note_order(item_.image, arguments_.queries, position, query);
    return (item_.image * arguments_.queries + query) * Problem::kHeads + head(row);
  }

 private:
  __device__ unsigned long long in_plane(int row) const {
    return static_cast<unsigned long long>(min(first_ + row, item_.last - 1));
  }

  const Arguments& arguments_;
  const WorkItem& item_;
  long long first_;
};

template <class K>
__device__ __forceinline__ void run(const Arguments& arguments) {
  auto& storage = shared_storage<typename K::Storage>();
  auto& cells = part_of<kCells, typename Cells<K>::Storage>(storage);
  typename K::Schedule schedule(arguments,
                                part_of<kSchedule, typename K::Schedule::Storage>(storage));
  SumOf<K> sum(arguments, part_of<kSum, typename SumOf<K>::Storage>(storage));
  typename K::Values values(arguments, part_of<kValues, typename K::Values::Storage>(storage));
  WorkItem item;
  while (schedule.next(item)) {
    item = share_in_cluster<K>(item);
    values.enter(item);
    if constexpr (kAdds<K>) sum.enter(item);
    for (long long at = 0; at < item.last - item.first; at += kTileRows<K>) {
      simt::begin_tile(at == 0);
      const WarpRows<K> rows(arguments, item, at);
      if (!rows.any()) continue;
      const int level = K::Lanes::kLevelsApart ? item.channel_block : 0;
      if constexpr (kMakesPoints<K>) {
        K::Points::make_cells(arguments, cells.cell[simt::warp()], rows, level);
      } else {
        Cells<K>::compute(arguments, cells, rows, level);
      }
      const int own = Place<K>::warp_row();
      const long long number = rows.number(own);
      const int head = rows.head(own);
      if constexpr (kAdds<K>) sum.begin_row(item.image, number, head);
      values.begin_row(item.image, head);
      Row<K>(arguments, values, number, rows.exists(own))
          .run(cells.cell[simt::warp()][own], level, sum);
      if constexpr (kMakesPoints<K> && !K::kAddsAlone) {
        K::Points::finish_row(arguments, cells.cell[simt::warp()][own], number, rows.exists(own),
                              level);
      }
    }
    if constexpr (kAdds<K>) {
      K::Clear::wait();
      sum.leave(item);
    }
  }
}

/// Blocks of an SM that registers must suffice for.
template <class K>
inline constexpr unsigned kLeastResident =
    kLeastBlocks<K> > K::Lanes::kLeastBlocks ? kLeastBlocks<K> : K::Lanes::kLeastBlocks;

/// The main kernel of composition C.
template <class C>
__global__ void __launch_bounds__(kShape<Composed<C>>.threads, kLeastResident<Composed<C>>)
    kernel(const __grid_constant__ typename Composed<C>::Arguments arguments) {
  using K = Composed<C>;
  if constexpr (K::Sizes::kFixed) {
    run<K>(arguments);
  } else {
    with_structure_or<K>(
        arguments, [&]<Structure structure>() { run<Composed<C, structure>>(arguments); },
        [&] { leave_nan<K>(arguments); });
  }
}

/// The main kernel of given level sizes for pyramids with `resident` levels in shared memory. Empty
/// where nothing ever keeps as many.
template <class C, int resident>
__global__ void __launch_bounds__(kShape<Composed<C>>.threads, kLeastResident<Composed<C>>)
    sized_kernel(const __grid_constant__ typename Composed<C>::Arguments arguments) {
  if constexpr (resident <= kResidentChoices<Composed<C>>) {
    run<Composed<C, kStructureOf<Composed<C>, resident>>>(arguments);
  }
}

template <class K, Pass when, int slot>
__device__ __forceinline__ void run_pass(const Arguments& arguments) {
#define MSDA_RUN_PASS(Name, name, Default) \
  if constexpr (slot == k##Name) run_pass_of<typename K::Name, when>(arguments);
  MSDA_BACKWARD_SLOTS(MSDA_RUN_PASS)
  MSDA_BACKWARD_SHARED_SLOTS(MSDA_RUN_PASS)
#undef MSDA_RUN_PASS
}

template <class C, int slot>
__global__ void prepass(const __grid_constant__ typename Composed<C>::Arguments arguments) {
  run_pass<Composed<C>, kBefore, slot>(arguments);
}
template <class C, int slot>
__global__ void postpass(const __grid_constant__ typename Composed<C>::Arguments arguments) {
  run_pass<Composed<C>, kAfter, slot>(arguments);
}

template <class K>
constexpr LaunchPlan make_plan() {
  static_assert(!kMakesPoints<K> || HasGradientsOfPoints<typename K::Points, K>,
                "slot points: points are made of tensors whose gradients it does not know");
  LaunchPlan plan = {};
  plan.main = kShape<K>;
  plan.tensors = kTensors<typename K::Arguments>;
#define MSDA_ADD_POLICY(Name, name, Default) add_policy<typename K::Name, Arguments>(plan, k##Name);
  MSDA_BACKWARD_SLOTS(MSDA_ADD_POLICY)
  MSDA_BACKWARD_SHARED_SLOTS(MSDA_ADD_POLICY)
#undef MSDA_ADD_POLICY
  if (!K::Accumulator::kInPlace || kAddsApart<K> || K::Clear::kClears) {
    plan.overwritten = 1U << kGradValue;
  }
  if (K::Clear::kClears) plan.zeroed[kAccumulator] = kNeverZeroed;
  plan.levels = kLevelsFrom<typename K::Sizes>;
  plan.resident = resident_budget<K>();
  plan.persisting_tensor = K::Cache::kPersistValue ? 1 + plan.viewed_tensor : 0;
  plan.tile_rows = kTileRows<K>;
  plan.point_bytes = 4 / K::Lanes::kSides * K::Lanes::kOwn * K::Lanes::kVector *
                     static_cast<unsigned>(sizeof(typename K::Problem::Value));
  if constexpr (kIsDivided<K>) plan.divided = 1 + kFusion;
  if constexpr (kIsBeside<K>) plan.beside = 1U << kAccumulator | 1U << kFusion;
  using Adding = Conditional<kIsDivided<K>, typename K::template AddsAlone<kStructureOfPass<K>>, K>;
  constexpr SharedParts kParts = shared_parts(static_cast<typename Adding::Storage*>(nullptr));
  for (int slot = 0; slot < kMostSlots; ++slot) plan.shared[slot] = kParts.of[slot];
#define MSDA_ADD_IDLE(Name, name, Default) add_idle<typename K::Name>(plan, k##Name);
  MSDA_BACKWARD_SLOTS(MSDA_ADD_IDLE)
#undef MSDA_ADD_IDLE
  // Of the slots that it shares those that are its own: the others' reasons are about a gather.
  add_idle<typename K::Values>(plan, kValues);
  add_idle<typename K::Clear>(plan, kClear);
  add_idle<typename K::Fusion>(plan, kFusion);
  return plan;
}

/// The plan that the host reads from the module.
template <class C>
__device__ const LaunchPlan plan = make_plan<Composed<C>>();

}  // namespace msda::backward
