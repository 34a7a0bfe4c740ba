// What the points of a run add to the 4x4 pixels that they touch, as products of matrices: the
// points' weights on these pixels times their rows of the gradient.
#pragma once

#include <backward/accumulator.cuh>
#include <backward/units.cuh>
#include <msda/ptx/matrix.cuh>
#include <tile_bins/bins.cuh>

namespace msda::tile_bins {

inline constexpr int kPatchSide = kTileCells + 1;

/// How the channels of a row are cut into the 8 columns of products. Column g of the u-th product
/// of a group is channel kWidth * g + u of the group: the lanes of a point's columns read a group's
/// channels in order, and a lane has sums of 2 * kWidth neighbouring ones, as many as a red
/// instruction adds, so that the lanes of a pixel fill whole sectors.
template <class K>
struct Columns {
  static constexpr int kColumns = 8;
  static constexpr int kChannels = K::Problem::kChannels;
  static constexpr int kSize = static_cast<int>(sizeof(typename K::Accumulator::Element));
  static constexpr int kWidth = [] {
    int width = widest_word(kChannels * kSize, K::Accumulator::kWidest * kSize) / kSize / 2;
    while (width > 1 && kColumns * width > kChannels) width /= 2;
    return width < 1 ? 1 : width;
  }();
  static constexpr int kVector = kChannels % (2 * kWidth) == 0 ? 2 * kWidth : 1;  ///< of a red
  static constexpr int kGroup = kColumns * kWidth;                                ///< channels
  static constexpr int kAllGroups = (kChannels + kGroup - 1) / kGroup;
  /// Groups whose sums a warp has in registers at a time: of 64 channels.
  static constexpr int kGroups = [] {
    constexpr int kMost = 64 / kGroup;
    return kAllGroups < kMost ? kAllGroups : kMost;
  }();
  static constexpr int kBlockChannels = kGroups * kGroup;
};

/// An object for each thread; all lanes of a warp call its functions, converged. `Bins`: where the
/// points are. A run of at most `few` points is added without products.
template <class K, class Bins, int few>
class Products {
  using Problem = typename K::Problem;
  using Accumulator = typename K::Accumulator;
  using Element = typename Accumulator::Element;
  using Output = typename Problem::Output;
  using Cut = Columns<K>;
  static constexpr int kWidth = Cut::kWidth;
  static constexpr int kGroups = Cut::kGroups;
  static constexpr int kVector = Cut::kVector;
  /// Of a product, which are columns of weights and rows of the gradient.
  static constexpr int kProductPoints = 16;
  /// Of these a lane holds: numbers 2t, 2t + 1, 2t + 8 and 2t + 9.
  static constexpr int kHeld = 4;

  struct Sums {
    float of[kGroups][kWidth][4];  ///< fragments `sums` of ptx::mma_m16n8k16()
  };
  struct Factors {
    unsigned a[4];  ///< weights, as fragment `a`
    Vector<Output, kWidth> gradient[kHeld][kGroups];
  };

 public:
  __device__ Products(const backward::Arguments& arguments, const WorkItem& item,
                      const LevelPoints<K>& points, const Bins& bins)
      : points_(points),
        bins_(bins),
        gradients_(reinterpret_cast<const unsigned char*>(
            static_cast<const Output*>(arguments.grad_output) +
            points.first_row() * Problem::kChannels)),
        sums_(reinterpret_cast<const unsigned char*>(
            Accumulator::sums(arguments) +
            item.image * image_stride<typename K::Layout>(typename K::Sizes(arguments)) +
            K::Layout::channel_offset(item.head, 0))) {}

  /// Adds a run, whose tile is number `tile` of the level.
  __device__ void add(const Run& run, int tile) const {
    const int columns = tiling_of(points_.at().width(), points_.at().height()).columns;
    const int x = tile % columns * kTileCells;
    const int y = tile / columns * kTileCells;
    if (run.last - run.first <= few) {
      add_each(run, x, y, 0, Cut::kChannels);
      return;
    }
#pragma unroll 1
    for (int channel = 0; channel < Cut::kChannels; channel += Cut::kBlockChannels) {
      const Sums sums = multiply(run, channel);
      if (simt::all_sync(is_finite(sums))) {
        store(sums, x, y, channel);
      } else {
        add_each(run, x, y, channel, min(channel + Cut::kBlockChannels, Cut::kChannels));
      }
    }
  }

 private:
  /// This lane is 4 * group() + in_group().
  __device__ static int group() { return static_cast<int>(simt::lane()) / 4; }
  __device__ static int in_group() { return static_cast<int>(simt::lane()) % 4; }
  /// The patch's pixels are rows of the products: this lane has column x of rows y and y + 2.
  __device__ static int own_x() { return group() % kPatchSide; }
  __device__ static int own_y() { return group() / kPatchSide; }

  /// Sums of the channels from `channel` on. Factors of a product are read while the one before is
  /// made.
  __device__ Sums multiply(const Run& run, int channel) const {
    Sums sums = {};
    Factors next = read(run.first, run.last, channel);
#pragma unroll 1
    for (int at = run.first; at < run.last; at += kProductPoints) {
      const Factors factors = next;
      if (at + kProductPoints < run.last) next = read(at + kProductPoints, run.last, channel);
#pragma unroll
      for (int q = 0; q < kGroups; ++q) {
#pragma unroll
        for (int u = 0; u < kWidth; ++u) {
          const auto bits = [&](int n) {
            return static_cast<unsigned>(
                reinterpret_cast<const unsigned short&>(factors.gradient[n][q].element[u]));
          };
          const unsigned b[2] = {bits(0) | bits(1) << 16U, bits(2) | bits(3) << 16U};
          ptx::mma_m16n8k16<Output>(sums.of[q][u], factors.a, b);
        }
      }
    }
    return sums;
  }
  /// Of the points from `at` on, and zeros behind the last one.
  __device__ Factors read(int at, int last, int channel) const {
    Factors factors = {};
    float upper[kHeld];
    float lower[kHeld];
#pragma unroll
    for (int n = 0; n < kHeld; ++n) {
      const int place = at + 2 * in_group() + n % 2 + n / 2 * 8;
      const bool exists = place < last;
      const int point = bins_.point(exists ? place : at);
      const Record& record = bins_.record(point);
      const float weight = exists ? weight_of_column(record, own_x()) : 0.0F;
      const float y = record.y - static_cast<float>(own_y());
      upper[n] = weight * backward::share(y, false);
      lower[n] = weight * backward::share(y - 2.0F, false);
      const int own = channel + group() * kWidth;
      const Output* const from = gradient(point) + own;
#pragma unroll
      for (int q = 0; q < kGroups; ++q) {
        if (!exists || !has(own + q * Cut::kGroup)) continue;
        factors.gradient[n][q] = Vector<Output, kWidth>::read(
            from + q * Cut::kGroup, [](const auto* p) { return ptx::ldg(p); });
      }
    }
    factors.a[0] = ptx::pack<Output>(upper[0], upper[1]);
    factors.a[1] = ptx::pack<Output>(lower[0], lower[1]);
    factors.a[2] = ptx::pack<Output>(upper[2], upper[3]);
    factors.a[3] = ptx::pack<Output>(lower[2], lower[3]);
    return factors;
  }
  __device__ const Output* gradient(int point) const {
    return reinterpret_cast<const Output*>(
        ptx::mad_wide<Problem::kHeads * Problem::kChannels* static_cast<int>(sizeof(Output))>(
            gradients_, points_.query(point)));
  }
  __device__ static float weight_of_column(const Record& record, int column) {
    return record.weight * backward::share(record.x - static_cast<float>(column), false);
  }
  /// Whether the row has channels from `channel` on.
  __device__ static bool has(int channel) {
    return Cut::kChannels % Cut::kBlockChannels == 0 || channel < Cut::kChannels;
  }

  /// A number that is not finite spoils sums of pixels that its point does not touch.
  __device__ static bool is_finite(const Sums& sums) {
    float largest = 0.0F;
#pragma unroll
    for (int q = 0; q < kGroups; ++q) {
#pragma unroll
      for (int u = 0; u < kWidth; ++u) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          largest = backward::larger_magnitude(largest, sums.of[q][u][i]);
        }
      }
    }
    constexpr float kLargest = 3.402823466e38F;
    return largest <= kLargest;
  }

  /// Adds the sums of the patch at (x, y) to those in global memory.
  __device__ void store(const Sums& sums, int x, int y, int channel) const {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int column = x + own_x();
      const int row = y + own_y() + 2 * half;
      if (!points_.counts(column, row)) continue;
      auto* const to = pixel(column, row);
#pragma unroll
      for (int q = 0; q < kGroups; ++q) {
        const int own = channel + q * Cut::kGroup + in_group() * 2 * kWidth;
#pragma unroll
        for (int c = 0; c < 2 * kWidth; c += kVector) {
          Floats<kVector> part;
          bool is_zero = true;
#pragma unroll
          for (int v = 0; v < kVector; ++v) {
            part.of[v] = sums.of[q][(c + v) % kWidth][2 * half + (c + v) / kWidth];
            is_zero = is_zero && part.of[v] == 0.0F;
          }
          if (!is_zero && has(own + c)) Accumulator::add(to + own + c, part);
        }
      }
    }
  }
  __device__ Element* pixel(int column, int row) const {
    constexpr auto kSize = static_cast<unsigned>(sizeof(Element));
    const auto number =
        static_cast<unsigned>(pixel_of_image<typename K::Layout>(points_.at(), column, row));
    return reinterpret_cast<Element*>(
        const_cast<unsigned char*>(ptx::mad_wide<K::Layout::kPixelStride * kSize>(sums_, number)));
  }

  /// Adds the channels from `channel` to `end` of a run's points one by one, as l2-red does: two
  /// points at a time, of which four lanes have each corner. A number that is not finite reaches
  /// the corners of its point alone.
  __device__ void add_each(const Run& run, int x, int y, int channel, int end) const {
    constexpr int kLanes = 4;
    constexpr int kTogether = simt::kWarpLanes / (4 * kLanes);
    const int corner = group() % 4;
#pragma unroll 1
    for (int place = run.first + group() / 4; place < run.last; place += kTogether) {
      const int point = bins_.point(place);
      const Record& record = bins_.record(point);
      const int column = record.column() + corner % 2;
      const int row = record.row() + corner / 2;
      const float weight = weight_of_column(record, column) *
                           backward::share(record.y - static_cast<float>(row), false);
      if (weight == 0.0F || !points_.counts(x + column, y + row)) continue;
      auto* const to = pixel(x + column, y + row);
      const Output* const from = gradient(point);
      for (int c = channel + in_group() * kVector; c < end; c += kLanes * kVector) {
        const auto stored =
            Vector<Output, kVector>::read(from + c, [](const auto* p) { return ptx::ldg(p); });
        Accumulator::add(to + c,
                         Accumulator::products(weight, Accumulator::gradient(stored, 1.0F)));
      }
    }
  }

  const LevelPoints<K>& points_;
  const Bins& bins_;
  const unsigned char* gradients_;  ///< of the head, in the image's first query
  const unsigned char* sums_;       ///< of the head, in the image's first pixel
};

}  // namespace msda::tile_bins
