// Slot "fetch": the way of the values from the source to the registers of the lane that blends
// them.
#pragma once

#include <msda/launch.cuh>

namespace msda {

/// Default: loads into registers. A policy may instead stage values in shared memory (kStaged),
/// those that the source slot does not have on chip, batch by batch. Its Reader then has
///
/// - begin<level>(source, base, item, head, place, r, taps): the values of the lane's r-th row set
///   out; commit(place): those of all its rows have;
/// - wait<pending>(place): they are there; `pending` batches began later;
/// - read<points>(place, r, values), and release(place) when they have been blended.
///
/// `place`, 0 .. kAhead, tells batches apart that are in flight together. A policy whose values
/// producer warps copy (kByProducers) has kStages stages for them, and a Producer with
///
/// - produce<level, points>(item, stage, place_of, head_of): the values of all rows of a tile, from
///   the places of points (row, point of the batch) and the heads of rows;
///
/// its Reader has follow(stages), which tells it where the consumers are.
template <class Problem, class Parameters>
struct LoadFetch {
  static constexpr Slot kSlot = kFetch;
  static constexpr bool kStaged = false;
  /// True when producer warps copy the values, where the block has any.
  static constexpr bool kByProducers = false;
  /// Stages that they fill.
  static constexpr int kStages = 0;
  /// Batches in flight while one is blended.
  template <class K>
  static constexpr int kAhead = 0;
  template <class K>
  static constexpr unsigned kSharedBytes = 0;

  /// Of the specialised skeleton: done by all threads, before a barrier of the block.
  template <class K>
  __device__ static void prepare(const Arguments& arguments, unsigned char* shared) {
    static_cast<void>(arguments);
    static_cast<void>(shared);
  }
  template <class K>
  class Reader {
   public:
    __device__ Reader(const Arguments& arguments, unsigned char* shared) {
      static_cast<void>(arguments);
      static_cast<void>(shared);
    }
  };
  template <class K>
  using Producer = Reader<K>;
};

}  // namespace msda
