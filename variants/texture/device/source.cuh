// A pre-pass writes each level into a layered texture: a texel is four neighbouring channels, a
// layer four channels of one head of one image. One fetch returns the bilinear blend, zero outside,
// with fractions of 8 bits.
#pragma once

#include <msda/simt/texture.cuh>
#include <msda/simt/thread.cuh>
#include <msda/slots/layout.cuh>
#include <msda/slots/points.cuh>
#include <msda/slots/source.cuh>
#include <msda/static_for.cuh>

namespace msda::texture {

template <class K, class Parameters>
class Source {
  using Problem = typename K::Problem;
  static constexpr int kTexel = 4;  ///< channels
  static constexpr int kLayersPerHead = Problem::kChannels / kTexel;
  static constexpr int kVector = K::Mapping::kVector;

 public:
  static constexpr int kPlaneHeads = Problem::kHeads;
  static constexpr unsigned kCluster = 1;
  static constexpr bool kBlends = true;
  using Value = float;
  struct Storage {};
  /// The lane's first layer, and its first channel in that layer.
  struct Base {
    int layer;
    int channel;
  };
  /// Texture coordinates, in which pixel centres are at halves.
  using Offset = float2;
  struct Anchor {
    int layer;
    int channel;
    Offset offset;
  };

  static constexpr bool on_chip(int) { return true; }
  __device__ static Offset offset(float x, float y) { return {x + 0.5F, y + 0.5F}; }
  /// 0: a point has one tap.
  __device__ static constexpr int delta(int, int, int) { return 0; }
  static constexpr TextureShape texture(int level) {
    return {static_cast<unsigned>(Problem::width(level)),
            static_cast<unsigned>(Problem::height(level)),
            static_cast<unsigned>(Problem::kHeads * kLayersPerHead),
            static_cast<unsigned>(8 * sizeof(typename Problem::Value))};
  }

  static constexpr BoxShape boxes(int) { return {}; }

  /// Writes every texel of every level.
  struct Prepass {
    static constexpr unsigned kThreads = 256;
    static constexpr LaunchShape kShape = grid_stride_shape(kThreads, 8);
    struct Storage {};

    __device__ static void run(const Arguments& arguments, Storage&) {
      static_for<Problem::kLevels>([&]<int level>() { fill<level>(arguments); });
    }

    template <int level>
    __device__ static void fill(const Arguments& arguments) {
      using Texel = Vector<typename Problem::Value, kTexel>;
      using Original = ProblemLayout<Problem>;
      constexpr int kWidth = Problem::width(level);
      constexpr int kHeight = Problem::height(level);
      constexpr int kLayers = Problem::kHeads * kLayersPerHead;
      const long long count = arguments.batch * kHeight * kWidth * kLayers;
      const long long stride = static_cast<long long>(simt::blocks()) * kThreads;
      typename K::Points::Mask mask(arguments);
      for (long long i = static_cast<long long>(simt::block()) * kThreads + simt::thread();
           i < count; i += stride) {
        const int in_image = static_cast<int>(i % kLayers);
        const int pixel = static_cast<int>(i / kLayers % (kWidth * kHeight));
        const long long image = i / kLayers / (kWidth * kHeight);
        const int x = pixel % kWidth;
        const int y = pixel / kWidth;
        const long long from =
            image * Original::kImageStride + in_image * kTexel +
            static_cast<long long>(Original::start(level) + Original::pixel(level, x, y)) *
                Original::kPixelStride;
        Texel texel = *reinterpret_cast<const Texel*>(
            static_cast<const typename Problem::Value*>(arguments.value) + from);
        if constexpr (K::Points::Mask::kIsThere) {
          mask.enter_image(image);
          if (mask.share(typename K::Sizes(arguments).at(level), x, y) == 0.0F) texel = {};
        }
        simt::surf2d_layered_write(arguments.views.arrays.surface[level], texel, x, y,
                                   static_cast<int>(image) * kLayers + in_image);
      }
    }
  };

  __device__ Source(const Arguments& arguments, Storage&) : arguments_(arguments) {}

  __device__ void enter(const WorkItem&) {}
  __device__ void begin_tile(const WorkItem&) {}
  __device__ void leave() {}
  __device__ Base base(const WorkItem& item, int head, int channel) const {
    const int first = static_cast<int>(item.image * Problem::kHeads + head) * kLayersPerHead;
    return {first + channel / kTexel, channel % kTexel};
  }
  template <int level>
  __device__ Anchor anchor(const Base& base, Offset offset) const {
    return {base.layer, base.channel, offset};
  }
  template <int level>
  __device__ Vector<float, kVector> read(const Anchor& anchor, int /*delta*/) const {
    constexpr int kFetches = kVector > kTexel ? kVector / kTexel : 1;
    Vector<float, kVector> result;
#pragma unroll
    for (int f = 0; f < kFetches; ++f) {
      const float4 texel = simt::tex2d_layered(arguments_.views.arrays.texture[level],
                                               anchor.offset, anchor.layer + f);
      const float channels[kTexel] = {texel.x, texel.y, texel.z, texel.w};
      if constexpr (kVector >= kTexel) {
#pragma unroll
        for (int c = 0; c < kTexel; ++c) result.element[f * kTexel + c] = channels[c];
      } else {
#pragma unroll
        for (int c = 0; c < kTexel; ++c) {
          const int v = c - anchor.channel;
#pragma unroll
          for (int e = 0; e < kVector; ++e)
            result.element[e] = v == e ? channels[c] : result.element[e];
        }
      }
    }
    return result;
  }

 private:
  const Arguments& arguments_;
};

}  // namespace msda::texture
