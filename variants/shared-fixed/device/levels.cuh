// The levels of which a block can keep one head's sums in shared memory: of constant sizes the
// smallest ones, of others the last ones.
#pragma once

#include <backward/cells.cuh>

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
requires(K::Sizes::kFixed) struct Levels<K, budget> {
  using Problem = typename K::Problem;

  __device__ explicit Levels(const Arguments&) {}

  static constexpr long long pixels(int level) { return K::Layout::pixels(level); }
  /// Of two equal ones the later is smaller.
  static constexpr bool smaller(int a, int b) {
    return pixels(a) < pixels(b) || (pixels(a) == pixels(b) && a > b);
  }
  static constexpr bool has(int level) {
    long long sum = 0;
    for (int l = 0; l < Problem::kLevels; ++l) {
      if (l == level || smaller(l, level)) sum += pixels(l);
    }
    return sum * kBytesOfPixel<Problem> <= budget;
  }
  /// First pixel of a level that is there.
  static constexpr int start(int level) {
    long long sum = 0;
    for (int l = 0; l < Problem::kLevels; ++l) sum += smaller(l, level) ? pixels(l) : 0;
    return static_cast<int>(sum);
  }
  static constexpr int kPixels = [] {
    long long sum = 0;
    for (int l = 0; l < Problem::kLevels; ++l) sum += has(l) ? pixels(l) : 0;
    return static_cast<int>(sum);
  }();
  static constexpr int pixels() { return kPixels; }
  static constexpr int kLevels = [] {
    int count = 0;
    for (int l = 0; l < Problem::kLevels; ++l) count += has(l) ? 1 : 0;
    return count;
  }();
  /// The n-th level that is there.
  __device__ static int number(int n) {
    int found = 0;
    for (int l = Problem::kLevels - 1, after = kLevels; l >= 0; --l) {
      if (!has(l)) continue;
      --after;
      if (n == after) found = l;
    }
    return found;
  }
  static constexpr int before(int level) { return K::Layout::start(level); }
  /// Its first pixel here, less that of the image.
  __device__ static int place(int level) {
    int place = 0;
    for (int l = 0; l < Problem::kLevels; ++l) {
      if (has(l) && l == level) place = start(l) - K::Layout::start(l);
    }
    return place;
  }
  /// The pixel of an image of number `pixel` here.
  __device__ static int in_image(int pixel) {
    int found = 0;
    for (int l = 0; l < Problem::kLevels; ++l) {
      if (has(l) && pixel >= start(l) && pixel < start(l) + pixels(l)) {
        found = K::Layout::start(l) + pixel - start(l);
      }
    }
    return found;
  }
};

}  // namespace msda::shared_fixed
