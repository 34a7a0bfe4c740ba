// How much can meet in a pixel at most: for each image and head, the sum over all queries of the
// magnitudes that they add, in the level where that is most. Summed as whole numbers, so that the
// bound, and with it the unit, is the same in every run. Beside it the largest of all
// contributions, for which a quick way to round has a limit.
#pragma once

#include <backward/arguments.cuh>
#include <backward/points.cuh>
#include <backward/units.cuh>
#include <msda/skeleton/plan.cuh>
#include <msda/slots/layout.cuh>
#include <msda/vector.cuh>

namespace msda::fixed_sums {

/// In units of 2^-24, rounded up.
struct alignas(16) Bound {
  unsigned long long sum;
  unsigned is_endless;  ///< 1: something is no finite number, or the sum is too large
  unsigned largest;     ///< bits of the largest magnitude that a point adds
};
inline constexpr float kUnits = 16777216.0F;
inline constexpr float kMostOfARow = 1099511627776.0F;  ///< as much as 65536; 2^23 rows have room

__device__ __forceinline__ Bound* bounds(const backward::Arguments& arguments, int slot) {
  return static_cast<Bound*>(arguments.workspace[slot]);
}

template <bool clips>
__device__ __forceinline__ float scale_of(const Bound& bound) {
  if (bound.is_endless != 0) return __int_as_float(0x7fffffff);
  return backward::unit_of<clips>(
      {static_cast<float>(bound.sum) / kUnits, __uint_as_float(bound.largest)});
}

/// The largest magnitudes that a row and a point of it add to a pixel.
template <class K>
__device__ __forceinline__ backward::Mass most_of_row(const backward::Arguments& arguments,
                                                      long long row) {
  using Problem = typename K::Problem;
  using Output = typename Problem::Output;
  constexpr int kSize = static_cast<int>(sizeof(Output));
  constexpr int kVector = widest_word(Problem::kChannels * kSize) / kSize;
  const auto* weight =
      static_cast<const typename Problem::Weight*>(arguments.weights) + row * kRowPoints<Problem>;
  const auto* gradient =
      static_cast<const Output*>(arguments.grad_output) + row * Problem::kChannels;
  const auto larger = [](float a, float b) { return !(a <= b) ? a : b; };  // keeps NaN
  float largest = 0.0F;
#pragma unroll 4
  for (int c = 0; c < Problem::kChannels; c += kVector) {
    const auto part =
        Vector<Output, kVector>::read(gradient + c, [](const auto* p) { return ptx::ldg(p); });
#pragma unroll
    for (int v = 0; v < kVector; ++v) largest = larger(fabsf(to_float(part.element[v])), largest);
  }
  if constexpr (kMakesPoints<K>) {
    const backward::WeightBound bound = K::Points::bound_of(arguments, row);
    return {bound.level * largest, bound.one * largest};
  }
  float most = 0.0F;
  float one = 0.0F;
  for (int l = 0; l < Problem::kLevels; ++l) {
    float sum = 0.0F;
    for (int p = 0; p < points_of<Problem>(l); ++p) {
      const float magnitude = fabsf(to_float(weight[first_point<Problem>(l) + p]));
      sum += magnitude;
      one = larger(magnitude, one);
    }
    most = larger(sum, most);
  }
  return {most * largest, one * largest};
}

template <class K, int slot>
struct FindBounds {
  using Problem = typename K::Problem;
  static constexpr LaunchShape kShape = grid_stride_shape(256, 4);
  /// As many as threads, so that a few hundred queries occupy many blocks.
  static constexpr int kRowsOfPart = static_cast<int>(kShape.threads);
  struct Storage {
    unsigned long long sum[Problem::kHeads];
    unsigned is_endless[Problem::kHeads];
    unsigned largest[Problem::kHeads];
  };

  /// A block takes part of an image's rows at a time.
  __device__ static void run(const backward::Arguments& arguments, Storage& storage) {
    if constexpr (!backward::kIsAsked<K, backward::kGradValue>) return;
    const long long rows = arguments.queries * Problem::kHeads;
    const long long parts = (rows + kRowsOfPart - 1) / kRowsOfPart;
    for (long long part = simt::block(); part < arguments.batch * parts; part += simt::blocks()) {
      const long long image = part / parts;
      const long long first = part % parts * kRowsOfPart;
      for (int h = static_cast<int>(simt::thread()); h < Problem::kHeads;
           h += static_cast<int>(kShape.threads)) {
        storage.sum[h] = 0;
        storage.is_endless[h] = storage.largest[h] = 0;
      }
      simt::syncthreads();
      const long long last = min(rows, first + kRowsOfPart);
      for (long long row = first + simt::thread(); row < last; row += kShape.threads) {
        add(storage, static_cast<int>(row % Problem::kHeads),
            most_of_row<K>(arguments, image * rows + row));
      }
      simt::syncthreads();
      for (int h = static_cast<int>(simt::thread()); h < Problem::kHeads;
           h += static_cast<int>(kShape.threads)) {
        Bound& bound = bounds(arguments, slot)[image * Problem::kHeads + h];
        simt::atomic_add(&bound.sum, storage.sum[h]);
        simt::atomic_max(&bound.largest, storage.largest[h]);
        if (storage.is_endless[h] != 0) simt::atomic_max(&bound.is_endless, 1U);
      }
      simt::syncthreads();
    }
  }

 private:
  __device__ static void add(Storage& storage, int head, const backward::Mass& most) {
    const float units = most.sum * kUnits;
    if (!(units <= kMostOfARow)) {
      simt::atomic_max(&storage.is_endless[head], 1U);
      return;
    }
    simt::atomic_add(&storage.sum[head], static_cast<unsigned long long>(units) + 1);
    simt::atomic_max(&storage.largest[head], __float_as_uint(most.largest));
  }
};

}  // namespace msda::fixed_sums
