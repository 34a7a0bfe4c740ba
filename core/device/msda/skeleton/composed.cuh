// What the skeletons that gather point by point share: the policies of a composition, bound to each
// other, and what follows from all of them together.
#pragma once

#include <msda/skeleton/evidence.cuh>
#include <msda/skeleton/plan.cuh>
#include <msda/slots/arithmetic.cuh>
#include <msda/slots/cache.cuh>
#include <msda/slots/fetch.cuh>
#include <msda/slots/launch.cuh>
#include <msda/slots/layout.cuh>
#include <msda/slots/mapping.cuh>
#include <msda/slots/metadata.cuh>
#include <msda/slots/order.cuh>
#include <msda/slots/pipeline.cuh>
#include <msda/slots/reader.cuh>
#include <msda/slots/restage.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/slots/source.cuh>
#include <msda/slots/unroll.cuh>
#include <msda/storage.cuh>

namespace msda {

/// Parameters of the default policies: they have none.
struct NoParameters {};

/// Every slot with its default policy. A composition derives from this and names those it fills
/// anew.
template <class ProblemType>
struct GatherDefaults {
  using Problem = ProblemType;
  static constexpr int kPass = 0;
#define MSDA_DEFAULT(Name, name, Default) \
  template <class K>                      \
  using Name = Default<K, NoParameters>;
  MSDA_GATHER_SLOTS(MSDA_DEFAULT)
#undef MSDA_DEFAULT
};

/// Composition `C` with its policies bound to each other: `Self` is the skeleton's class that
/// derives from this one, and what they call K.
template <class C, class Self>
struct Gather {
  using Problem = typename C::Problem;
  static constexpr int kPass = C::kPass;
#define MSDA_BIND(Name, name, Default) using Name = typename C::template Name<Self>;
  MSDA_GATHER_SLOTS(MSDA_BIND)
#undef MSDA_BIND
};

/// The policies' parts of a block's shared memory, and those that a skeleton adds. Those of a slot
/// lie side by side, pass by pass.
template <class K, class... More>
using GatherParts =
    BlockStorage<Part<kSource, typename Pass<K, 0>::Source::Storage>,
                 Part<second(kSource), InSecondPass<K, typename LastPass<K>::Source::Storage>>,
                 Part<kFetch, typename Pass<K, 0>::Fetch::Storage>,
                 Part<second(kFetch), InSecondPass<K, typename LastPass<K>::Fetch::Storage>>,
                 Part<kMetadata, typename Pass<K, 0>::Metadata::Storage>,
                 Part<second(kMetadata), InSecondPass<K, typename LastPass<K>::Metadata::Storage>>,
                 Part<kPipeline, typename Pass<K, 0>::Pipeline::Storage>,
                 Part<second(kPipeline), InSecondPass<K, typename LastPass<K>::Pipeline::Storage>>,
                 Part<kSchedule, typename K::Schedule::Storage>, More...>;

/// The boxes that a level is copied by: whole to the chip, or those that points read.
template <class K>
constexpr BoxShape boxes_of(int level) {
  return K::Source::on_chip(level) ? K::Source::boxes(level) : K::Fetch::boxes(level);
}
/// Those of all levels, in every pass from `pass` on.
template <class K, int pass = 0>
constexpr void add_boxes(BoxShape (&boxes)[kLevelLimit]) {
  using In = Pass<K, pass>;
  for (int l = 0; l < In::Problem::kLevels; ++l) {
    boxes[whole_level<typename In::Problem>(l)] = boxes_of<In>(l);
  }
  if constexpr (pass + 1 < kPasses<K>) add_boxes<K, pass + 1>(boxes);
}
template <class K>
inline constexpr bool kCopiesBoxes = [] {
  BoxShape boxes[kLevelLimit] = {};
  add_boxes<K>(boxes);
  for (const BoxShape& box : boxes) {
    if (box.element_bytes != 0) return true;
  }
  return false;
}();
/// The parameter of the main kernel.
template <class K>
using KernelArguments = Either<kCopiesBoxes<K>, MappedArguments<K::Problem::kLevels>, Arguments>;

/// The plan of a composition of a gathering skeleton.
template <class K>
constexpr LaunchPlan make_plan() {
  LaunchPlan plan = {};
  plan.main = kShape<K>;
#define MSDA_ADD_POLICY(Name, name, Default) \
  if constexpr (requires { typename K::Name; }) add_policy<typename K::Name>(plan, k##Name);
  MSDA_GATHER_SLOTS(MSDA_ADD_POLICY)
  MSDA_PRODUCER_SLOTS(MSDA_ADD_POLICY)
#undef MSDA_ADD_POLICY
  if constexpr (kRestages<K>) {
    plan.workspace[kLayout] = Restage<K>::kWorkspace;
    add_prepass<Restage<K>>(plan, kLayout);
  }
  plan.persist_value = K::Cache::kPersistValue;
  for (int view = 0; view < kTexelViews; ++view) {
    plan.texel_bytes[view] = K::Reader::texel_bytes(view);
  }
  for (int l = 0; l < K::Problem::kLevels; ++l) plan.texture[l] = K::Source::texture(l);
  add_boxes<K>(plan.boxes);
  add_evidence<K>(plan);
  return plan;
}

/// The pre-pass of the policy that fills `slot`; empty when it has none. That of the layout slot
/// copies values into another layout, encoding, or both.
template <class K, Slot slot>
__device__ __forceinline__ void run_prepass(const Arguments& arguments) {
  if constexpr (slot == kLayout && kRestages<K>) run_prepass_of<Restage<K>>(arguments);
#define MSDA_RUN_PREPASS(Name, name, Default)                                 \
  if constexpr (slot == k##Name && requires { typename K::Name::Prepass; }) { \
    run_prepass_of<typename K::Name::Prepass>(arguments);                     \
  }
  MSDA_GATHER_SLOTS(MSDA_RUN_PREPASS)
  MSDA_PRODUCER_SLOTS(MSDA_RUN_PREPASS)
#undef MSDA_RUN_PREPASS
}

}  // namespace msda
