// Sums as whole numbers in a workspace: their order does not matter, so every run leaves the same
// bits. A pass before the kernel finds for each image and head how much can meet in a pixel at
// most, which fixes the unit: sums never overflow, and what is no finite number leaves no finite
// result.
#pragma once

#include <backward/accumulator.cuh>
#include <backward/slot_list.cuh>
#include <fixed_sums/bounds.cuh>

namespace msda::fixed_sums {

template <class K, class Parameters>
struct Accumulator : FloatProducts {
  using Problem = typename K::Problem;
  using Element = int;
  using Convert = ConvertSums<K, int, false>;
  static constexpr int kSlot = backward::kAccumulator;
  static constexpr bool kInPlace = false;
  static constexpr bool kIsFixed = true;
  static constexpr int kWidest = 1;  // red has no vectors of integers
  static constexpr Extent kWorkspace = [] {
    Extent extent = extent_of_sums<K>(sizeof(int));
    extent.per_image += Problem::kHeads * static_cast<long long>(sizeof(Bound));
    return extent;
  }();
  static constexpr Zeroed kZeroed = kZeroedEachLaunch;

  using Prepass = FindBounds<K, kSlot>;

  struct Postpass : Convert {
    __device__ static void run(const backward::Arguments& arguments, typename Convert::Storage&) {
      Convert::run(arguments, sums(arguments), [&](int sum, long long vector) {
        const long long element = vector * Convert::kVector;
        return static_cast<float>(sum) /
               scale(arguments, element / Convert::per_image(arguments),
                     static_cast<int>(element / Problem::kChannels % Problem::kHeads));
      });
    }
  };

  __device__ static int* sums(const backward::Arguments& arguments) {
    return reinterpret_cast<int*>(bounds(arguments, kSlot) + arguments.batch * Problem::kHeads);
  }
  __device__ static float scale(const backward::Arguments& arguments, long long image, int head) {
    return scale_of(bounds(arguments, kSlot)[image * Problem::kHeads + head]);
  }
  __device__ static void spoil(const backward::Arguments& arguments, long long image, int head) {
    bounds(arguments, kSlot)[image * Problem::kHeads + head].is_endless = 1;
  }
  __device__ static void add_whole(int* sums, int contribution) {
    const int one[1] = {contribution};
    ptx::red_add(sums, one);
  }
  __device__ static void add(int* sums, const Floats<1>& product) {
    add_whole(sums, __float2int_rn(product.of[0]));
  }
};

}  // namespace msda::fixed_sums
