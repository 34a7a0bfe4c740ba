// Each lane adds the channels that it reads, for the corners of its side. Where a sum is wider than
// a value, or reds are scalar, an instruction fills parts of sectors: the costly way, kept to show.
#pragma once

#include <backward/red_map.cuh>

namespace msda::lane_reds {

template <class K, class Parameters>
struct RedMap {
  using Lanes = typename K::Lanes;
  static constexpr bool kPartial = true;
  static constexpr int kRead = Lanes::kVector;
  static constexpr int kVector = Parameters::scalar                ? 1
                                 : kRead < K::Accumulator::kWidest ? kRead
                                                                   : K::Accumulator::kWidest;
  static constexpr int kParts = kRead / kVector;  ///< instructions for a vector that was read
  static constexpr int kChunks = K::Problem::kChannels / kVector;
  static constexpr int kSpan = Lanes::kLanesPerSide;
  static constexpr int kOwn = Lanes::kOwn * kParts;
  static constexpr int kPerStep = Lanes::kSides;
  static constexpr int kSteps = 4 / kPerStep;

  __device__ static int chunk(int n) { return Place<K>::chunk(n / kParts) * kParts + n % kParts; }
  __device__ static int corner(int step) { return step * kPerStep + Place<K>::side(); }
};

}  // namespace msda::lane_reds
