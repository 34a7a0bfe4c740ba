// A bound from each row's weights and gradient, wherever its points lie: as if all rows added to
// one pixel. Coarse, and quick: exact enough where what is read and written has 16 bits.
#pragma once

#include <backward/lanes.cuh>
#include <backward/points.cuh>
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
  static constexpr int kVector = widest_word(kPointsDivisor<Problem> * kSize) / kSize;
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
    const auto* weights =
        static_cast<const Weight*>(arguments_.weights) + number * kRowPoints<Problem>;
#pragma unroll
    for (int n = 0; n < kOwnLevels; ++n) {
      if (level(n) >= Problem::kLevels) continue;
#pragma unroll
      for (int w = 0; w < kWords; ++w) {
        if (w * kVector >= points_of<Problem>(level(n))) continue;
        part.weights[n][w] =
            Vector<Weight, kVector>::read(weights + first_point<Problem>(level(n)) + w * kVector,
                                          [](const auto* p) { return ptx::ldg(p); });
      }
    }
  }

  /// Of a row, in all its lanes: the level where most meets counts. All lanes of the warp call it,
  /// converged.
  __device__ static Mass add_up(const Part& part) {
    if constexpr (kMakesPoints<K>) return add_up_logits(part);
    Mass most = {0.0F, 0.0F};
#pragma unroll
    for (int n = 0; n < kOwnLevels; ++n) {
      if (level(n) >= Problem::kLevels) continue;
      float sum = 0.0F;
#pragma unroll
      for (int p = 0; p < Problem::kPoints; ++p) {
        if (p >= points_of<Problem>(level(n))) continue;
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

  /// The same where the weights are the softmax of what was read. A row whose weights are no
  /// numbers adds nothing.
  __device__ static Mass add_up_logits(const Part& part) {
    const float gradient = part.gradient.largest();
    float most = __int_as_float(0xff800000);  // minus infinity
    for_levels([&](int n) {
#pragma unroll
      for (int p = 0; p < Problem::kPoints; ++p) {
        if (p < points_of<Problem>(level(n))) most = fmaxf(most, logit(part, n, p));
      }
    });
#pragma unroll
    for (int step = kLanes / 2; step > 0; step /= 2) {
      most = fmaxf(most, simt::shfl_xor_sync(most, step));
    }
    most *= K::Points::kLog2e;
    float all = 0.0F;
    float of_level = 0.0F;
    for_levels([&](int n) {
      float sum = 0.0F;
#pragma unroll
      for (int p = 0; p < Problem::kPoints; ++p) {
        if (p >= points_of<Problem>(level(n))) continue;
        sum += K::Points::power(logit(part, n, p), most);
      }
      all += sum;
      of_level = larger(sum, of_level);
    });
#pragma unroll
    for (int step = kLanes / 2; step > 0; step /= 2) {
      all += simt::shfl_xor_sync(all, step);
      of_level = larger(simt::shfl_xor_sync(of_level, step), of_level);
    }
    if (!(all > 0.0F)) return {0.0F, 0.0F};
    return {of_level / all * gradient, gradient / all};
  }
  template <class Each>
  __device__ static void for_levels(const Each& each) {
#pragma unroll
    for (int n = 0; n < kOwnLevels; ++n) {
      if (level(n) < Problem::kLevels) each(n);
    }
  }
  __device__ static float logit(const Part& part, int n, int p) {
    return to_float(part.weights[n][p / kVector].element[p % kVector]);
  }

  const backward::Arguments& arguments_;
};

}  // namespace msda::shared_fixed
