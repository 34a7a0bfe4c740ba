// Values in 8 bits with a scale for each image, head and level: what the arithmetic policies of
// that kind share.
#pragma once

#include <msda/simt/thread.cuh>
#include <msda/slots/arithmetic.cuh>
#include <msda/slots/layout.cuh>

namespace msda {

/// `Policy` gives: Stored (one byte), kLargest, code(float in +-kLargest) and decode(two codes), a
/// __half2. A pre-pass finds the largest magnitude of each (image, head, level); the layout slot's
/// pre-pass encodes.
template <class K, class Policy>
struct EncodedArithmetic {
  using Problem = typename K::Problem;
  static constexpr bool kEncoded = true;
  using Weight = __half;
  template <int vector>
  using Sums = FloatSums<vector>;

  __device__ static float pixels_from(float pixel, float location, int size) {
    return msda::pixels_from(pixel, location, size);
  }

  /// Largest magnitudes [image][head][level] as the bits of a float, which order like the floats.
  static constexpr Extent kWorkspace = {0, Problem::kHeads* Problem::kLevels * 4, 0};
  /// The magnitudes begin at zero: the host clears the whole workspace.
  static constexpr bool kZeroed = true;

  /// Each block takes (image, head, level, part) in turn and adds its part's maximum with one
  /// atomic.
  struct Prepass {
    static constexpr unsigned kThreads = 256;
    static constexpr LaunchShape kShape = grid_stride_shape(kThreads, 8);
    struct Storage {};

    __device__ static void run(const Arguments& arguments, Storage&) {
      constexpr int kParts = 16;
      const long long count = arguments.batch * Problem::kHeads * Problem::kLevels * kParts;
      for (long long i = simt::block(); i < count; i += simt::blocks()) {
        const long long plane = i / kParts;
        const int level = static_cast<int>(plane % Problem::kLevels);
        const int head = static_cast<int>(plane / Problem::kLevels % Problem::kHeads);
        const long long image = plane / (Problem::kLevels * Problem::kHeads);
        const float largest =
            part_maximum(arguments, image, head, level, static_cast<int>(i % kParts), kParts);
        const float in_warp = simt::warp_maximum(largest);
        if (simt::lane() == 0)
          simt::atomic_max(magnitudes(arguments) + plane, __float_as_uint(in_warp));
      }
    }

    /// Largest |value| that this thread sees in its part of a level.
    __device__ static float part_maximum(const Arguments& arguments, long long image, int head,
                                         int level, int part, int parts) {
      using Given = ProblemLayout<Problem>;
      const auto* values = static_cast<const typename Problem::Value*>(arguments.value) +
                           image * Given::kImageStride + Given::channel_offset(head, 0) +
                           static_cast<long long>(Given::start(level)) * Given::kPixelStride;
      const int elements = Given::pixels(level) * Problem::kChannels;
      float largest = 0.0F;
      for (int e = part * static_cast<int>(kThreads) + static_cast<int>(simt::thread());
           e < elements; e += parts * static_cast<int>(kThreads)) {
        const long long at = static_cast<long long>(e / Problem::kChannels) * Given::kPixelStride +
                             e % Problem::kChannels;
        largest = fmaxf(largest, fabsf(to_float(values[at])));
      }
      return largest;
    }
  };

  __device__ static float scale(const Arguments& arguments, long long image, int head, int level) {
    const float largest = __uint_as_float(
        magnitudes(arguments)[(image * Problem::kHeads + head) * Problem::kLevels + level]);
    return largest > 0.0F ? largest / Policy::kLargest : 1.0F;
  }
  __device__ static auto encode(const Arguments& arguments, float value, long long image, int head,
                                int level) {
    return Policy::code(value / scale(arguments, image, head, level));
  }

  template <int points, int batch, int taps, int vector>
  __device__ static void add(Sums<vector>& sums, const Taps<K> (&tap)[batch],
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

 private:
  __device__ static unsigned* magnitudes(const Arguments& arguments) {
    return static_cast<unsigned*>(arguments.workspace[kArithmetic]);
  }
};

}  // namespace msda
