// The slots of the skeletons that gather point by point. The enumeration Slot (launch.cuh), the
// aliases of a composition (skeleton/composed.cuh), its launch plan and pre-passes
// (skeleton/plan.cuh) and the host's table of slots (core/src/compose/skeleton.cpp) are made from
// this list. Host and device share this file.
#pragma once

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
  SLOT(Launch, "launch", OrderedLaunch)

/// Further slots of the specialised skeleton.
#define MSDA_PRODUCER_SLOTS(SLOT)        \
  SLOT(Roles, "roles", TwoProducerWarps) \
  SLOT(Pipeline, "pipeline", MbarrierPipeline)
