// What all exercises share: an output element as the sum of its points, one corner after another.
#pragma once

#include <msda/launch.cuh>
#include <msda/simt/thread.cuh>
#include <msda/slots/layout.cuh>
#include <msda/vector.cuh>

namespace msda::exercises {

template <class K>
struct Sampling {
  using Problem = typename K::Problem;
  using Value = typename Problem::Value;
  using Output = typename Problem::Output;
  using Layout = ProblemLayout<Problem>;
  static constexpr int kChannels = Problem::kChannels;
  static constexpr int kPointsOfRow = Problem::kLevels * Problem::kPoints;

  /// Row (b, q, h) in the output's order.
  struct Row {
    long long flat;
    int head;
    const Value* image;  ///< channel 0 of the head
  };

  __device__ static long long rows(const ForwardArguments& arguments) {
    return arguments.queries * Problem::kHeads;  // of an image
  }

  /// Row `row` of an image.
  __device__ static Row row_of(const ForwardArguments& arguments, long long image, long long row) {
    const int head = static_cast<int>(row % Problem::kHeads);
    return {image * rows(arguments) + row, head,
            static_cast<const Value*>(arguments.value) + image * Layout::kImageStride +
                Layout::channel_offset(head, 0)};
  }

  __device__ static float weight(const ForwardArguments& arguments, const Row& row, int point) {
    return to_float(static_cast<const typename Problem::Weight*>(
        arguments.weights)[row.flat * kPointsOfRow + point]);
  }

  /// What point `point` of the row adds to `channel`, without its weight. `corner(level, x, y)`
  /// returns the value of a pixel, 0 outside the level.
  template <class Corner>
  __device__ static float bilinear(const ForwardArguments& arguments, const Row& row, int point,
                                   const Corner& corner) {
    const int level = point / Problem::kPoints;
    const auto* locations = static_cast<const typename Problem::Location*>(arguments.locations) +
                            2 * (row.flat * kPointsOfRow + point);
    const auto width = static_cast<float>(Problem::width(level));
    const auto height = static_cast<float>(Problem::height(level));
    const float x = fmaf(to_float(locations[0]), width, -0.5F);
    const float y = fmaf(to_float(locations[1]), height, -0.5F);
    if (!(x > -1.0F && y > -1.0F && x < width && y < height)) return 0;
    const int left = __float2int_rd(x);
    const int top = __float2int_rd(y);
    const float fx = x - static_cast<float>(left);
    const float fy = y - static_cast<float>(top);
    const float upper = (1.0F - fx) * corner(level, left, top) + fx * corner(level, left + 1, top);
    const float lower =
        (1.0F - fx) * corner(level, left, top + 1) + fx * corner(level, left + 1, top + 1);
    return (1.0F - fy) * upper + fy * lower;
  }

  __device__ static bool is_inside(int level, int x, int y) {
    return x >= 0 && y >= 0 && x < Problem::width(level) && y < Problem::height(level);
  }

  __device__ static const Value* pixel(const Row& row, int level, int x, int y) {
    const long long stored = Layout::start(level) + Layout::pixel(level, x, y);
    return row.image + stored * Layout::kPixelStride;
  }

  /// An output element: the row's points, weighted and summed.
  __device__ static float element(const ForwardArguments& arguments, const Row& row, int channel) {
    float sum = 0;
    for (int point = 0; point < kPointsOfRow; ++point) {
      sum += weight(arguments, row, point) *
             bilinear(arguments, row, point, [&](int level, int x, int y) {
               return is_inside(level, x, y) ? to_float(pixel(row, level, x, y)[channel]) : 0.0F;
             });
    }
    return sum;
  }

  __device__ static void write(const ForwardArguments& arguments, const Row& row, int channel,
                               float sum) {
    static_cast<Output*>(arguments.output)[row.flat * kChannels + channel] =
        from_float<Output>(sum);
  }
};

}  // namespace msda::exercises
