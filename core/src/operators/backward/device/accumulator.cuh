// Slot "accumulator": the numbers that contributions to grad_value are summed in, and where.
#pragma once

#include <backward/fusion.cuh>
#include <backward/slot_list.cuh>
#include <msda/contract.cuh>
#include <msda/ptx/reduce.cuh>
#include <msda/simt/thread.cuh>
#include <msda/slots/layout.cuh>
#include <msda/vector.cuh>

namespace msda {

template <int n>
struct Floats {
  float of[n];
};

/// Static members:
///
/// - `Element`: the type of the sums in global memory, [B, S, H, C]; `kInPlace`: they are
///   grad_value itself, which the launcher clears; otherwise a workspace that the policy declares,
///   with a pass after the main kernel that converts them;
/// - `kWidest`: numbers of one red instruction at most;
/// - sums(arguments) returns the first of them;
/// - `kIsFixed`: the sums are whole numbers in units of 1 / scale(arguments, image, head), which is
///   1 for floating point; contributions are multiplied by it;
/// - gradient(stored, scale) makes of n channels of a row's gradient what products(weight,
/// gradient)
///   multiplies with the weight of a corner;
/// - add(sums, products) adds n neighbouring products, or `Floats<n>`. Called by any thread;
/// - addends(products), if as many products are numbers that one reduction adds: these in a Vector,
///   as add() rounds them and as they lie in the sums;
/// - `kAddsApart`, if the policy has it: passes of its own write all of grad_value, and the main
///   kernel adds nothing;
/// - with `kIsFixed` and run-time level sizes spoil(arguments, image, head) makes the sums of a
///   head no numbers, whatever is added.
template <class Policy, class K>
concept AccumulatorPolicy = requires(const backward::Arguments& arguments,
                                     typename Policy::Element* sums, const Floats<1>& one,
                                     const Vector<typename K::Problem::Output, 1>& stored) {
  requires kConstant<bool, Policy::kInPlace>;
  requires kConstant<int, Policy::kWidest>;
  { Policy::sums(arguments) } -> Same<typename Policy::Element*>;
  requires kConstant<bool, Policy::kIsFixed>;
  { Policy::scale(arguments, 0LL, 0) } -> Same<float>;
  Policy::add(sums, Policy::products(1.0F, Policy::gradient(stored, 1.0F)));
  Policy::add(sums, one);
};

/// Whether the kernel adds to grad_value.
template <class K>
inline constexpr bool kAdds = backward::kIsAsked<K, backward::kGradValue> && !kAddsApart<K> &&
                              (K::kAddsAlone || !kIsDivided<K>);

/// Products in float32.
struct FloatProducts {
  template <class T, int n>
  __device__ static Floats<n> gradient(const Vector<T, n>& stored, float scale) {
    Floats<n> gradient;
#pragma unroll
    for (int i = 0; i < n; ++i) gradient.of[i] = scale * to_float(stored.element[i]);
    return gradient;
  }
  template <int n>
  __device__ static Floats<n> products(float weight, const Floats<n>& gradient) {
    Floats<n> products;
#pragma unroll
    for (int i = 0; i < n; ++i) products.of[i] = weight * gradient.of[i];
    return products;
  }
};

/// Of floating-point sums of any type.
template <class T>
struct FloatingAccumulator : FloatProducts {
  using Element = T;
  static constexpr int kWidest = 16 / static_cast<int>(sizeof(T));
  static constexpr bool kIsFixed = false;

  __device__ static float scale(const backward::Arguments&, long long, int) { return 1.0F; }
  template <int n>
  __device__ static Vector<T, n> addends(const Floats<n>& products) {
    Vector<T, n> rounded;
    from_floats(products.of, rounded.element);
    return rounded;
  }
  template <int n>
  __device__ static void add(T* sums, const Floats<n>& products) {
    ptx::red_add(sums, addends(products).element);
  }
};

/// The workspace of sums [B, S, H, C] of so many bytes each.
template <class K>
constexpr Extent extent_of_sums(long long bytes) {
  using Problem = typename K::Problem;
  constexpr long long kPixel = static_cast<long long>(Problem::kHeads) * Problem::kChannels;
  if constexpr (K::Sizes::kFixed) {
    return {.per_image = Problem::kSpatialSize * kPixel * bytes};
  } else {
    return {.per_pixel = kPixel * bytes};
  }
}

/// Converts `sums` of a workspace to grad_value in a grid-stride loop. of(sums, v, i) is number v
/// of the sums that are vector i, as a float. With `clears` it leaves zeros for the next launch.
template <class K, class Element, bool clears>
struct ConvertSums {
  using Problem = typename K::Problem;
  using Value = typename Problem::Value;
  /// Channels of one head.
  static constexpr int kVector =
      widest_word(Problem::kChannels * static_cast<int>(sizeof(Element))) /
      static_cast<int>(sizeof(Element));
  static constexpr LaunchShape kShape = grid_stride_shape(256, 8);
  struct Storage {};

  /// Sums of an image.
  __device__ static long long per_image(const backward::Arguments& arguments) {
    return image_stride<typename K::Layout>(typename K::Sizes(arguments));
  }

  template <class Of>
  __device__ static void run(const backward::Arguments& arguments, Element* from, const Of& of) {
    if constexpr (!backward::kIsAsked<K, backward::kGradValue>) return;
    using Sums = Vector<Element, kVector>;
    using Values = Vector<Value, kVector>;
    const long long count = arguments.batch * (per_image(arguments) / kVector);
    auto* to = static_cast<Value*>(arguments.grad_value);
    for (long long i = static_cast<long long>(simt::block()) * kShape.threads + simt::thread();
         i < count; i += static_cast<long long>(simt::blocks()) * kShape.threads) {
      const Sums sums = Sums::read(from + i * kVector, [](const auto* p) { return ptx::ld_cg(p); });
      float converted[kVector];
#pragma unroll
      for (int v = 0; v < kVector; ++v) converted[v] = of(sums, v, i);
      Values values;
      from_floats(converted, values.element);
      values.write(to + i * kVector, [](auto* p, auto word) { *p = word; });
      if constexpr (clears) {
        Sums zero = {};
        zero.write(from + i * kVector, [](auto* p, auto word) { *p = word; });
      }
    }
  }
};

/// float32: in grad_value if that is its type, otherwise in a workspace.
template <class K, int slot, bool converter_clears>
struct Float32Sums : FloatingAccumulator<float> {
  static constexpr bool kInPlace = true;

  __device__ static float* sums(const backward::Arguments& arguments) {
    return static_cast<float*>(arguments.grad_value);
  }
};
template <class K, int slot, bool converter_clears>
requires(!kSame<typename K::Problem::Value, float>) struct Float32Sums<K, slot, converter_clears>
    : FloatingAccumulator<float> {
  static constexpr bool kInPlace = false;
  using Convert = ConvertSums<K, float, converter_clears>;
  static constexpr Extent kWorkspace = extent_of_sums<K>(sizeof(float));
  static constexpr Zeroed kZeroed = converter_clears ? kZeroedOnce : kZeroedEachLaunch;

  struct Postpass : Convert {
    __device__ static void run(const backward::Arguments& arguments, typename Convert::Storage&) {
      Convert::run(arguments, sums(arguments),
                   [](const auto& sums, int v, long long) { return sums.element[v]; });
    }
  };
  __device__ static float* sums(const backward::Arguments& arguments) {
    return static_cast<float*>(arguments.workspace[slot]);
  }
};

/// Default: float32; the launcher clears a workspace.
template <class K, class Parameters>
struct Float32Accumulator : Float32Sums<K, backward::kAccumulator, false> {};

}  // namespace msda
