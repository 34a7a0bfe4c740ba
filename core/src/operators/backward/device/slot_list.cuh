// The slots of the skeleton of operator `backward`, in the order of their numbers. Host and device
// share this file.
#pragma once

#include <msda/slot_list.cuh>

/// Slots of its own; SLOT as in MSDA_GATHER_SLOTS.
#define MSDA_BACKWARD_SLOTS(SLOT)                      \
  SLOT(Accumulator, "accumulator", Float32Accumulator) \
  SLOT(Lanes, "lanes", RowLanes)                       \
  SLOT(RedMap, "red-map", SectorRedMap)                \
  SLOT(Sum, "sum", L2RedSum)                           \
  SLOT(Dots, "dots", ShuffledDots)

/// Slots that it shares with the gathering skeletons, whose policies serve both, the first of them
/// under the same numbers; and three more of its own, which would shift these.
#define MSDA_BACKWARD_SHARED_SLOTS(SLOT)   \
  SLOT(Order, "order", StoredOrder)        \
  SLOT(Schedule, "schedule", GridSchedule) \
  SLOT(Cache, "cache", DefaultCache)       \
  SLOT(Values, "values", GlobalValuesOf)   \
  SLOT(Points, "points", GivenPoints)      \
  SLOT(Fusion, "fusion", OneKernel)        \
  SLOT(Clear, "clear", LauncherClear)

namespace msda::backward {

enum Slot : int {
#define MSDA_ENUMERATOR(Name, name, Default) k##Name,
  MSDA_BACKWARD_SLOTS(MSDA_ENUMERATOR) MSDA_BACKWARD_SHARED_SLOTS(MSDA_ENUMERATOR)
#undef MSDA_ENUMERATOR
};
// Policies find their workspace by these.
static_assert(int{kOrder} == int{msda::kOrder} && int{kSchedule} == int{msda::kSchedule});

}  // namespace msda::backward
