// Sums as whole numbers in a workspace: their order does not matter, so every run leaves the same
// bits. Two neighbouring channels are one number of 64 bits, which halves the reds: the second one
// is its upper half, from which a negative first one borrows until the sums are converted. A pass
// before the kernel finds for each image and head how much can meet in a pixel at most, which fixes
// the unit: sums never overflow, and what is no finite number leaves no finite result.
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
  static constexpr bool kPairs = Problem::kChannels % 2 == 0;
  static constexpr int kWidest = kPairs ? 2 : 1;
  static constexpr bool kConverts = kSame<typename Problem::Value, float>;
  static constexpr Extent kWorkspace = [] {
    Extent extent = extent_of_sums<K>(sizeof(int));
    extent.per_image += Problem::kHeads * static_cast<long long>(sizeof(Bound));
    return extent;
  }();
  static constexpr Zeroed kZeroed = kZeroedEachLaunch;

  using Prepass = FindBounds<K, kSlot>;

  struct Postpass : Convert {
    __device__ static void run(const backward::Arguments& arguments, typename Convert::Storage&) {
      Convert::run(arguments, sums(arguments), [&](const auto& sums, int v, long long vector) {
        const long long element = vector * Convert::kVector;
        const int lent = kPairs && v % 2 != 0 && sums.element[v - v % 2] < 0 ? 1 : 0;
        return static_cast<float>(sums.element[v] + lent) /
               scale(arguments, element / Convert::per_image(arguments),
                     static_cast<int>(element / Problem::kChannels % Problem::kHeads));
      });
    }
  };

  __device__ static int* sums(const backward::Arguments& arguments) {
    return reinterpret_cast<int*>(bounds(arguments, kSlot) + arguments.batch * Problem::kHeads);
  }
  __device__ static float scale(const backward::Arguments& arguments, long long image, int head) {
    return scale_of<!kConverts>(bounds(arguments, kSlot)[image * Problem::kHeads + head]);
  }
  __device__ static void spoil(const backward::Arguments& arguments, long long image, int head) {
    bounds(arguments, kSlot)[image * Problem::kHeads + head].is_endless = 1;
  }
  __device__ static unsigned long long pair_of(int first, int second) {
    return static_cast<unsigned long long>(static_cast<long long>(first)) +
           (static_cast<unsigned long long>(second) << 32U);
  }
  template <int n>
  __device__ static void add_whole(int* sums, const int (&contributions)[n]) {
    if constexpr (!kPairs) {
      ptx::red_add(sums, contributions);
    } else {
      static_assert(n <= 2);
      const auto address = reinterpret_cast<unsigned long long>(sums);
      const bool is_second = n == 1 && address % 8 != 0;
      const unsigned long long pair[1] = {pair_of(is_second ? 0 : contributions[0],
                                                  n == 2 || is_second ? contributions[n - 1] : 0)};
      ptx::red_add(reinterpret_cast<unsigned long long*>(address - (is_second ? 4 : 0)), pair);
    }
  }
  template <int n>
  struct Wholes {
    int of[n];
  };
  template <int n>
  __device__ static Wholes<n> products(float weight, const Floats<n>& gradient) {
    Wholes<n> products;
#pragma unroll
    for (int i = 0; i < n; ++i) {
      products.of[i] = backward::whole<kConverts>(weight, gradient.of[i]);
    }
    return products;
  }
  template <int n>
  requires(!kPairs) __device__ static Vector<int, n> addends(const Wholes<n>& products) {
    Vector<int, n> numbers;
#pragma unroll
    for (int i = 0; i < n; ++i) numbers.element[i] = products.of[i];
    return numbers;
  }
  __device__ static Vector<unsigned long long, 1> addends(const Wholes<2>& products) {
    return {{pair_of(products.of[0], products.of[1])}};
  }
  template <int n>
  __device__ static void add(int* sums, const Wholes<n>& products) {
    add_whole(sums, products.of);
  }
  __device__ static void add(int* sums, const Floats<1>& one) { add(sums, products(1.0F, one)); }
};

}  // namespace msda::fixed_sums
