// Values in another layout or encoding than the problem's: one pre-pass writes them, whatever
// combination of the layout and arithmetic slots asks for it.
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
  using Given = ProblemLayout<Problem>;
  using Stored = typename K::Arithmetic::Stored;

  static constexpr Extent kWorkspace = {0, Layout::kImageStride* kElementBytes<Stored>, 0};
  static constexpr unsigned kThreads = 256;
  static constexpr LaunchShape kShape = grid_stride_shape(kThreads, 8);
  struct Storage {};

  /// Channels that a thread copies at a time: neighbours in both layouts, at most 16 bytes.
  static constexpr int kSize = static_cast<int>(sizeof(typename Problem::Value));
  static constexpr int kVector =
      widest_word(Layout::kRunChannels * kSize, Problem::kChannels* kSize) / kSize;

  /// Every stored channel of every stored pixel, border pixels (zero) included: each block takes
  /// parts of images in turn, a word for each thread. Several words under way in a thread were
  /// slower: their registers leave room for fewer threads.
  __device__ static void run(const Arguments& arguments, Storage&) {
    constexpr long long kParts = (kWords + kThreads - 1) / kThreads;
    const long long count = arguments.batch * kParts;
    for (long long part = simt::block(); part < count; part += simt::blocks()) {
      const auto word = static_cast<Index>(part % kParts * kThreads + simt::thread());
      if (word < kWords) copy(arguments, part / kParts, place_of(word));
    }
  }

 private:
  using Values = Vector<typename Problem::Value, kVector>;
  static constexpr int kRows = K::Arithmetic::kRows;
  /// Vectors of a pixel, and of an image.
  static constexpr int kWordsOfPixel = Problem::kHeads * Problem::kChannels / kVector;
  static constexpr long long kWords = static_cast<long long>(Layout::kPixels) * kWordsOfPixel;
  /// Places in an image in as few bits as hold them all.
  using Index = Either<(kWords < 0x7fff0000), unsigned, unsigned long long>;

  /// kVector channels of a stored pixel.
  struct Place {
    int level;
    int x;  ///< in the level; -1 or its size for a pixel of the border
    int y;
    int pixel;  ///< of the image
    int head;
    int channel;
  };

  __device__ static Place place_of(Index word) {
    const int in_pixel = static_cast<int>(word % kWordsOfPixel) * kVector;
    Place place;
    place.pixel = static_cast<int>(word / kWordsOfPixel);
    place.head = in_pixel / Problem::kChannels;
    place.channel = in_pixel % Problem::kChannels;
    place.level = 0;
#pragma unroll
    for (int l = 1; l < Problem::kLevels; ++l) {
      place.level = place.pixel >= Layout::start(l) ? l : place.level;
    }
    const int border = Layout::kBordered ? 1 : 0;
    const int in_level = place.pixel - Layout::start(place.level);
    place.x = in_level % Layout::pitch(place.level) - border;
    place.y = in_level / Layout::pitch(place.level) - border;
    return place;
  }

  /// Of the problem's pixel `below` rows below the place; zeros where there is none.
  __device__ static Values read(const Arguments& arguments, long long image, const Place& place,
                                int below) {
    if (!Layout::kRestaged && below == 0) {
      return read_pixel(arguments, image, place, place.pixel);
    }
    const int y = place.y + below;
    const bool inside = place.x >= 0 && place.x < Problem::width(place.level) && y >= 0 &&
                        y < Problem::height(place.level);
    if (!inside) return {};
    return read_pixel(arguments, image, place,
                      Given::start(place.level) + Given::pixel(place.level, place.x, y));
  }
  /// Of the problem's pixel `pixel`.
  __device__ static Values read_pixel(const Arguments& arguments, long long image,
                                      const Place& place, int pixel) {
    const long long from = image * Given::kImageStride +
                           Given::channel_offset(place.head, place.channel) +
                           static_cast<long long>(pixel) * Given::kPixelStride;
    return Values::read(static_cast<const typename Problem::Value*>(arguments.value) + from,
                        [](const auto* p) { return K::Cache::load_stream(p); });
  }

  __device__ static void copy(const Arguments& arguments, long long image, const Place& place) {
    Values given[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) given[r] = read(arguments, image, place, r);
    Vector<Stored, kVector> stored;
#pragma unroll
    for (int v = 0; v < kVector; ++v) {
      float pixels[kRows];
#pragma unroll
      for (int r = 0; r < kRows; ++r) pixels[r] = to_float(given[r].element[v]);
      stored.set(v, K::Arithmetic::encode(arguments, pixels, image, place.head, place.level));
    }
    const long long to = image * Layout::kImageStride +
                         Layout::channel_offset(place.head, place.channel) +
                         static_cast<long long>(place.pixel) * Layout::kPixelStride;
    stored.write(element_of<Stored>(static_cast<unsigned char*>(arguments.workspace[kLayout]),
                                    arguments.batch * Layout::kImageStride, to),
                 [](auto* p, auto word) { *p = word; });
  }
};

}  // namespace msda
