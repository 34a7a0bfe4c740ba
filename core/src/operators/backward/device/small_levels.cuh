// The smallest levels of which a block can keep something in shared memory.
#pragma once

#include <msda/slots/layout.cuh>

namespace msda::backward {

/// As many as have `pixel_bytes` bytes of each pixel in `budget` bytes. Constant level sizes.
template <class K, int budget, int pixel_bytes>
struct SmallLevels {
  using Problem = typename K::Problem;

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
    return sum * pixel_bytes <= budget;
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

}  // namespace msda::backward
