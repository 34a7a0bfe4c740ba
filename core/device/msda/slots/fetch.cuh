// Slot "fetch": how values travel from the source to the registers of the lane that blends them.
#pragma once

#include <msda/parts/taps.cuh>
#include <msda/slots/pipeline.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/vector.cuh>

namespace msda {

/// A fetch that stages in shared memory, batch by batch, the values of levels that are not on chip.
/// All consumers call these in the same order; `stage`, 0 .. kAhead, numbers the batches in flight.
///
/// - begin<level, points>(source, base, item, head, stage, r, taps) issues the copies of the values
///   of the lane's r-th row; commit(stage) ends the copies of all rows of the lane;
/// - wait<pending>(stage) returns when the copies have arrived; `pending` batches were begun later;
/// - read<points>(stage, r, values) reads the row's values; release(stage): the lane has read all.
template <class Policy, class K>
concept StagedFetch = requires(
    Policy& policy, const typename K::Source& source, const typename K::Source::Base& base,
    const WorkItem& item, const Taps<K> (&taps)[kBatch<K>],
    Vector<typename K::Source::Value, K::Mapping::kVector> (&values)[kBatch<K>][kTaps<K>]) {
  policy.template begin<0, 1>(source, base, item, 0, 0, 0, taps);
  policy.commit(0);
  policy.template wait<0>(0);
  policy.template read<1>(0, 0, values);
  policy.release(0);
};

/// A fetch whose values are copied by producer warps:
///
/// - prepare(arguments, storage): called once by all threads, before a barrier of the block;
/// - produce<level, points>(arguments, storage, item, stage, offset_of, head_of): called by all
///   producers. Copies the values of all rows of a tile; offset_of(row, point of the batch) and
///   head_of(row) say which;
/// - follow(stages): called by each consumer before its first tile, with its view of the pipeline.
template <class Policy, class K>
concept ProducedFetch = requires(Policy& policy, Stages<K>& stages, const Arguments& arguments,
                                 typename Policy::Storage& storage, const WorkItem& item,
                                 typename K::Source::Offset (*offset_of)(int, int),
                                 int (*head_of)(int)) {
  Policy::prepare(arguments, storage);
  Policy::template produce<0, 1>(arguments, storage, item, 0, offset_of, head_of);
  policy.follow(stages);
};

/// An object for each consumer:
///
/// - `kStaged`: the policy is a StagedFetch; `kAhead`: batches in flight while one is blended;
/// - `kByProducers`: in a block with producer warps, the policy is a ProducedFetch too and has
///   `kStages` stages;
/// - boxes(level) returns the tensor from which it copies boxes; of element size 0: none.
template <class Policy, class K>
concept FetchPolicy = requires {
  requires HasStorage<Policy>;
  requires kConstant<bool, Policy::kStaged>;
  requires !Policy::kStaged || StagedFetch<Policy, K>;
  requires kConstant<int, Policy::kAhead>;
  requires kConstant<bool, Policy::kByProducers>;
  requires kConstant<int, Policy::kStages>;
  requires(kFetchSteps<K> == 0 || ProducedFetch<Policy, K>);
  { Policy::boxes(0) } -> Same<BoxShape>;
};

/// Default: loads into registers.
template <class K, class Parameters>
struct LoadFetch {
  static constexpr bool kStaged = false;
  static constexpr int kAhead = 0;
  static constexpr bool kByProducers = false;
  static constexpr int kStages = 0;
  struct Storage {};

  static constexpr BoxShape boxes(int) { return {}; }

  __device__ LoadFetch(const Arguments&, Storage&) {}
};

}  // namespace msda
