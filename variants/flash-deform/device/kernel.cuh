// DCNv4's mapping (FlashDeformAttn, forward_kernel_reg), rewritten. A thread has a vector of
// neighbouring channels of one row (b, q, h), lanes of a row side by side, then heads, then
// queries; a block has whole queries, as many as its threads allow.
//
//   all weights of the row to registers                        read_weights
//   for each level and point
//     coordinates; nothing when they are outside
//     the four corners, each a vector read where it exists     add_point
//   the sums, as one vector                                    run
#pragma once

#include <msda/launch.cuh>
#include <msda/level_points.cuh>
#include <msda/ptx/memory.cuh>
#include <msda/simt/thread.cuh>
#include <msda/slots/layout.cuh>
#include <msda/slots/mapping.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/vector.cuh>

namespace msda::flash_deform {

template <class K, class Parameters>
struct Kernel {
  using Problem = typename K::Problem;
  using Value = typename Problem::Value;
  using Layout = ProblemLayout<Problem>;
  static constexpr int kWidth = vector_width<Problem>(static_cast<int>(Parameters::width));
  static constexpr int kLanes = Problem::kChannels / kWidth;  ///< threads of a row
  static constexpr int kThreadsOfQuery = kLanes * Problem::kHeads;
  static constexpr int kPoints = kRowPoints<Problem>;  ///< of a row
  using Values = Vector<Value, kWidth>;

  static constexpr int kQueries = [] {
    const int fit = static_cast<int>(Parameters::threads) / kThreadsOfQuery;
    const int most = static_cast<int>(Parameters::queries);
    return fit < 1 ? 1 : fit < most ? fit : most;
  }();

  /// For work_item(), whose rows are (q, h) pairs, h fastest.
  struct Mapping {
    static constexpr int kChannelBlocks = 1;
  };
  static constexpr LaunchShape kShape = {
      .threads = static_cast<unsigned>(kQueries * kThreadsOfQuery),
      .rows_per_query = static_cast<unsigned>(Problem::kHeads),
      .rows_per_item = static_cast<unsigned>(kQueries * Problem::kHeads)};
  struct Storage {};

  /// A block's queries are of one image: the last block of an image may have fewer.
  __device__ static void run(const ForwardArguments& arguments, Storage&) {
    const WorkItem item = work_item<Kernel>(arguments, kShape, simt::block());
    const int thread = static_cast<int>(simt::thread());
    const long long in_image = item.first + thread / kLanes;
    if (in_image >= item.last) return;
    const int channel = thread % kLanes * kWidth;
    const int head = static_cast<int>(in_image % Problem::kHeads);
    const long long row = item.image * arguments.queries * Problem::kHeads + in_image;
    const auto* image = static_cast<const Value*>(arguments.value) +
                        item.image * image_stride<Layout>(typename K::Sizes(arguments)) +
                        Layout::channel_offset(head, channel);
    float sums[kWidth] = {};
    add_points(arguments, image, row * kPoints, sums);
    Vector<typename Problem::Output, kWidth> out;
#pragma unroll
    for (int c = 0; c < kWidth; ++c) out.element[c] = from_float<typename Problem::Output>(sums[c]);
    out.write(static_cast<typename Problem::Output*>(arguments.output) + row * Problem::kChannels +
                  channel,
              [](auto* to, auto word) { *to = word; });
  }

 private:
  /// `first`: the row's first point.
  __device__ static void add_points(const Arguments& arguments, const Value* image, long long first,
                                    float (&sums)[kWidth]) {
    float weights[kPoints];
    read_weights(arguments, first, weights);
    const auto* locations =
        static_cast<const typename Problem::Location*>(arguments.locations) + 2 * first;
#pragma unroll
    for (int l = 0; l < Problem::kLevels; ++l) {
      const auto level = typename K::Sizes(arguments).at(l);
#pragma unroll
      for (int p = 0; p < points_of<Problem>(l); ++p) {
        const int point = first_point<Problem>(l) + p;
        add_point(image, level, to_float(locations[2 * point]), to_float(locations[2 * point + 1]),
                  weights[point], sums);
      }
    }
  }

  __device__ static void read_weights(const Arguments& arguments, long long first,
                                      float (&weights)[kPoints]) {
    const auto* from = static_cast<const typename Problem::Weight*>(arguments.weights) + first;
#pragma unroll
    for (int point = 0; point < kPoints; ++point) weights[point] = to_float(from[point]);
  }

  template <class At>
  __device__ static void add_point(const Value* image, const At& level, float location_x,
                                   float location_y, float weight, float (&sums)[kWidth]) {
    const auto width = static_cast<float>(level.width());
    const auto height = static_cast<float>(level.height());
    const float x = fmaf(location_x, width, -0.5F);
    const float y = fmaf(location_y, height, -0.5F);
    // False for NaN, too.
    if (!(x > -1.0F && y > -1.0F && x < width && y < height)) return;
    const int left = __float2int_rd(x);
    const int top = __float2int_rd(y);
    const float fx = x - static_cast<float>(left);
    const float fy = y - static_cast<float>(top);
    const Values corner[4] = {pixel(image, level, left, top), pixel(image, level, left + 1, top),
                              pixel(image, level, left, top + 1),
                              pixel(image, level, left + 1, top + 1)};
    const float share[4] = {(1.0F - fx) * (1.0F - fy), fx * (1.0F - fy), (1.0F - fx) * fy, fx * fy};
#pragma unroll
    for (int c = 0; c < kWidth; ++c) {
      float value = 0.0F;
#pragma unroll
      for (int k = 0; k < 4; ++k) value = fmaf(share[k], to_float(corner[k].element[c]), value);
      sums[c] = fmaf(weight, value, sums[c]);
    }
  }

  /// A corner's channels; zeros outside the level.
  template <class At>
  __device__ static Values pixel(const Value* image, const At& level, int x, int y) {
    if (x < 0 || y < 0 || x >= level.width() || y >= level.height()) {
      Values nothing;
#pragma unroll
      for (int c = 0; c < kWidth; ++c) nothing.element[c] = from_float<Value>(0.0F);
      return nothing;
    }
    const long long stored = pixel_of_image<Layout>(level, x, y);
    return Values::read(image + stored * Layout::kPixelStride,
                        [](const auto* word) { return ptx::ldg(word); });
  }
};

}  // namespace msda::flash_deform
