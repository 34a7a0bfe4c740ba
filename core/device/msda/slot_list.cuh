// The slots of the family of skeletons that gather point by point. The slots' numbers, the aliases
// of a composition (skeleton/composed.cuh), its launch plan and pre-passes, and the host's table of
// slots (core/src/compose/skeleton.cpp) are made from this list. Host and device share this file.
#pragma once

#include <msda/launch.cuh>

/// SLOT(Name, "name", Default): the policy's alias in a composition, the slot's name in plugins and
/// documents, and the default policy. k<Name> is the enumerator, <Name>Policy the concept.
/// Pre-passes run in this order.
#define MSDA_GATHER_SLOTS(SLOT)                     \
  SLOT(Arithmetic, "arithmetic", FloatArithmetic)   \
  SLOT(Layout, "layout", StoredLayout)              \
  SLOT(Reader, "reader", AddressReader)             \
  SLOT(Source, "source", GlobalSource)              \
  SLOT(Mapping, "mapping", ChannelPerLane)          \
  SLOT(Order, "order", StoredOrder)                 \
  SLOT(Schedule, "schedule", GridSchedule)          \
  SLOT(Metadata, "metadata", InlineMetadata)        \
  SLOT(PointFetch, "point-fetch", DirectPointFetch) \
  SLOT(Cache, "cache", DefaultCache)                \
  SLOT(Unroll, "unroll", OnePoint)                  \
  SLOT(Fetch, "fetch", LoadFetch)                   \
  SLOT(Launch, "launch", OrderedLaunch)             \
  SLOT(Points, "points", GivenPoints)

/// Further slots of the specialised skeleton.
#define MSDA_PRODUCER_SLOTS(SLOT)        \
  SLOT(Roles, "roles", TwoProducerWarps) \
  SLOT(Pipeline, "pipeline", MbarrierPipeline)

namespace msda {

/// Numbers of the slots in launch plans and arguments.
enum GatherSlot : int {
#define MSDA_ENUMERATOR(Name, name, Default) k##Name,
  MSDA_GATHER_SLOTS(MSDA_ENUMERATOR) MSDA_PRODUCER_SLOTS(MSDA_ENUMERATOR)
#undef MSDA_ENUMERATOR
      kGatherSlots
};
static_assert(kGatherSlots <= kMostSlots);

}  // namespace msda
