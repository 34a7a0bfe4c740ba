// The levels of which a block can keep one head's sums in shared memory: of constant sizes the
// smallest ones, of others the last ones.
#pragma once

#include <backward/cells.cuh>
#include <backward/small_levels.cuh>

namespace msda::shared_fixed {

/// Of a pixel's sums, and in float32 of what meets there.
template <class Problem>
inline constexpr int kBytesOfPixel = (Problem::kChannels +
                                      (kSame<typename Problem::Value, float> ? 1 : 0)) *
                                     static_cast<int>(sizeof(int));

/// `budget` in bytes. With run-time level sizes those that K::kStructure says, one run of pixels.
/// An object for each thread.
template <class K, int budget>
class Levels {
 public:
  static constexpr int kLevels = K::kStructure.resident;
  static constexpr bool has(int level) { return level >= kFirst; }
  /// First pixel of a level here, whose pixels count from before(level) on.
  static constexpr int start(int) { return 0; }
  /// The n-th level that is there.
  __device__ static int number(int n) { return kFirst + n; }

  __device__ explicit Levels(const Arguments& arguments) {
    if constexpr (kLevels != 0) {
      const typename K::Sizes sizes(arguments);
      before_ = sizes.at(kFirst).start;
      pixels_ = sizes.pixels() - before_;
    }
  }
  /// Of all levels that are there.
  __device__ int pixels() const { return pixels_; }
  /// Room for pixels, which are a whole number of runs.
  __device__ int room() const { return (pixels_ + kRunPixels - 1) / kRunPixels * kRunPixels; }
  /// Pixels of the image before the first one here that a level counts.
  __device__ int before(int) const { return before_; }
  /// A level's first pixel here, less that of the image.
  __device__ int place(int) const { return -before_; }
  /// The pixel of an image of number `pixel` here.
  __device__ int in_image(int pixel) const { return before_ + pixel; }

 private:
  static constexpr int kFirst = K::Problem::kLevels - kLevels;

  int before_ = 0;
  int pixels_ = 0;
};

/// With constant level sizes the smallest ones that fit.
template <class K, int budget>
requires(K::Sizes::kFixed) struct Levels<K, budget>
    : backward::SmallLevels<K, budget, kBytesOfPixel<typename K::Problem>> {
  __device__ explicit Levels(const Arguments&) {}
};

}  // namespace msda::shared_fixed
