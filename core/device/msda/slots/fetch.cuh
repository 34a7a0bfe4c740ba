// Slot "fetch": the way of the values from the source to the registers of the lane that blends
// them.
#pragma once

#include <msda/parts/taps.cuh>
#include <msda/slots/pipeline.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/vector.cuh>

namespace msda {

/// A fetch that stages values in shared memory, those that the source does not have on chip, batch
/// by batch. `stage`, 0 .. kAhead, tells batches apart that are in flight together.
///
/// - begin<level, points>(source, base, item, head, stage, r, taps): issues the copies of the
///   values of the lane's r-th row; commit(stage): those of all its rows are issued;
/// - wait<pending>(stage): they are there; `pending` batches began later;
/// - read<points>(stage, r, values): to registers; release(stage): they have been blended.
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

/// A fetch whose values producer warps copy:
///
/// - prepare(arguments, storage): done by all threads, before a barrier of the block;
/// - produce<level, points>(arguments, storage, item, stage, offset_of, head_of): done by
/// producers.
///   Copies the values of all rows of a tile, from the offsets of points (row, point of the batch)
///   and the heads of rows;
/// - follow(stages): tells a consumer's object where it is.
template <class Policy, class K>
concept ProducedFetch = requires(Policy& policy, Stages<K>& stages, const Arguments& arguments,
                                 typename Policy::Storage& storage, const WorkItem& item,
                                 typename K::Source::Offset (*offset_of)(int, int),
                                 int (*head_of)(int)) {
  Policy::prepare(arguments, storage);
  Policy::template produce<0, 1>(arguments, storage, item, 0, offset_of, head_of);
  policy.follow(stages);
};

/// - `kStaged`: the policy is a StagedFetch; `kAhead`: batches in flight while one is blended;
/// - `kByProducers`: it is a ProducedFetch too, where the block has producer warps, which fill
///   `kStages` stages;
/// - boxes(level): the tensor that it asks for; of element size 0: none.
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
