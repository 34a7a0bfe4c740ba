// A kernel clears the sums, and the main kernel is launched as its dependent: blocks are set up,
// read points and values, and wait only before they add. In a graph this saves the time between
// two nodes, too (CUDA programming guide, "Programmatic Dependent Launch").
#pragma once

#include <backward/clear.cuh>
#include <msda/ptx/dependent_launch.cuh>

namespace msda::dependent_clear {

/// Zeros in all sums, in a grid-stride loop.
template <class K>
struct ClearSums {
  using Element = typename K::Accumulator::Element;
  /// All threads of a multiprocessor: fewer clear more slowly, and leave no room that would pay.
  static constexpr LaunchShape kShape = grid_stride_shape(256, 8);
  static constexpr int kVector =
      widest_word(K::Problem::kChannels * static_cast<int>(sizeof(Element))) /
      static_cast<int>(sizeof(Element));
  struct Storage {};

  __device__ static void run(const backward::Arguments& arguments, Storage&) {
    if constexpr (ptx::kHasDependentLaunch) ptx::griddepcontrol_launch_dependents();
    Element* const sums = K::Accumulator::sums(arguments);
    const long long count =
        arguments.batch * image_stride<typename K::Layout>(typename K::Sizes(arguments)) / kVector;
    const long long all = static_cast<long long>(simt::blocks()) * kShape.threads;
    const Vector<Element, kVector> zeros = {};
#pragma unroll 8
    for (long long i = static_cast<long long>(simt::block()) * kShape.threads + simt::thread();
         i < count; i += all) {
      zeros.write(sums + i * kVector, [](auto* p, auto word) { *p = word; });
    }
  }
};

template <bool clears, class K>
struct PassOf {};
template <class K>
struct PassOf<true, K> {
  using Prepass = ClearSums<K>;
};

/// Whether the launcher would clear the sums before the main kernel adds to them, and nothing else.
template <class K>
inline constexpr bool kClearsSums = [] {
  using Accumulator = typename K::Accumulator;
  if constexpr (!kAdds<K> || K::kAddsAlone) {
    return false;
  } else if constexpr (Accumulator::kInPlace) {
    return true;
  } else if constexpr (Accumulator::kZeroed != kZeroedEachLaunch) {
    return false;
  } else {
    constexpr Extent kSums = extent_of_sums<K>(sizeof(typename Accumulator::Element));
    constexpr Extent kCleared = Accumulator::kWorkspace;
    return kCleared.per_image == kSums.per_image && kCleared.per_pixel == kSums.per_pixel;
  }
}();

template <class K, class Parameters>
struct Clear : PassOf<kClearsSums<K>, K> {
  static constexpr bool kClears = kClearsSums<K>;
  static constexpr bool kBeginsEarly = kClears && ptx::kHasDependentLaunch;
  static constexpr const char* idle() {
    if (!kClears) return "the launcher clears no sums of the main kernel, or more than these";
    return kBeginsEarly ? nullptr : "launches of this architecture do not depend on each other";
  }

  __device__ static void wait() {
    if constexpr (kBeginsEarly) ptx::griddepcontrol_wait();
  }
};

}  // namespace msda::dependent_clear
