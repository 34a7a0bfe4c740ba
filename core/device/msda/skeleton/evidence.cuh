// What a launch plan says for the sake of evidence: the slots' parts of shared memory, the sizes of
// tiles and points, and policies that have nothing to do.
#pragma once

#include <msda/composition.cuh>
#include <msda/slots/source.cuh>
#include <msda/storage.cuh>
#include <msda/walk.cuh>

namespace msda {

constexpr void copy_text(Remark& remark, const char* text) {
  for (unsigned i = 0; text[i] != 0 && i + 1 < sizeof(Remark); ++i) remark.text[i] = text[i];
}

/// A policy that has nothing to do in some compositions has a function that returns the reason:
///
///   static constexpr const char* idle() { return ... ? "why not" : nullptr; }
template <class Policy>
constexpr void add_idle(LaunchPlan& plan, int slot) {
  if constexpr (requires { Policy::idle(); }) {
    if (Policy::idle() != nullptr) copy_text(plan.idle[slot], Policy::idle());
  }
}

/// Marks producer warps that have nothing to produce, and their pipeline.
template <class K>
constexpr void add_idle_producers(LaunchPlan& plan) {
  if (K::Metadata::kIsCooperative || kFetchSteps<K> != 0) return;
  constexpr const char* kWhy =
      "no policy has producers compute taps or copy values: they have nothing to hand over";
  copy_text(plan.idle[kRoles], kWhy);
  copy_text(plan.idle[kPipeline], kWhy);
}

struct SharedParts {
  SharedPart of[kMostSlots];
  unsigned end;
};

/// The offsets of the parts of a block's shared memory: each begins at a multiple of 128 bytes.
template <int... slot, class... Storage>
constexpr SharedParts shared_parts(const PartList<Part<slot, Storage>...>*) {
  SharedParts parts = {};
  [[maybe_unused]] const auto add = [&](int of, unsigned bytes) {
    if (of != kLevelTable) parts.of[of] = {parts.end, bytes};
    parts.end += (bytes + 127) / 128 * 128;
  };
  (add(slot, kStorageBytes<Storage>), ...);
  return parts;
}

template <class K>
constexpr void add_evidence(LaunchPlan& plan) {
  constexpr SharedParts kParts = shared_parts(static_cast<typename K::Storage*>(nullptr));
  static_assert(kParts.end == kStorageBytes<typename K::Storage>, "a part lies elsewhere");
  for (int slot = 0; slot < kMostSlots; ++slot) plan.shared[slot] = kParts.of[slot];
  plan.tile_rows = kTileRows<K>;
  plan.resident_arrives_late = kResidentArrivesLate<K> ? 1 : 0;
  plan.point_bytes = kTaps<K> * K::Mapping::kVector *
                     static_cast<unsigned>(kElementBytes<typename K::Source::Value>);
#define MSDA_ADD_IDLE(Name, name, Default) \
  if constexpr (requires { typename K::Name; }) add_idle<typename K::Name>(plan, k##Name);
  MSDA_GATHER_SLOTS(MSDA_ADD_IDLE)
  MSDA_PRODUCER_SLOTS(MSDA_ADD_IDLE)
#undef MSDA_ADD_IDLE
  if constexpr (kIsSpecialised<K>) add_idle_producers<K>(plan);
}

}  // namespace msda
