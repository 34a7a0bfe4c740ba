// Slot "red-map": which lanes of a row add which channels of which corners.
//
// A red that fills whole sectors of 32 bytes is bound by bandwidth; one that touches a part of a
// sector costs as much as the whole (on H200: 3.9 TB/s, or 105 G sectors/s).
#pragma once

#include <backward/accumulator.cuh>
#include <backward/lanes.cuh>

namespace msda {

/// A red instruction adds `kVector` channels of each lane. `kSpan` neighbouring lanes cover a
/// corner's row together in `kOwn` instructions; `kPerStep` corners have lanes at the same time,
/// and all four have had theirs after `kSteps` steps.
///
/// - chunk(n) returns the lane's n-th vector of the row: kChunks or more: none;
/// - corner(step) returns its corner, column + 2 * row: 4 or more: none;
/// - `kPartial`: instructions may fill parts of sectors.
template <class Policy, class K>
concept RedMapPolicy = requires(int i) {
  requires kConstant<int, Policy::kVector>;
  requires kConstant<int, Policy::kChunks>;
  requires kConstant<int, Policy::kSpan>;
  requires kConstant<int, Policy::kOwn>;
  requires kConstant<int, Policy::kPerStep>;
  requires kConstant<int, Policy::kSteps>;
  requires kConstant<bool, Policy::kPartial>;
  { Policy::chunk(i) } -> Same<int>;
  { Policy::corner(i) } -> Same<int>;
};

/// The contract of each red-map: neighbouring lanes add neighbouring vectors, so that an
/// instruction's part of a corner's row is contiguous, and it has whole sectors wherever the row's
/// lanes could fill some with words of 16 bytes, or the widest that the accumulator has.
template <class K>
inline constexpr bool kFillsSectors = [] {
  constexpr int kSector = 32;
  constexpr int kSize = static_cast<int>(sizeof(typename K::Accumulator::Element));
  constexpr int kRow = K::Problem::kChannels * kSize;
  constexpr int kReach = K::Lanes::kLanes * widest_word(kRow, K::Accumulator::kWidest * kSize);
  constexpr int kFilled = K::RedMap::kSpan * K::RedMap::kVector * kSize;
  return K::RedMap::kPartial || kRow % kSector != 0 || kReach < kSector || kFilled % kSector == 0;
}();

/// Default: vectors as wide as a red instruction, dealt to all lanes of the row, whatever they
/// read.
template <class K, class Parameters>
struct SectorRedMap {
  using Problem = typename K::Problem;
  static constexpr bool kPartial = false;
  static constexpr int kSize = static_cast<int>(sizeof(typename K::Accumulator::Element));
  static constexpr int kVector =
      widest_word(Problem::kChannels * kSize, K::Accumulator::kWidest* kSize) / kSize;
  static constexpr int kChunks = Problem::kChannels / kVector;
  static constexpr int kSpan =
      power_of_two_from(kChunks) < K::Lanes::kLanes ? power_of_two_from(kChunks) : K::Lanes::kLanes;
  static constexpr int kOwn = (kChunks + kSpan - 1) / kSpan;
  static constexpr int kPerStep = K::Lanes::kLanes / kSpan;
  static constexpr int kSteps = kPerStep >= 4 ? 1 : 4 / kPerStep;

  __device__ static int chunk(int n) { return Place<K>::lane() % kSpan + n * kSpan; }
  __device__ static int corner(int step) { return step * kPerStep + Place<K>::lane() / kSpan; }
};

}  // namespace msda
