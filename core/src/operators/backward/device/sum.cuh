// Slot "sum": where a block adds contributions to grad_value, perhaps another place for each level.
#pragma once

#include <backward/cells.cuh>
#include <backward/red_map.cuh>
#include <msda/slots/schedule.cuh>

namespace msda {

/// An object for each thread, which is asked for nothing where grad_value is not asked for:
///
/// - `kOneHead`: items have one head;
/// - enter(item), leave(item): called by all threads of a block before the first tile of an item
/// and
///   after the last one;
/// - begin_row(row, head): called by each lane when it begins row `row` = (b*Q + q)*H + h;
/// - add(level, cell): called by each lane of the row for each point of a `backward::Level`;
/// - `kBudget`, if the policy has it: what it keeps of the last levels in shared memory, at the end
///   of its storage, where level sizes are no constants;
/// - `kCluster`, if the policy has it: blocks of a cluster that take the same items, and divide
///   their rows.
template <class Policy, class K>
concept SumPolicy = requires(Policy& policy, const WorkItem& item, const backward::Cell& cell,
                             const backward::Arguments& arguments,
                             const backward::Level<K, 0>& level,
                             typename Policy::Storage& storage) {
  Policy(arguments, storage);
  requires kConstant<bool, Policy::kOneHead>;
  policy.enter(item);
  policy.leave(item);
  policy.begin_row(0LL, 0LL, 0);
  policy.add(level, cell);
};

/// A lane's reds of one row: its channels of the gradient, and the sums in global memory.
template <class K>
class RowReds {
  using Problem = typename K::Problem;
  using Map = typename K::RedMap;
  using Accumulator = typename K::Accumulator;
  using Element = typename Accumulator::Element;
  static constexpr int kVector = Map::kVector;
  using Gradient =
      decltype(Accumulator::gradient(Vector<typename Problem::Output, kVector>(), 1.0F));
  static constexpr int kPixelBytes = K::Layout::kPixelStride * static_cast<int>(sizeof(Element));

 public:
  __device__ void begin_row(const backward::Arguments& arguments, long long image, long long row,
                            int head, float scale) {
    using Output = typename Problem::Output;
    const auto* gradient =
        static_cast<const Output*>(arguments.grad_output) + row * Problem::kChannels;
#pragma unroll
    for (int n = 0; n < Map::kOwn; ++n) {
      const int chunk = Map::chunk(n);
      if (chunk >= Map::kChunks) continue;
      const auto stored = Vector<Output, kVector>::read(gradient + chunk * kVector,
                                                        [](const auto* p) { return ptx::ldg(p); });
      gradient_[n] = Accumulator::gradient(stored, scale);
    }
    sums_ = reinterpret_cast<unsigned char*>(
        Accumulator::sums(arguments) +
        image * image_stride<typename K::Layout>(typename K::Sizes(arguments)) +
        K::Layout::channel_offset(head, Map::chunk(0) * kVector));
  }

  /// Calls visit(corner, weight, sums) for each corner, column + 2 * row, that the lane adds to:
  /// `sums` are those of its first vector.
  template <class Level, class Visit>
  __device__ __forceinline__ void each_corner(const Level& level, const backward::Cell& cell,
                                              const Visit& visit) const {
    // A step's corners are those of step 0 and a constant distance from them.
    const int lane_corner = Map::corner(0);
    unsigned char* const first =
        sums_ + level.pixels_to(lane_corner) * static_cast<long long>(kPixelBytes);
    unsigned char* const anchor =
        const_cast<unsigned char*>(ptx::mad_wide<kPixelBytes>(first, backward::pixel_of<K>(cell)));
#pragma unroll
    for (int step = 0; step < Map::kSteps; ++step) {
      const int corner = Map::corner(step);
      const float weight = cell.weight * level.x_share(cell.x, corner % 2 != 0) *
                           level.y_share(cell.y, corner / 2 % 2 != 0);
      if (weight == 0.0F || (Map::kPerStep > 4 && corner >= 4)) continue;
      if (backward::is_masked<K>(cell, corner)) continue;
      unsigned char* const pixel =
          anchor + level.pixels_to(step * Map::kPerStep) * static_cast<long long>(kPixelBytes);
      visit(corner, weight, reinterpret_cast<Element*>(pixel));
    }
  }
  /// Calls visit(channel, products) for each of the lane's vectors, whose first channel lies
  /// `channel` behind that of its first vector.
  template <class Visit>
  __device__ __forceinline__ void each_vector(float weight, const Visit& visit) const {
#pragma unroll
    for (int n = 0; n < Map::kOwn; ++n) {
      if (Map::kOwn * Map::kSpan != Map::kChunks && Map::chunk(n) >= Map::kChunks) continue;
      visit((Map::chunk(n) - Map::chunk(0)) * kVector, Accumulator::products(weight, gradient_[n]));
    }
  }
  template <class Level>
  __device__ void add(const Level& level, const backward::Cell& cell) const {
    each_corner(level, cell, [&](int, float weight, Element* sums) {
      each_vector(weight, [&](int channel, const auto& products) {
        Accumulator::add(sums + channel, products);
      });
    });
  }

 private:
  Gradient gradient_[Map::kOwn];
  unsigned char* sums_;  ///< of the lane's first vector in the image's first pixel
};

/// Default: reds to global memory, which the L2 executes.
template <class K, class Parameters>
class L2RedSum {
 public:
  static constexpr bool kOneHead = false;
  struct Storage {};

  __device__ L2RedSum(const backward::Arguments& arguments, Storage&) : arguments_(arguments) {}
  __device__ void enter(const WorkItem&) {}
  __device__ void leave(const WorkItem&) {}
  __device__ void begin_row(long long image, long long row, int head) {
    reds_.begin_row(arguments_, image, row, head, K::Accumulator::scale(arguments_, image, head));
  }
  template <class Level>
  __device__ void add(const Level& level, const backward::Cell& cell) const {
    reds_.add(level, cell);
  }

 private:
  const backward::Arguments& arguments_;
  RowReds<K> reds_;
};

}  // namespace msda
