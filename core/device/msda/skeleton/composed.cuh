// What the skeletons that gather point by point share: the policies of a composition, bound to each
// other, the launch plan that all of them make together, and pre-passes.
#pragma once

#include <msda/parts/restage.cuh>
#include <msda/skeleton/evidence.cuh>
#include <msda/skeleton/plan.cuh>
#include <msda/skeleton/sized.cuh>
#include <msda/slots/arithmetic.cuh>
#include <msda/slots/cache.cuh>
#include <msda/slots/fetch.cuh>
#include <msda/slots/launch.cuh>
#include <msda/slots/layout.cuh>
#include <msda/slots/mapping.cuh>
#include <msda/slots/metadata.cuh>
#include <msda/slots/order.cuh>
#include <msda/slots/point_fetch.cuh>
#include <msda/slots/points.cuh>
#include <msda/slots/reader.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/slots/source.cuh>
#include <msda/slots/unroll.cuh>
#include <msda/storage.cuh>

namespace msda {

/// The default policies have no parameters.
struct NoParameters {};

/// Every slot with its default policy. A composition derives from this and overrides some slots.
template <class ProblemType>
struct GatherDefaults {
  using Problem = ProblemType;
  /// Of the kernels: those of `forward`, or of the operator whose policy fills slot points.
  using Arguments = ForwardArguments;
#define MSDA_DEFAULT(Name, name, Default) \
  template <class K>                      \
  using Name = Default<K, NoParameters>;
  MSDA_GATHER_SLOTS(MSDA_DEFAULT)
#undef MSDA_DEFAULT
};

/// The parts of the policies but the source.
template <class Before, class After, class K, class... More>
using GatherPartsAround =
    BlockStorage<Before, Part<kFetch, typename K::Fetch::Storage>,
                 Part<kMetadata, typename K::Metadata::Storage>,
                 Part<kPointFetch, typename K::PointFetch::Storage>,
                 Part<kSchedule, typename K::Schedule::Storage>, More..., After>;

/// A block's shared memory: the parts of the policies, and further ones of a skeleton. With
/// run-time level sizes the source is last, so that a launch needs no more than its pyramid's
/// levels.
template <class K, class... More>
using GatherParts = Conditional<
    K::Sizes::kFixed,
    GatherPartsAround<Part<kSource, typename K::Source::Storage>, Part<kSource, NoStorage>, K,
                      More...>,
    GatherPartsAround<LevelTablePart<K>, Part<kSource, typename K::Source::Storage>, K, More...>>;

/// Composition `C` with its policies bound to each other. `Self`, the skeleton's class that derives
/// from this one, is the policies' K.
template <class C, class Self, Structure structure = Structure{}>
struct Gather {
  using Problem = typename C::Problem;
  using Arguments = typename C::Arguments;
  using Sizes = Conditional<structure.by_warp, WarpSizes, typename SizesOf<Problem>::Type>;
  static constexpr Structure kStructure = structure;
#define MSDA_BIND(Name, name, Default) using Name = typename C::template Name<Self>;
  MSDA_GATHER_SLOTS(MSDA_BIND)
#undef MSDA_BIND
};

/// The boxes that TMA copies of a level: of the whole level if it is on chip, otherwise of points.
/// Of run-time level sizes those of the image, as of level 0.
template <class K>
constexpr BoxShape boxes_of(int level) {
  if (!K::Sizes::kFixed) return level == 0 ? K::Source::boxes(0) : BoxShape{};
  return K::Source::on_chip(level) ? K::Source::boxes(level) : K::Fetch::boxes(level);
}
template <class K>
inline constexpr bool kCopiesBoxes = [] {
  for (int l = 0; l < K::Problem::kLevels; ++l) {
    if (boxes_of<K>(l).element_bytes != 0) return true;
  }
  return false;
}();
/// The type of the main kernel's parameter.
template <class K>
using KernelArguments =
    Conditional<kCopiesBoxes<K>, MappedArguments<kMaps<K>, typename K::Arguments>,
                typename K::Arguments>;

/// The plan of a composition of a gathering skeleton.
template <class K>
constexpr LaunchPlan make_plan() {
  LaunchPlan plan = {};
  plan.main = kShape<K>;
  plan.tensors = kTensors<typename K::Arguments>;
#define MSDA_ADD_POLICY(Name, name, Default)                            \
  if constexpr (requires { typename K::Name; }) {                       \
    add_policy<typename K::Name, typename K::Arguments>(plan, k##Name); \
  }
  MSDA_GATHER_SLOTS(MSDA_ADD_POLICY)
  MSDA_PRODUCER_SLOTS(MSDA_ADD_POLICY)
#undef MSDA_ADD_POLICY
  if constexpr (kRestages<K>) {
    plan.workspace[kLayout] = Restage<K>::kWorkspace;
    add_pass<Restage<K>>(plan, kBefore, kLayout);
    plan.viewed_workspace = 1 + kLayout;
  }
  plan.persisting_tensor = K::Cache::kPersistValue ? 1 + plan.viewed_tensor : 0;
  for (int view = 0; view < kTexelViews; ++view) {
    plan.texel_bytes[view] = K::Reader::texel_bytes(view);
  }
  for (int l = 0; l < K::Problem::kLevels; ++l) {
    plan.texture[l] = K::Source::texture(l);
    plan.boxes[l] = boxes_of<K>(l);
  }
  plan.levels = kLevelsFrom<typename K::Sizes>;
  plan.resident = resident_budget<K>();
  add_evidence<K>(plan);
  return plan;
}

/// Runs the pre-pass of the policy of `slot`, if there is one. The pre-pass of slot layout converts
/// the values to another layout, another encoding, or both.
template <class K, int slot>
__device__ __forceinline__ void run_prepass(const typename K::Arguments& arguments) {
  if constexpr (slot == kLayout && kRestages<K>) run_pass<Restage<K>>(arguments);
#define MSDA_RUN_PREPASS(Name, name, Default)                        \
  if constexpr (slot == k##Name && requires { typename K::Name; }) { \
    run_pass_of<typename K::Name, kBefore>(arguments);               \
  }
  MSDA_GATHER_SLOTS(MSDA_RUN_PREPASS)
  MSDA_PRODUCER_SLOTS(MSDA_RUN_PREPASS)
#undef MSDA_RUN_PREPASS
}

}  // namespace msda
