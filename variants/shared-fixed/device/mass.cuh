// Of which gradients and rows the bounds are made of what meets in a pixel.
#pragma once

#include <backward/arguments.cuh>
#include <backward/units.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/vector.cuh>

namespace msda::shared_fixed {

using backward::larger;
using backward::larger_magnitude;
using backward::Mass;

/// A row's part of the gradient, which `lanes` neighbouring lanes read together.
template <class K, int lanes>
struct GradientPart {
  using Problem = typename K::Problem;
  using Output = typename Problem::Output;
  static constexpr int kSize = static_cast<int>(sizeof(Output));
  static constexpr int kVector = widest_word(Problem::kChannels * kSize) / kSize;
  static constexpr int kChunks = Problem::kChannels / kVector;
  static constexpr int kOwn = (kChunks + lanes - 1) / lanes;

  Vector<Output, kVector> chunk[kOwn];

  __device__ static int lane() { return static_cast<int>(simt::lane()) % lanes; }

  __device__ void read(const backward::Arguments& arguments, long long row) {
    const auto* first =
        static_cast<const Output*>(arguments.grad_output) + row * Problem::kChannels;
#pragma unroll
    for (int n = 0; n < kOwn; ++n) {
      const int number = lane() + n * lanes;
      chunk[n] = {};
      if (number >= kChunks) continue;
      chunk[n] = Vector<Output, kVector>::read(first + number * kVector,
                                               [](const auto* p) { return ptx::ldg(p); });
    }
  }
  /// The largest magnitude of the row. All lanes of the warp call it, converged.
  __device__ float largest() const {
    float most = 0.0F;
#pragma unroll
    for (int n = 0; n < kOwn; ++n) {
#pragma unroll
      for (int v = 0; v < kVector; ++v) {
        most = larger_magnitude(most, to_float(chunk[n].element[v]));
      }
    }
#pragma unroll
    for (int step = lanes / 2; step > 0; step /= 2) {
      most = larger_magnitude(most, simt::shfl_xor_sync(most, step));
    }
    return most;
  }
};

/// The number (b*Q + q)*H + h of row `row` of an item, or of its last row.
template <class K>
__device__ __forceinline__ long long number_of(const backward::Arguments& arguments,
                                               const WorkItem& item, long long row) {
  const long long query = K::Order::query(arguments, item.image, min(row, item.last - 1));
  return (item.image * arguments.queries + query) * K::Problem::kHeads + item.head;
}

}  // namespace msda::shared_fixed
