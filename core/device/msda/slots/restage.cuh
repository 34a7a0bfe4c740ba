// Values in another layout or encoding than the problem's: one pre-pass writes them, whatever
// combination of the layout and arithmetic slots asks for it.
#pragma once

#include <msda/launch.cuh>
#include <msda/simt/thread.cuh>
#include <msda/slots/layout.cuh>
#include <msda/vector.cuh>

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

  static constexpr Extent kWorkspace = {
      0, Layout::kImageStride* static_cast<long long>(sizeof(Stored)), 0};
  static constexpr unsigned kThreads = 256;
  static constexpr LaunchShape kShape = grid_stride_shape(kThreads, 8);
  struct Storage {};

  /// Channels that a thread copies at a time: neighbours in both layouts, at most 16 bytes.
  static constexpr int kSize = static_cast<int>(sizeof(typename Problem::Value));
  static constexpr int kVector =
      widest_word(Layout::kRunChannels * kSize, Problem::kChannels* kSize) / kSize;

  /// Every stored channel of every stored pixel, border pixels (zero) included.
  __device__ static void run(const Arguments& arguments, Storage&) {
    constexpr int kRow = Problem::kHeads * Problem::kChannels / kVector;
    const long long count = arguments.batch * Layout::kPixels * kRow;
    const long long stride = static_cast<long long>(simt::blocks()) * kThreads;
    for (long long i = static_cast<long long>(simt::block()) * kThreads + simt::thread(); i < count;
         i += stride) {
      const int in_row = static_cast<int>(i % kRow) * kVector;
      const long long pixel_index = i / kRow;
      write(arguments, pixel_index / Layout::kPixels,
            static_cast<int>(pixel_index % Layout::kPixels), in_row / Problem::kChannels,
            in_row % Problem::kChannels);
    }
  }

 private:
  using Values = Vector<typename Problem::Value, kVector>;
  static constexpr int kRows = K::Arithmetic::kRows;

  /// kVector channels of the problem's pixel at column x and row y; zeros where there is none.
  __device__ static Values read(const Arguments& arguments, long long image, int level, int x,
                                int y, int head, int channel) {
    const bool inside = x >= 0 && x < Problem::width(level) && y >= 0 && y < Problem::height(level);
    if (!inside) return {};
    const long long from = image * Given::kImageStride + Given::channel_offset(head, channel) +
                           static_cast<long long>(Given::start(level) + Given::pixel(level, x, y)) *
                               Given::kPixelStride;
    return Values::read(static_cast<const typename Problem::Value*>(arguments.value) + from,
                        [](const auto* p) { return ptx::load_readonly(p); });
  }

  __device__ static void write(const Arguments& arguments, long long image, int pixel, int head,
                               int channel) {
    int level = 0;
#pragma unroll
    for (int l = 1; l < Problem::kLevels; ++l) level = pixel >= Layout::start(l) ? l : level;
    const int border = Layout::kBordered ? 1 : 0;
    const int in_level = pixel - Layout::start(level);
    const int x = in_level % Layout::pitch(level) - border;
    const int y = in_level / Layout::pitch(level) - border;
    Values given[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      given[r] = read(arguments, image, level, x, y + r, head, channel);
    }
    Vector<Stored, kVector> stored;
#pragma unroll
    for (int v = 0; v < kVector; ++v) {
      float pixels[kRows];
#pragma unroll
      for (int r = 0; r < kRows; ++r) pixels[r] = to_float(given[r].element[v]);
      stored.element[v] = K::Arithmetic::encode(arguments, pixels, image, head, level);
    }
    const long long to = image * Layout::kImageStride + Layout::channel_offset(head, channel) +
                         static_cast<long long>(pixel) * Layout::kPixelStride;
    stored.write(static_cast<Stored*>(arguments.workspace[kLayout]) + to,
                 [](auto* p, auto word) { *p = word; });
  }
};

}  // namespace msda
