// Values in 8 bits with a scale for each image, head and level: for arithmetic policies.
#pragma once

#include <msda/simt/thread.cuh>
#include <msda/slots/arithmetic.cuh>
#include <msda/slots/layout.cuh>

namespace msda {

/// The scales. `Policy` has kLargest, the largest code. A pre-pass finds the largest magnitude of
/// each (image, head, level); the pre-pass of slot layout encodes.
template <class K, class Policy>
struct ScaledCodes {
  using Problem = typename K::Problem;
  static constexpr bool kEncoded = true;
  template <int vector>
  using Sums = FloatSums<vector>;

  __device__ static float pixels_from(float pixel, float location, int size) {
    return msda::pixels_from(pixel, location, size);
  }

  /// Largest magnitudes [image][head][level] as the bits of a float, which order like the floats.
  static constexpr Extent kWorkspace = {.per_image = 4 * Problem::kHeads * Problem::kLevels};
  /// The magnitudes begin at zero: the host clears the whole workspace.
  static constexpr Zeroed kZeroed = kZeroedEachLaunch;

  /// The parts of all levels and heads, in a grid-stride loop over blocks. Each warp contributes
  /// its maximum of a part by one atomic.
  struct Prepass {
    static constexpr unsigned kThreads = 256;
    static constexpr LaunchShape kShape = grid_stride_shape(kThreads, 8);
    struct Storage {};

    __device__ static void run(const Arguments& arguments, Storage&) {
      constexpr long long kPerImage = static_cast<long long>(kPartsOfHead) * Problem::kHeads;
      const long long count = arguments.batch * kPerImage;
      for (long long i = simt::block(); i < count; i += simt::blocks()) {
        const long long image = i / kPerImage;
        const int head = static_cast<int>(i % Problem::kHeads);
        const int part = static_cast<int>(i % kPerImage) / Problem::kHeads;
        int level = 0;
        int first = 0;
#pragma unroll
        for (int l = 1; l < Problem::kLevels; ++l) {
          if (part < parts_before(l)) continue;
          level = l;
          first = parts_before(l);
        }
        const float largest = part_maximum(arguments, image, head, level, part - first);
        const float in_warp = simt::reduce_max_sync(largest);
        const long long plane = (image * Problem::kHeads + head) * Problem::kLevels + level;
        if (simt::lane() == 0)
          simt::atomic_max(magnitudes(arguments) + plane, __float_as_uint(in_warp));
      }
    }

   private:
    using Original = ProblemLayout<Problem>;
    using Value = typename Problem::Value;
    /// Channels of a read, at most 16 bytes, and concurrent reads of a thread in a part.
    static constexpr int kVector =
        widest_word(Problem::kChannels * static_cast<int>(sizeof(Value))) /
        static_cast<int>(sizeof(Value));
    static constexpr int kReads = 4;
    static constexpr int kVectorsOfPixel = Problem::kChannels / kVector;
    static constexpr int kVectorsOfPart = static_cast<int>(kThreads) * kReads;

    /// Parts of a head's levels before `level`.
    __device__ static constexpr int parts_before(int level) {
      int parts = 0;
      for (int l = 0; l < level; ++l) {
        parts += (Original::pixels(l) * kVectorsOfPixel + kVectorsOfPart - 1) / kVectorsOfPart;
      }
      return parts;
    }
    static constexpr int kPartsOfHead = parts_before(Problem::kLevels);

    /// Largest |value| that this thread reads in a part of a level.
    __device__ static float part_maximum(const Arguments& arguments, long long image, int head,
                                         int level, int part) {
      const auto* values = static_cast<const Value*>(arguments.value) +
                           image * Original::kImageStride + Original::channel_offset(head, 0) +
                           static_cast<long long>(Original::start(level)) * Original::kPixelStride;
      const int vectors = Original::pixels(level) * kVectorsOfPixel;
      using Values = Vector<Value, kVector>;
      Values read[kReads] = {};
#pragma unroll
      for (int n = 0; n < kReads; ++n) {
        const int v = part * kVectorsOfPart + n * static_cast<int>(kThreads) +
                      static_cast<int>(simt::thread());
        const long long at = static_cast<long long>(v / kVectorsOfPixel) * Original::kPixelStride +
                             v % kVectorsOfPixel * kVector;
        if (v < vectors) {
          read[n] = Values::read(values + at, [](const auto* p) { return ptx::ldg(p); });
        }
      }
      float largest = 0.0F;
#pragma unroll
      for (int n = 0; n < kReads; ++n) {
#pragma unroll
        for (int c = 0; c < kVector; ++c) {
          largest = fmaxf(largest, fabsf(to_float(read[n].element[c])));
        }
      }
      return largest;
    }
  };

  /// Value of code 1. Levels whose largest magnitude is below kSmallest have coarser codes, so that
  /// scales and their inverses stay in the range of floats.
  __device__ static float scale(const Arguments& arguments, long long image, int head, int level) {
    return largest(arguments, image, head, level) * (1.0F / Policy::kLargest);
  }
  /// `value` in units of the scale: -kLargest .. kLargest, up to rounding.
  __device__ static float in_codes(const Arguments& arguments, float value, long long image,
                                   int head, int level) {
    return value * (Policy::kLargest / largest(arguments, image, head, level));
  }

 private:
  static constexpr float kSmallest = 0x1p-112F;

  __device__ static float largest(const Arguments& arguments, long long image, int head,
                                  int level) {
    return fmaxf(kSmallest,
                 __uint_as_float(magnitudes(
                     arguments)[(image * Problem::kHeads + head) * Problem::kLevels + level]));
  }
  __device__ static unsigned* magnitudes(const Arguments& arguments) {
    return static_cast<unsigned*>(arguments.workspace[kArithmetic]);
  }
};

/// Codes that are decoded to fp16 and blended two channels at a time; batches are summed in
/// float32. `Policy` has Stored (one byte), code(float in +-kLargest) and decode(two codes), a
/// __half2.
template <class K, class Policy>
struct EncodedArithmetic : ScaledCodes<K, Policy> {
  static constexpr int kElementPixels = 1;
  using Weight = __half;

  __device__ static auto encode(const Arguments& arguments, const float (&value)[1],
                                long long image, int head, int level) {
    return Policy::code(ScaledCodes<K, Policy>::in_codes(arguments, value[0], image, head, level));
  }

  template <int points, int batch, int taps, int vector>
  __device__ static void add(FloatSums<vector>& sums, const Taps<K> (&tap)[batch],
                             const Vector<unsigned char, vector> (&value)[batch][taps]) {
#pragma unroll
    for (int v = 0; v < vector; v += 2) {
      constexpr int kLast = vector - 1;
      __half2 blend = __float2half2_rn(0.0F);
#pragma unroll
      for (int p = 0; p < points; ++p) {
#pragma unroll
        for (int t = 0; t < taps; ++t) {
          const auto& element = value[p][t].element;
          blend = __hfma2(Policy::decode(element[v], element[v < kLast ? v + 1 : v]),
                          __half2half2(tap[p].weight[t]), blend);
        }
      }
      sums.sum[v] += __low2float(blend);
      if (v < kLast) sums.sum[v + 1] += __high2float(blend);
    }
  }
};

}  // namespace msda
