// The pre-pass that converts values to another layout, another encoding, or both, for any
// combination of the slots layout and arithmetic.
#pragma once

#include <msda/launch.cuh>
#include <msda/simt/thread.cuh>
#include <msda/slots/layout.cuh>
#include <msda/split.cuh>

namespace msda {

template <class K>
inline constexpr bool kRestages = K::Layout::kRestaged || K::Arithmetic::kEncoded;

/// The values that the main kernel reads.
template <class K>
__device__ __forceinline__ const void* stored_values(const Arguments& arguments) {
  return kRestages<K> ? arguments.workspace[kLayout] : arguments.value;
}

template <class K>
struct Restage {
  using Problem = typename K::Problem;
  using Layout = typename K::Layout;
  using Original = ProblemLayout<Problem>;
  using Stored = typename K::Arithmetic::Stored;

  static constexpr Extent kWorkspace = {.per_image = Layout::kImageStride * kElementBytes<Stored>};
  static constexpr unsigned kThreads = 256;
  static constexpr LaunchShape kShape = grid_stride_shape(kThreads, 8);
  struct Storage {};

  /// Channels that a thread copies at a time: neighbours in both layouts, at most 16 bytes.
  static constexpr int kSize = static_cast<int>(sizeof(typename Problem::Value));
  static constexpr int kVector =
      widest_word(Layout::kRunChannels * kSize, (Problem::kChannels * kSize)) / kSize;

  /// Writes every stored channel of every stored pixel, border pixels (zero) included, one word for
  /// each thread and iteration. Several words in flight in a thread were slower: more registers
  /// leave room for fewer threads.
  __device__ static void run(const Arguments& arguments, Storage&) {
    constexpr long long kParts = (kWords + kThreads - 1) / kThreads;
    const long long count = arguments.batch * kParts;
    for (long long part = simt::block(); part < count; part += simt::blocks()) {
      const auto word = static_cast<Index>(part % kParts * kThreads + simt::thread());
      if (word < kWords) copy(arguments, part / kParts, target_of(word));
    }
  }

 private:
  using Values = Vector<typename Problem::Value, kVector>;
  static constexpr int kElementPixels = K::Arithmetic::kElementPixels;
  /// Vectors of a pixel, and of an image.
  static constexpr int kWordsOfPixel = Problem::kHeads * Problem::kChannels / kVector;
  static constexpr long long kWords = static_cast<long long>(Layout::kPixels) * kWordsOfPixel;
  /// Number of a word in an image.
  using Index = Conditional<(kWords < 0x7fff0000), unsigned, unsigned long long>;

  /// The kVector channels of a stored pixel that a word has.
  struct Target {
    int level;
    int x;  ///< in the level; -1 or the width for a border pixel
    int y;
    int pixel;  ///< of the image
    int head;
    int channel;
  };

  __device__ static Target target_of(Index word) {
    const int in_pixel = static_cast<int>(word % kWordsOfPixel) * kVector;
    Target target;
    target.pixel = static_cast<int>(word / kWordsOfPixel);
    target.head = in_pixel / Problem::kChannels;
    target.channel = in_pixel % Problem::kChannels;
    target.level = 0;
#pragma unroll
    for (int l = 1; l < Problem::kLevels; ++l) {
      target.level = target.pixel >= Layout::start(l) ? l : target.level;
    }
    const int border = Layout::kBordered ? 1 : 0;
    const int in_level = target.pixel - Layout::start(target.level);
    target.x = in_level % Layout::pitch(target.level) - border;
    target.y = in_level / Layout::pitch(target.level) - border;
    return target;
  }

  /// The problem's values `below` rows below the target; zeros outside the level.
  __device__ static Values read(const Arguments& arguments, long long image, const Target& target,
                                int below) {
    if (!Layout::kRestaged && below == 0) {
      return read_pixel(arguments, image, target, target.pixel);
    }
    const int y = target.y + below;
    const bool inside = target.x >= 0 && target.x < Problem::width(target.level) && y >= 0 &&
                        y < Problem::height(target.level);
    if (!inside) return {};
    return read_pixel(arguments, image, target,
                      Original::start(target.level) + Original::pixel(target.level, target.x, y));
  }
  /// The problem's values of pixel `pixel`.
  __device__ static Values read_pixel(const Arguments& arguments, long long image,
                                      const Target& target, int pixel) {
    const long long from = image * Original::kImageStride +
                           Original::channel_offset(target.head, target.channel) +
                           static_cast<long long>(pixel) * Original::kPixelStride;
    return Values::read(static_cast<const typename Problem::Value*>(arguments.value) + from,
                        [](const auto* p) { return K::Cache::load_stream(p); });
  }

  __device__ static void copy(const Arguments& arguments, long long image, const Target& target) {
    Values given[kElementPixels];
#pragma unroll
    for (int r = 0; r < kElementPixels; ++r) given[r] = read(arguments, image, target, r);
    Vector<Stored, kVector> stored;
#pragma unroll
    for (int v = 0; v < kVector; ++v) {
      float pixels[kElementPixels];
#pragma unroll
      for (int r = 0; r < kElementPixels; ++r) pixels[r] = to_float(given[r].element[v]);
      stored.set(v, K::Arithmetic::encode(arguments, pixels, image, target.head, target.level));
    }
    const long long to = image * Layout::kImageStride +
                         Layout::channel_offset(target.head, target.channel) +
                         static_cast<long long>(target.pixel) * Layout::kPixelStride;
    stored.write(element_of<Stored>(static_cast<unsigned char*>(arguments.workspace[kLayout]),
                                    arguments.batch * Layout::kImageStride, to),
                 [](auto* p, auto word) { *p = word; });
  }
};

}  // namespace msda
