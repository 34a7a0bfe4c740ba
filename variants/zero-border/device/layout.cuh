// The values are copied into levels with a border of one zero pixel, so that every corner with a
// weight exists and taps need no care for edges. A problem that is stored with a border is read as
// it is.
#pragma once

#include <msda/slots/layout.cuh>

namespace msda::zero_border {

template <class K, class Parameters>
struct Layout : ProblemLayout<typename K::Problem, true> {
  using Problem = typename K::Problem;
  using Bordered = ProblemLayout<Problem, true>;
  static constexpr bool kRestaged = !Problem::kBordered;
  static constexpr const char* idle() {
    return kRestaged ? nullptr : "the values are stored with a border already";
  }

  __device__ static constexpr int start(int level) {
    int sum = 0;
    for (int l = 0; l < Problem::kLevels; ++l) sum += l < level ? Bordered::pixels(l) : 0;
    return sum;
  }
  static constexpr int kPixels = start(Problem::kLevels);
  static constexpr long long kImageStride =
      static_cast<long long>(kPixels) * Bordered::kPixelStride;
};

}  // namespace msda::zero_border
