// 16 neighbouring queries of one image and head, computed by one warp.
#pragma once

#include <msda/launch.cuh>
#include <msda/ptx/matrix.cuh>
#include <msda/sampling.cuh>
#include <msda/simt/thread.cuh>
#include <msda/slots/layout.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/static_for.cuh>
#include <msda/vector.cuh>

#include <tensor_core_attempt/elements.cuh>
#include <tensor_core_attempt/patches.cuh>

namespace msda::tensor_core_attempt {

/// How a row's channels are cut: into blocks of at most 64, which are planes of work, and those
/// into the 8 columns of a product. Column g of product j is channel kProducts * g + j of the
/// block: lane 4 g + t reads kProducts neighbouring channels of a pixel, and has sums of 2 *
/// kProducts neighbouring channels.
template <class Problem>
struct Channels {
  static constexpr int kBlocks = (Problem::kChannels + 63) / 64;
  static constexpr int kProducts = (Problem::kChannels + 8 * kBlocks - 1) / (8 * kBlocks);
  static constexpr int kBlock = 8 * kProducts;
  /// True when the last block has columns without a channel.
  static constexpr bool kPadded = kBlocks * kBlock != Problem::kChannels;
};

template <class Problem, int patch_limit>
class Strip {
  using Value = typename Problem::Value;
  using Location = typename Problem::Location;
  using Weight = typename Problem::Weight;
  using Output = typename Problem::Output;
  using Cut = Channels<Problem>;
  using Layout = ProblemLayout<Problem>;
  static constexpr int kProducts = Cut::kProducts;
  /// Points of a level that a lane holds: lanes r and r + 16 share those of row r.
  static constexpr int kHeld = (Problem::kPoints + 1) / 2;
  static constexpr int kUnroll = kHeld <= 8 ? kHeld : 1;
  /// Patches whose values are on their way at a time.
  static constexpr int kAhead = kProducts <= 4 ? 4 : 2;
  /// Bytes between neighbouring pixels.
  static constexpr unsigned long long kPixelBytes =
      static_cast<unsigned long long>(Layout::kPixelStride) * sizeof(Value);

  using Bits = unsigned short;  ///< of a value
  static_assert(sizeof(Value) == sizeof(Bits), "the tensor cores take values of 16 bits");
  /// This lane's part of a patch's values: four pixels of one column.
  struct Column {
    Elements<Bits, kProducts> pixel[kPatchSide];
  };

 public:
  struct Storage {
    Weights::Patch patch[patch_limit];
  };

  /// Queries [first, last) of the item, at most 16.
  __device__ Strip(const ForwardArguments& arguments, const WorkItem& item, long long first,
                   Storage& storage)
      : arguments_(arguments),
        item_(item),
        first_(first),
        values_(static_cast<const unsigned char*>(arguments.value) +
                (item.image * Layout::kImageStride +
                 Layout::channel_offset(item.head, item.channel_block * Cut::kBlock)) *
                    static_cast<long long>(sizeof(Value))),
        weights_(storage.patch, patch_limit) {
#pragma unroll
    for (int j = 0; j < kProducts; ++j) {
#pragma unroll
      for (int i = 0; i < 4; ++i) sums_[j][i] = 0.0F;
    }
  }

  __device__ void compute() {
    static_for<Problem::kLevels>([this]<int level>() { add_level<level>(); });
    store(group(), 0);
    store(group() + 8, 2);
  }

 private:
  /// This lane is 4 * group() + in_group().
  __device__ static int group() { return static_cast<int>(simt::lane()) / 4; }
  __device__ static int in_group() { return static_cast<int>(simt::lane()) % 4; }

  __device__ bool real(int row) const { return first_ + row < item_.last; }
  /// (b*Q + q)*H + h of a row; rows beyond the item's end stand for its last one.
  __device__ long long flat_row(int row) const {
    const long long query = min(first_ + row, item_.last - 1);
    return (item_.image * arguments_.queries + query) * Problem::kHeads + item_.head;
  }

  template <int level>
  __device__ void add_level() {
    Point point[kHeld];
    read_points<level>(point);
    const Box box = box_of(point, Problem::width(level), Problem::height(level));
    if (box.columns > 0) {
      if (box.patches <= patch_limit) {
        multiply<level>(box, weights_.add(point, box));
      } else {
        gather<level>(point);
      }
    }
  }

  /// This lane's half of its row's points. Those that do not exist weigh nothing.
  template <int level>
  __device__ void read_points(Point (&point)[kHeld]) const {
    const int row = static_cast<int>(simt::lane()) % kRows;
    const int first = static_cast<int>(simt::lane()) / kRows * kHeld;
    const long long at = (flat_row(row) * Problem::kLevels + level) * Problem::kPoints + first;
    const auto* location_at = static_cast<const Location*>(arguments_.locations) + 2 * at;
    const auto* weight_at = static_cast<const Weight*>(arguments_.weights) + at;
    using Locations = Elements<Location, 2 * kHeld>;
    using Attentions = Elements<Weight, kHeld>;
    Locations location;
    Attentions weight;
    if constexpr (Problem::kPoints % 2 == 0) {
      location = Locations::read(location_at);
      weight = Attentions::read(weight_at);
    } else {
      location = Locations::read(location_at, 2 * (Problem::kPoints - first));
      weight = Attentions::read(weight_at, Problem::kPoints - first);
    }
    constexpr int kWidth = Problem::width(level);
    constexpr int kHeight = Problem::height(level);
#pragma unroll(kUnroll)
    for (int i = 0; i < kHeld; ++i) {
      const PixelPair x =
          pixel_pair<false, kWidth, kWidth>(to_float(location.element[2 * i]), kWidth, pixels_from);
      const PixelPair y = pixel_pair<false, kHeight, kHeight>(to_float(location.element[2 * i + 1]),
                                                              kHeight, pixels_from);
      const bool inside = (x.weight[0] != 0.0F || x.weight[1] != 0.0F) &&
                          (y.weight[0] != 0.0F || y.weight[1] != 0.0F);
      const float attention = inside && real(row) ? to_float(weight.element[i]) : 0.0F;
      point[i] = {x.first,
                  y.first,
                  {x.weight[0], x.weight[1]},
                  {y.weight[0] * attention, y.weight[1] * attention}};
    }
  }

  /// Adds the products of weights and values of the patches in `touched`.
  template <int level>
  __device__ void multiply(const Box& box, unsigned touched) {
    while (touched != 0) {
      Column column[kAhead];
      int patch[kAhead];
#pragma unroll
      for (int a = 0; a < kAhead; ++a) {
        patch[a] = touched != 0 ? simt::lowest_bit(touched) : -1;
        touched &= touched - 1;
        if (patch[a] >= 0) column[a] = read_column<level>(box, patch[a]);
      }
#pragma unroll
      for (int a = 0; a < kAhead; ++a) {
        if (patch[a] >= 0) multiply(patch[a], column[a]);
      }
    }
    simt::syncwarp();
  }

  /// Pixels of a patch beyond the level repeat its last ones: they weigh nothing.
  template <int level>
  __device__ Column read_column(const Box& box, int patch) const {
    const int row = box.row(patch);
    const int in_row = patch - row * box.columns;
    const int x = min(box.x + in_row * kPatchSide + in_group(), Problem::width(level) - 1);
    Column column;
#pragma unroll
    for (int dy = 0; dy < kPatchSide; ++dy) {
      const int y = min(box.y + row * kPatchSide + dy, Problem::height(level) - 1);
      column.pixel[dy] =
          read_channels<kProducts>(Layout::start(level) + Layout::pixel(level, x, y), group());
    }
    return column;
  }

  /// The `run`-th run of `count` channels of the block at a stored pixel of the image.
  template <int count>
  __device__ Elements<Bits, count> read_channels(int pixel, int run) const {
    const int channel = run * count;
    const auto* from = reinterpret_cast<const Bits*>(
        values_ + static_cast<unsigned>(pixel) * kPixelBytes + channel * sizeof(Bits));
    if constexpr (!Cut::kPadded) return Elements<Bits, count>::read(from);
    return Elements<Bits, count>::read(from, channels_from(channel));
  }
  /// Channels of the row from channel `channel` of the block on.
  __device__ int channels_from(int channel) const {
    return Problem::kChannels - item_.channel_block * Cut::kBlock - channel;
  }

  __device__ void multiply(int patch, const Column& column) {
    unsigned a[4];
    weights_.template take<Value>(patch, a);
#pragma unroll
    for (int j = 0; j < kProducts; ++j) {
      const auto bits = [&](int dy) { return static_cast<unsigned>(column.pixel[dy].element[j]); };
      const unsigned b[2] = {bits(0) | bits(1) << 16, bits(2) | bits(3) << 16};
      ptx::mma_m16n8k16<Value>(sums_[j], a, b);
    }
  }

  /// Adds the points of a level one by one: each lane its sums' channels of its two rows.
  template <int level>
  __device__ void gather(const Point (&point)[kHeld]) {
#pragma unroll(kUnroll)
    for (int i = 0; i < kHeld; ++i) {
      const int pixel =
          Layout::start(level) + Layout::pixel(level, point[i].x, point[i].y);  // fits 31 bits
#pragma unroll
      for (int half = 0; half < 2; ++half) {
#pragma unroll
        for (int side = 0; side < 2; ++side) {
          const int holder = half * kRows + side * 8 + group();
          const float wx[2] = {simt::shfl_sync(point[i].wx[0], holder),
                               simt::shfl_sync(point[i].wx[1], holder)};
          const float wy[2] = {simt::shfl_sync(point[i].wy[0], holder),
                               simt::shfl_sync(point[i].wy[1], holder)};
          add_point<level>(simt::shfl_sync(pixel, holder), wx, wy, 2 * side);
        }
      }
    }
  }

  /// Adds one point to sums_[.][side] and sums_[.][side + 1].
  template <int level>
  __device__ void add_point(int pixel, const float (&wx)[2], const float (&wy)[2], int side) {
    constexpr int kRight = Problem::width(level) > 1 ? 1 : 0;
    constexpr int kBelow = Problem::height(level) > 1 ? Layout::pitch(level) : 0;
    Elements<Bits, 2 * kProducts> corner[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      corner[k] = read_channels<2 * kProducts>(pixel + k % 2 * kRight + k / 2 * kBelow, in_group());
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float weight = wx[k % 2] * wy[k / 2];
#pragma unroll
      for (int c = 0; c < 2 * kProducts; ++c) {
        const float value = to_float(reinterpret_cast<const Value&>(corner[k].element[c]));
        float& sum = sums_[c % kProducts][side + c / kProducts];
        sum = fmaf(weight, value, sum);
      }
    }
  }

  /// Stores sums_[.][side] and sums_[.][side + 1], of row `row`.
  __device__ void store(int row, int side) const {
    if (!real(row)) return;
    Elements<Output, 2 * kProducts> out;
#pragma unroll
    for (int c = 0; c < 2 * kProducts; ++c) {
      out.element[c] = from_float<Output>(sums_[c % kProducts][side + c / kProducts]);
    }
    const int channel = in_group() * 2 * kProducts;
    auto* to = static_cast<Output*>(arguments_.output) + flat_row(row) * Problem::kChannels +
               item_.channel_block * Cut::kBlock + channel;
    if constexpr (Cut::kPadded) {
      out.write(to, channels_from(channel));
    } else {
      out.write(to);
    }
  }

  const ForwardArguments& arguments_;
  const WorkItem& item_;
  long long first_;
  const unsigned char* values_;  ///< pixel 0 of the image, first channel of the block
  Weights weights_;
  float sums_[kProducts][4];  ///< fragments `sums` of ptx::mma_m16n8k16()
};

}  // namespace msda::tensor_core_attempt
