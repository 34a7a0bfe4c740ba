// A level of the pyramid as lanes see it: how far its pixels lie apart, and the shares of the
// pixels around a point. A level of one column or row has one pixel there, not two.
#pragma once

#include <msda/slots/layout.cuh>
#include <msda/slots/metadata.cuh>

namespace msda::backward {

/// Weight of the pixel `second` behind the first one on an axis, `x` behind which the point lies.
__device__ __forceinline__ float share(float x, bool second) {
  return __saturatef(1.0F - fabsf(x - (second ? 1.0F : 0.0F)));
}
/// The derivative of share() with respect to x, from the right at the pixels' centres. (Differences
/// would round a point close before a centre to the centre.)
__device__ __forceinline__ float slope(float x, bool second) {
  const float of_first = x < 0.0F ? 1.0F : x < 1.0F ? -1.0F : 0.0F;
  const float of_second = x < 0.0F ? 0.0F : x < 1.0F ? 1.0F : x < 2.0F ? -1.0F : 0.0F;
  return second ? of_second : of_first;
}
/// The derivative of share(x, false) * first + share(x, true) * second, for a point that counts.
__device__ __forceinline__ float slope_of(float x, float first, float second) {
  const float after = x < 0.0F ? first : x < 1.0F ? second : 0.0F;
  const float before = x < 0.0F ? 0.0F : x < 1.0F ? first : second;
  return after - before;
}

/// Level `number_` of composition K. Made once for all points of a row on the level: an object of
/// stored sizes reads shared memory.
template <class K, int number_>
class Level {
  using Problem = typename K::Problem;
  using At = Conditional<K::Sizes::kFixed, FixedLevel<Problem>, LevelAt>;
  /// The code serves levels of two columns and rows or more alone.
  static constexpr bool kTwo = !K::Sizes::kFixed && K::kStructure.least > 1;

 public:
  static constexpr int kNumber = number_;

  __device__ __forceinline__ explicit Level(const msda::Arguments& arguments)
      : at_(typename K::Sizes(arguments).at(kNumber)) {}

  __device__ __forceinline__ float width() const { return static_cast<float>(at_.width()); }
  __device__ __forceinline__ float height() const { return static_cast<float>(at_.height()); }

  /// Stored pixels from the upper left one to a corner, column + 2 * row. The only column or row
  /// stands for the second one too, which has a share of 0.
  __device__ __forceinline__ int pixels_to(int corner) const {
    const int right = has_one_column() ? 0 : 1;
    const int below = has_one_row() ? 0 : pitch_of<typename K::Layout>(at_);
    return (corner % 2) * right + (corner / 2) * below;
  }
  __device__ __forceinline__ float x_share(float x, bool right) const {
    if (has_one_column() && right) return 0.0F;
    return share(x, right);
  }
  __device__ __forceinline__ float y_share(float y, bool below) const {
    if (has_one_row() && below) return 0.0F;
    return share(y, below);
  }
  __device__ __forceinline__ float x_slope(float x, bool right) const {
    if (has_one_column() && right) return 0.0F;
    return slope(x, right);
  }
  __device__ __forceinline__ float y_slope_of(float y, float upper, float lower) const {
    return slope_of(y, upper, has_one_row() ? 0.0F : lower);
  }

 private:
  __device__ __forceinline__ bool has_one_column() const { return !kTwo && at_.width() == 1; }
  __device__ __forceinline__ bool has_one_row() const { return !kTwo && at_.height() == 1; }

  At at_;
};

}  // namespace msda::backward
