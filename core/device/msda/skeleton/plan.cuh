// From a composition to what the host must know to launch it, and its pre-passes.
#pragma once

#include <msda/launch.cuh>
#include <msda/simt/thread.cuh>
#include <msda/skeleton/composed.cuh>
#include <msda/slots/restage.cuh>

namespace msda {

/// Slot to policy.
template <class K, Slot slot>
struct PolicyOf;
#define MSDA_POLICY_OF(SLOT, MEMBER) \
  template <class K>                 \
  struct PolicyOf<K, SLOT> {         \
    using Type = typename K::MEMBER; \
  }
MSDA_POLICY_OF(kLayout, Layout);
MSDA_POLICY_OF(kArithmetic, Arithmetic);
MSDA_POLICY_OF(kSource, Source);
MSDA_POLICY_OF(kMapping, Mapping);
MSDA_POLICY_OF(kOrder, Order);
MSDA_POLICY_OF(kSchedule, Schedule);
MSDA_POLICY_OF(kMetadata, Metadata);
MSDA_POLICY_OF(kPipeline, Pipeline);
MSDA_POLICY_OF(kCache, Cache);
MSDA_POLICY_OF(kUnroll, Unroll);
MSDA_POLICY_OF(kFetch, Fetch);
#undef MSDA_POLICY_OF

/// Any policy may declare a workspace, and a pre-pass that fills it before the main kernel:
///
///   template <class K> static constexpr Extent kWorkspace = {...};
///   static constexpr bool kZeroed = true;  // the host clears the workspace before each launch
///   template <class K> static constexpr LaunchShape kPrepassShape = {...};
///   template <class K> __device__ static void prepass(const Arguments&, unsigned char* shared);
template <class K, Slot slot>
constexpr void add_to_plan(LaunchPlan& plan) {
  using Policy = typename PolicyOf<K, slot>::Type;
  if constexpr (requires { Policy::template kWorkspace<K>; }) {
    plan.workspace[slot] = Policy::template kWorkspace<K>;
  }
  if constexpr (requires { Policy::kZeroed; }) plan.zeroed[slot] = Policy::kZeroed;
  if constexpr (requires { Policy::template kPrepassShape<K>; }) {
    plan.has_prepass[slot] = 1;
    plan.prepass[slot] = Policy::template kPrepassShape<K>;
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

/// The pre-pass of the policy that fills `slot`; empty when it has none. That of the layout slot
/// copies values into another layout, encoding, or both.
template <class K, Slot slot>
__device__ __forceinline__ void run_prepass(const Arguments& arguments) {
  if constexpr (slot == kLayout) {
    if constexpr (kRestages<K>) Restage<K>::run(arguments);
  } else if constexpr (slot < kRoles) {
    using Policy = typename PolicyOf<K, slot>::Type;
    if constexpr (requires { Policy::template kPrepassShape<K>; }) {
      Policy::template prepass<K>(arguments, simt::shared_memory());
    }
  }
}

}  // namespace msda
