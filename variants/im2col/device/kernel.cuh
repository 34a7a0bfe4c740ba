// Deformable DETR's algorithm (ms_deformable_im2col_gpu_kernel), rewritten: one thread for each
// output element. There are two differences: elements are counted in 64 bits, and coordinates,
// weights and sums are fp32 for all types of tensors.
//
//   for each level
//     for each point
//       coordinates from the location; nothing when they are outside
//       sum += weight * (the four corners, each read where it exists)
#pragma once

#include <msda/launch.cuh>
#include <msda/level_points.cuh>
#include <msda/ptx/memory.cuh>
#include <msda/simt/thread.cuh>
#include <msda/slots/layout.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/vector.cuh>

namespace msda::im2col {

template <class K, class Parameters>
struct Kernel {
  using Problem = typename K::Problem;
  using Value = typename Problem::Value;
  using Layout = ProblemLayout<Problem>;
  static constexpr int kRow = Problem::kHeads * Problem::kChannels;  ///< elements of a query

  /// For work_item(), whose rows are output elements here.
  struct Mapping {
    static constexpr int kChannelBlocks = 1;
  };
  static constexpr LaunchShape kShape = {
      .threads = static_cast<unsigned>(Parameters::threads),
      .rows_per_query = static_cast<unsigned>(kRow),
      .rows_per_item = static_cast<unsigned>(Parameters::threads)};
  struct Storage {};

  __device__ static void run(const ForwardArguments& arguments, Storage&) {
    const WorkItem item = work_item<Kernel>(arguments, kShape, simt::block());
    const long long in_image = item.first + simt::thread();
    if (in_image >= item.last) return;
    const long long element = item.image * arguments.queries * kRow + in_image;
    const int channel = static_cast<int>(element % Problem::kChannels);
    const long long row = element / Problem::kChannels;
    const int head = static_cast<int>(row % Problem::kHeads);
    const auto* image = static_cast<const Value*>(arguments.value) +
                        item.image * image_stride<Layout>(typename K::Sizes(arguments)) +
                        Layout::channel_offset(head, channel);
    const float sum = add_levels(arguments, image, row * kRowPoints<Problem>);
    static_cast<typename Problem::Output*>(arguments.output)[element] =
        from_float<typename Problem::Output>(sum);
  }

 private:
  /// `point`: the first of this row's points. Loops stay loops: their bounds are no constants in
  /// the original.
  __device__ static float add_levels(const Arguments& arguments, const Value* image,
                                     long long point) {
    const auto* locations = static_cast<const typename Problem::Location*>(arguments.locations);
    const auto* weights = static_cast<const typename Problem::Weight*>(arguments.weights);
    float sum = 0.0F;
#pragma unroll 1
    for (int number = 0; number < Problem::kLevels; ++number) {
      const auto level = typename K::Sizes(arguments).at(number);
#pragma unroll 1
      for (int p = 0; p < points_of<Problem>(number); ++p, ++point) {
        const auto width = static_cast<float>(level.width());
        const auto height = static_cast<float>(level.height());
        const float x = fmaf(to_float(locations[2 * point]), width, -0.5F);
        const float y = fmaf(to_float(locations[2 * point + 1]), height, -0.5F);
        // False for NaN, too.
        if (x > -1.0F && y > -1.0F && x < width && y < height) {
          sum = fmaf(to_float(weights[point]), bilinear(image, level, x, y), sum);
        }
      }
    }
    return sum;
  }

  template <class At>
  __device__ static float bilinear(const Value* image, const At& level, float x, float y) {
    const int left = __float2int_rd(x);
    const int top = __float2int_rd(y);
    const float fx = x - static_cast<float>(left);
    const float fy = y - static_cast<float>(top);
    const float upper =
        (1.0F - fx) * pixel(image, level, left, top) + fx * pixel(image, level, left + 1, top);
    const float lower = (1.0F - fx) * pixel(image, level, left, top + 1) +
                        fx * pixel(image, level, left + 1, top + 1);
    return (1.0F - fy) * upper + fy * lower;
  }

  /// A corner; zero outside the level.
  template <class At>
  __device__ static float pixel(const Value* image, const At& level, int x, int y) {
    if (x < 0 || y < 0 || x >= level.width() || y >= level.height()) return 0.0F;
    const long long stored = pixel_of_image<Layout>(level, x, y);
    return to_float(image[stored * Layout::kPixelStride]);
  }
};

}  // namespace msda::im2col
