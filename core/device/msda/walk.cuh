// The order in which the points of a row are visited, and the steps in which producers pass taps
// and values to consumers.
#pragma once

#include <msda/composition.cuh>
#include <msda/level_points.cuh>

namespace msda {

/// A batch: `points` points of a level from point `first` on.
struct Visit {
  int level;
  int first;
  int points;
};

/// The visits of a row, one for each batch.
template <class K>
struct Walk {
  using Problem = typename K::Problem;
  /// Visits of a level.
  static constexpr int visits_of(int level) {
    return (points_of<Problem>(level) + kBatch<K> - 1) / kBatch<K>;
  }
  static constexpr int kVisits = [] {
    int count = 0;
    for (int level = 0; level < Problem::kLevels; ++level) count += visits_of(level);
    return count;
  }();
  /// Visits whose values are in flight while those of one are blended.
  static constexpr int kAhead = K::Fetch::kAhead > 0 ? K::Fetch::kAhead
                                                     : (K::Unroll::kLoadsAhead ? 1 : 0);
  /// True when two visits begin together and the second, of the smaller level, is blended first.
  static constexpr bool kTwoAtATime =
      K::Unroll::kNearFirst && K::Unroll::kAlternates && kAhead == 0 && !K::Fetch::kStaged;
  /// True if the visits of a level are a loop; otherwise all visits of a row are unrolled.
  static constexpr bool kRolled = kAhead == 0 && !K::Unroll::kAlternates;

  /// The n-th visit. With kAlternates, levels 0 and L-1 alternate, then levels 1 and L-2, ...; the
  /// level with more visits ends by itself.
  static constexpr Visit visit(int n) {
    int level = 0;
    int other = K::Unroll::kAlternates ? Problem::kLevels - 1 : 0;  // of the pair
    const auto of_other = [&] { return other == level ? 0 : visits_of(other); };
    while (n >= visits_of(level) + of_other()) {
      n -= visits_of(level) + of_other();
      ++level;
      other = K::Unroll::kAlternates ? other - 1 : level;
    }
    const int own = visits_of(level);
    const int both = 2 * (own < of_other() ? own : of_other());
    int batch = n < both ? n / 2 : n - both / 2;
    if (n < both ? n % 2 == 1 : own < of_other()) level = other;
    const int first = batch * kBatch<K>;
    const int left = points_of<Problem>(level) - first;
    return {level, first, left < kBatch<K> ? left : kBatch<K>};
  }
  /// True when no visit before the n-th is of its level.
  static constexpr bool is_first_of_level(int n) {
    for (int before = 0; before < n; ++before) {
      if (visit(before).level == visit(n).level) return false;
    }
    return true;
  }
  /// True when the values of a level pass through the fetch slot's shared memory.
  static constexpr bool staged(int level) {
    return K::Fetch::kStaged && !K::Source::on_chip(level);
  }
  /// Number of staged visits in [first, last).
  static constexpr int staged_visits(int first = 0, int last = kVisits) {
    int count = 0;
    for (int n = first; n < last; ++n) count += staged(visit(n).level) ? 1 : 0;
    return count;
  }
};

/// True if two visits that begin together are first summed by themselves.
template <class K>
inline constexpr bool kSumsTwoBatches = [] {
  if constexpr (requires { K::Arithmetic::kSumsTwoBatches; }) {
    return K::Arithmetic::kSumsTwoBatches && Walk<K>::kTwoAtATime;
  }
  return false;
}();

/// Steps of a tile in which producers pass values, one batch in each step.
template <class K>
inline constexpr int kFetchSteps = kProducerThreads<K> != 0 && K::Fetch::kByProducers
                                       ? Walk<K>::staged_visits()
                                       : 0;

/// Stages of the pipeline slot; 0 without producers.
template <class K>
inline constexpr int kPipelineStages = [] {
  if constexpr (kProducerThreads<K> == 0) return 0;
  if constexpr (kFetchSteps<K> != 0) return K::Fetch::kStages;
  if constexpr (kIsSpecialised<K>) return K::Roles::kStages;
  return 0;
}();

/// Tap buffers in shared memory, one for each tile. With producers that copy values too, consumers
/// release the stage of the taps immediately (holding it would stall the ring), and a buffer may be
/// reused once a stage of the next tile has been released; otherwise after the tile.
template <class K>
inline constexpr int kTapBuffers = [] {
  if (kProducerThreads<K> == 0 || !K::Metadata::kIsCooperative) return 1;
  if (kFetchSteps<K> == 0) return kPipelineStages<K>;
  const int steps = 1 + kFetchSteps<K>;
  return 1 + (kPipelineStages<K> + steps - 1) / steps;
}();

}  // namespace msda
