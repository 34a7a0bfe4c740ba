// A pre-pass writes each level into a layered texture: a texel is four neighbouring channels, a
// layer four channels of one head of one image. One fetch returns the bilinear blend, zero outside,
// with fractions of 8 bits.
#pragma once

#include <msda/launch.cuh>
#include <msda/sampling.cuh>
#include <msda/simt/texture.cuh>
#include <msda/simt/thread.cuh>
#include <msda/slots/layout.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/vector.cuh>

namespace msda::texture {

template <class ProblemType, class Parameters>
struct Source {
  using Problem = ProblemType;
  static constexpr Slot kSlot = kSource;
  static constexpr bool kByHead = false;
  static constexpr bool kBlends = true;
  static constexpr int kTexel = 4;  ///< channels
  static constexpr int kLayersPerHead = Problem::kChannels / kTexel;
  static constexpr unsigned kThreads = 256;
  template <class K>
  static constexpr unsigned kSharedBytes = 0;
  template <class K>
  static constexpr bool on_chip(int level) {
    static_cast<void>(level);
    return true;
  }

  /// Texture coordinates: pixel centres lie at halves.
  using Place = float2;
  __device__ static Place place(float x, float y) { return {x + 0.5F, y + 0.5F}; }
  /// No second tap.
  template <class K>
  __device__ static constexpr int delta(int level, int column, int row) {
    static_cast<void>(level);
    static_cast<void>(column);
    static_cast<void>(row);
    return 0;
  }

  template <class K>
  static constexpr TextureShape kTexture(int level) {
    return {static_cast<unsigned>(Problem::width(level)),
            static_cast<unsigned>(Problem::height(level)),
            static_cast<unsigned>(Problem::kHeads * kLayersPerHead),
            static_cast<unsigned>(8 * sizeof(typename Problem::Value))};
  }
  template <class K>
  static constexpr LaunchShape kPrepassShape = grid_stride_shape(kThreads, 8);

  /// Writes every texel of every level.
  template <class K>
  __device__ static void prepass(const Arguments& arguments, unsigned char* shared) {
    static_cast<void>(shared);
    fill<0>(arguments);
  }

  template <class K>
  class Reader {
   public:
    using Value = float;
    /// First layer, and first channel inside it.
    struct Base {
      int layer;
      int channel;
    };

    __device__ Reader(const Arguments& arguments, unsigned char* shared) : arguments_(arguments) {
      static_cast<void>(shared);
    }
    __device__ void enter(const WorkItem& item) { static_cast<void>(item); }
    __device__ void leave() {}
    __device__ Base base(const WorkItem& item, int head, int channel) const {
      const int first = static_cast<int>(item.image * Problem::kHeads + head) * kLayersPerHead;
      return {first + channel / kTexel, channel % kTexel};
    }
    struct Anchor {
      int layer;
      int channel;
      Place place;
    };
    template <int level>
    __device__ Anchor anchor(const Base& base, Place place) const {
      return {base.layer, base.channel, place};
    }
    template <int level>
    __device__ Vector<float, K::Mapping::kVector> read(const Anchor& anchor, int delta) const {
      static_cast<void>(delta);
      constexpr int kVector = K::Mapping::kVector;
      constexpr int kFetches = kVector > kTexel ? kVector / kTexel : 1;
      Vector<float, kVector> result;
#pragma unroll
      for (int f = 0; f < kFetches; ++f) {
        const float4 texel =
            simt::fetch_layered(arguments_.texture[level], anchor.place, anchor.layer + f);
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

 private:
  template <int level>
  __device__ static void fill(const Arguments& arguments) {
    if constexpr (level < Problem::kLevels) {
      using Texel = Vector<typename Problem::Value, kTexel>;
      using Given = PlainLayout<Problem, void>;
      constexpr int kWidth = Problem::width(level);
      constexpr int kHeight = Problem::height(level);
      constexpr int kLayers = Problem::kHeads * kLayersPerHead;
      const long long count = arguments.batch * kHeight * kWidth * kLayers;
      const long long stride = static_cast<long long>(simt::blocks()) * kThreads;
      for (long long i = static_cast<long long>(simt::block()) * kThreads + simt::thread();
           i < count; i += stride) {
        const int in_image = static_cast<int>(i % kLayers);
        const int pixel = static_cast<int>(i / kLayers % (kWidth * kHeight));
        const long long image = i / kLayers / (kWidth * kHeight);
        const int x = pixel % kWidth;
        const int y = pixel / kWidth;
        const long long from =
            image * Given::kImageStride + in_image * kTexel +
            static_cast<long long>(Given::start(level) + Given::pixel(level, x, y)) *
                Given::kPixelStride;
        const Texel texel = *reinterpret_cast<const Texel*>(
            static_cast<const typename Problem::Value*>(arguments.value) + from);
        simt::store_layered(arguments.surface[level], texel, x, y,
                            static_cast<int>(image) * kLayers + in_image);
      }
      fill<level + 1>(arguments);
    }
  }
};

}  // namespace msda::texture
