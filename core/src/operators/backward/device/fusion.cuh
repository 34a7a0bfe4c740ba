// Slot "fusion": whether one kernel gathers values and adds to grad_value, or two.
#pragma once

#include <backward/arguments.cuh>
#include <backward/slot_list.cuh>
#include <msda/skeleton/sized.cuh>
#include <msda/slots/points.cuh>
#include <msda/slots/schedule.cuh>

namespace msda {

/// - `kDivided`: a pass before the main kernel adds to grad_value, and the main kernel leaves the
///   gradients of points; the pass is `Prepass`;
/// - `kBeside`: the pass before that writes grad_value, or lists points for one after, runs beside
///   the main kernel, in a branch of the launch where the launcher has one.
template <class Policy, class K>
concept FusionPolicy = requires {
  requires kConstant<bool, Policy::kDivided>;
  requires kConstant<bool, Policy::kBeside>;
};

/// Default: one kernel.
template <class K, class Parameters>
struct OneKernel {
  static constexpr bool kDivided = false;
  static constexpr bool kBeside = false;
};

/// Whether passes of the accumulator write grad_value.
template <class K>
inline constexpr bool kAddsApart = [] {
  if constexpr (requires { K::Accumulator::kAddsApart; }) return K::Accumulator::kAddsApart;
  return false;
}();

/// Whether a policy has a workspace.
template <class Policy>
inline constexpr bool kHasWorkspace = [] {
  if constexpr (requires { Policy::kWorkspace; }) {
    constexpr Extent kExtent = Policy::kWorkspace;
    return kExtent.fixed + kExtent.per_image + kExtent.per_query + kExtent.per_pixel != 0;
  }
  return false;
}();

/// Whether the composition may be divided: both kinds of gradients are asked for, no counters of
/// the schedule are used twice, and with run-time level sizes nothing is kept on chip, for which
/// the main kernel alone has ways.
template <class K>
inline constexpr bool kMayBeDivided =
    backward::kIsAsked<K, backward::kGradValue>&& backward::kAsksForPoints<K> && !kAddsApart<K> &&
    !kHasWorkspace<typename K::Schedule> && (K::Sizes::kFixed || kResidentChoices<K> == 0);
template <class K>
inline constexpr bool kIsDivided = K::Fusion::kDivided&& kMayBeDivided<K>;

/// Whether the pass before that writes grad_value runs beside the main kernel. Where points are
/// made of other tensors the main kernel, too, writes to grad_value: NaN of rows that are lost.
template <class K>
inline constexpr bool kIsBeside =
    K::Fusion::kBeside && !kMakesPoints<K> &&
    (kIsDivided<K> || (kAddsApart<K> && backward::kIsAsked<K, backward::kGradValue>));

namespace backward {

template <class K>
__device__ __forceinline__ void run(const Arguments& arguments);
template <class K>
__device__ inline void leave_nan(const Arguments& arguments);

/// A pass has no way for levels in shared memory.
template <class K>
inline constexpr Structure kStructureOfPass = [] {
  if constexpr (K::Sizes::kFixed)
    return Structure{};
  else
    return kStructureOf<K, 0>;
}();

/// The pass of a divided composition: the same kernel without the products.
template <class K>
struct AddAlone {
  using Adds = typename K::template AddsAlone<kStructureOfPass<K>>;
  static constexpr LaunchShape kShape = msda::kShape<Adds>;
  using Storage = typename Adds::Storage;

  __device__ static void run(const Arguments& arguments, Storage&) {
    if constexpr (K::Sizes::kStored) {
      with_structure_or<Adds>(
          arguments,
          [&]<Structure structure>() {
            backward::run<typename K::template AddsAlone<structure>>(arguments);
          },
          [&] { leave_nan<Adds>(arguments); });
    } else {
      backward::run<Adds>(arguments);
    }
  }
};

}  // namespace backward
}  // namespace msda
