// From a composition to what the host must know to launch it, and its pre-passes.
#pragma once

#include <msda/launch.cuh>
#include <msda/simt/thread.cuh>
#include <msda/skeleton/composed.cuh>
#include <msda/slots/restage.cuh>

namespace msda {

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
MSDA_LEVEL_OF(kFetch, Fetch);
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
  add_to_plan<K, kFetch>(plan);
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
  if constexpr (requires { K::Fetch::template kBoxes<K>(0); }) {
    for (int l = 0; l < K::Problem::kLevels; ++l) plan.boxes[l] = K::Fetch::template kBoxes<K>(l);
  }
  return plan;
}

/// The pre-pass of the level that fills `slot`; empty when it has none. That of the layout slot
/// copies values into another layout, encoding, or both.
template <class K, Slot slot>
__device__ __forceinline__ void run_prepass(const Arguments& arguments) {
  if constexpr (slot == kLayout) {
    if constexpr (kRestages<K>) Restage<K>::run(arguments);
  } else if constexpr (slot < kRoles) {
    using Level = typename LevelOf<K, slot>::Type;
    if constexpr (requires { Level::template kPrepassShape<K>; }) {
      Level::template prepass<K>(arguments, simt::shared_memory());
    }
  }
}

}  // namespace msda
