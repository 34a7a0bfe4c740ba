// A bound from each row's weights and gradient, wherever its points lie: as if all rows added to
// one pixel. Coarse, and quick: exact enough where what is read and written has 16 bits.
#pragma once

#include <backward/lanes.cuh>
#include <shared_fixed/mass.cuh>

namespace msda::shared_fixed {

/// Some lanes of a warp read a row together, and a thread some rows before it uses one, since
/// nothing else hides the latency of these loads.
template <class K>
class Rows {
  using Problem = typename K::Problem;
  using Weight = typename Problem::Weight;
  static constexpr int kChunks = GradientPart<K, 1>::kChunks;
  static constexpr int kLanes = [] {
    constexpr int kWanted =
        power_of_two_from(kChunks > Problem::kLevels ? kChunks : Problem::kLevels);
    return kWanted < simt::kWarpLanes ? kWanted : simt::kWarpLanes;
  }();
  static constexpr int kThreads = K::Lanes::kThreads;
  static constexpr int kBlockRows = kThreads / kLanes;
  /// Weights of a level, in words.
  static constexpr int kSize = static_cast<int>(sizeof(Weight));
  static constexpr int kVector = widest_word(Problem::kPoints * kSize) / kSize;
  static constexpr int kWords = Problem::kPoints / kVector;
  static constexpr int kOwnLevels = (Problem::kLevels + kLanes - 1) / kLanes;
  static constexpr int kTogether = kWords * kOwnLevels == 1 ? 4 : 1;

  struct Part {
    GradientPart<K, kLanes> gradient;
    Vector<Weight, kVector> weights[kOwnLevels][kWords];
  };

 public:
  struct Storage {};
  static constexpr bool kAdds = true;

  template <class Levels>
  __device__ Rows(const backward::Arguments& arguments, const Levels&, Storage&, int*)
      : arguments_(arguments) {}

  /// This thread's part of the item's mass: their sums add up to that of the block. Called by all
  /// threads.
  __device__ Mass of(const WorkItem& item) const {
    Mass mass = {0.0F, 0.0F};
    for (long long first = item.first; first < item.last; first += kTogether * kBlockRows) {
      Part parts[kTogether];
#pragma unroll
      for (int t = 0; t < kTogether; ++t)
        read(parts[t], number_of<K>(arguments_, item, row(first, t)));
#pragma unroll
      for (int t = 0; t < kTogether; ++t) {
        const Mass of_row = add_up(parts[t]);
        if (row(first, t) >= item.last) continue;
        if (GradientPart<K, kLanes>::lane() == 0) mass.sum += of_row.sum;
        mass.largest = larger(of_row.largest, mass.largest);
      }
    }
    return mass;
  }

 private:
  __device__ static long long row(long long first, int t) {
    return first + t * kBlockRows + static_cast<int>(simt::thread()) / kLanes;
  }
  __device__ static int level(int n) { return GradientPart<K, kLanes>::lane() + n * kLanes; }

  __device__ void read(Part& part, long long number) const {
    part.gradient.read(arguments_, number);
    const auto* weights = static_cast<const Weight*>(arguments_.weights) +
                          number * (Problem::kLevels * Problem::kPoints);
#pragma unroll
    for (int n = 0; n < kOwnLevels; ++n) {
      if (level(n) >= Problem::kLevels) continue;
#pragma unroll
      for (int w = 0; w < kWords; ++w) {
        part.weights[n][w] =
            Vector<Weight, kVector>::read(weights + level(n) * Problem::kPoints + w * kVector,
                                          [](const auto* p) { return ptx::ldg(p); });
      }
    }
  }

  /// Of a row, in all its lanes: the level where most meets counts. All lanes of the warp call it,
  /// converged.
  __device__ static Mass add_up(const Part& part) {
    Mass most = {0.0F, 0.0F};
#pragma unroll
    for (int n = 0; n < kOwnLevels; ++n) {
      if (level(n) >= Problem::kLevels) continue;
      float sum = 0.0F;
#pragma unroll
      for (int p = 0; p < Problem::kPoints; ++p) {
        const float weight = to_float(part.weights[n][p / kVector].element[p % kVector]);
        sum += fabsf(weight);
        most.largest = larger_magnitude(most.largest, weight);
      }
      most.sum = larger_magnitude(most.sum, sum);
    }
#pragma unroll
    for (int step = kLanes / 2; step > 0; step /= 2) {
      most = {larger_magnitude(most.sum, simt::shfl_xor_sync(most.sum, step)),
              larger_magnitude(most.largest, simt::shfl_xor_sync(most.largest, step))};
    }
    const float gradient = part.gradient.largest();
    return {most.sum * gradient, most.largest * gradient};
  }

  const backward::Arguments& arguments_;
};

}  // namespace msda::shared_fixed
