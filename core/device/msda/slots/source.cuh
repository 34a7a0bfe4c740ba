// Slot "source": where a lane reads its value rows from.
#pragma once

#include <msda/contract.cuh>
#include <msda/slots/restage.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/split.cuh>

namespace msda {

/// Stored pixels from a footprint's anchor to its pixel at (column, row), each 0 or 1. A level of
/// width or height 1 has no second one: its first stands for it, with weight 0.
template <class K>
__device__ constexpr int pixels_from_anchor(int level, int column, int row) {
  using Problem = typename K::Problem;
  const bool wide = Problem::width(level) > 1 || K::Layout::kBordered;
  const bool high = Problem::height(level) > 1 || K::Layout::kBordered;
  return (wide ? column : 0) + (high ? row : 0) * K::Layout::pitch(level);
}

/// Why no value is loaded from global memory, as a policy's idle(); null when some level's are.
template <class K>
constexpr const char* all_levels_on_chip() {
  for (int level = 0; level < K::Problem::kLevels; ++level) {
    if (!K::Source::on_chip(level)) return nullptr;
  }
  return "all levels are on chip: no value is loaded from global memory";
}

/// First channel `channel` of head `head` of an image's stored values.
template <class K>
__device__ __forceinline__ auto image_values(const Arguments& arguments, long long image, int head,
                                             int channel) {
  return element_of<typename K::Arithmetic::Stored>(
      static_cast<const unsigned char*>(stored_values<K>(arguments)),
      arguments.batch * K::Layout::kImageStride,
      image * K::Layout::kImageStride + K::Layout::channel_offset(head, channel));
}

/// Where one read returns the four corners blended: place(x, y), of a point in pixels.
template <class Policy>
concept BlendingSource = requires {
  { Policy::place(0.0F, 0.0F) } -> Same<typename Policy::Place>;
};

/// Where a read returns a pixel:
///
/// - place(level, x, y): of the anchor, the upper left of the 2x2 pixels around a point;
/// - address<level>(anchor, delta): where the lane's channels are in global memory, of levels that
///   are not on chip.
template <class Policy>
concept PixelSource = requires(const Policy& policy, Address<typename Policy::Value> anchor) {
  { Policy::place(0, 0, 0) } -> Same<typename Policy::Place>;
  { policy.template address<0>(anchor, 0) } -> Same<Address<typename Policy::Value>>;
};

/// True where levels come to shared memory as the walk comes to them: reach<level>(item), all
/// consumers come to a level, of which nothing was read before in this tile.
template <class K>
inline constexpr bool kFollowsWalk = requires(typename K::Source& source, const WorkItem& item) {
  source.template reach<0>(item);
};

/// True where tiles may begin before what is to lie on chip has come there: has_come(), which all
/// lanes of a warp call and which is the same in them, and in_global(), a source of the same values
/// that has nothing on chip.
template <class K>
inline constexpr bool kComesLater = requires(typename K::Source& source) {
  source.has_come();
  source.in_global();
};

/// An object for each consumer:
///
/// - enter(item): all consumers begin an item; leave(): they are done with all items;
/// - begin_tile(item): all consumers are about to read a tile's rows, of which those on chip may
///   still be on their way;
/// - base(item, head, channel): where this lane's channels of the head lie, a `Base`;
/// - anchor<level>(base, place): where they lie in a point's anchor;
/// - read<level>(anchor, delta): its channels of a pixel, a Vector of elements `Value`.
///
/// What is known of all:
///
/// - `kPlaneHeads`: neighbouring heads whose rows a work item has: those that the source keeps on
///   chip together, or all of the problem;
/// - `kCluster`: blocks of a cluster that it shares levels out to; 1: no clusters;
/// - `kBlends`: the policy is a BlendingSource, otherwise a PixelSource;
/// - `Place`: what a tap carries of a point;
/// - delta(level, column, row): from the anchor to the pixel at (column, row), each 0 or 1;
/// - on_chip(level): there is nothing to fetch ahead;
/// - texture(level): the texture that the source asks for; of width 0: none.
template <class Policy, class K>
concept SourcePolicy = requires(Policy& policy, const typename Policy::Base& base,
                                const typename Policy::Place& place, const WorkItem& item) {
  requires HasStorage<Policy>;
  requires kConstant<int, Policy::kPlaneHeads>;
  requires kConstant<unsigned, Policy::kCluster>;
  requires kConstant<bool, Policy::kBlends>;
  requires(Policy::kBlends ? BlendingSource<Policy> : PixelSource<Policy>);
  requires kConstant<int, Policy::delta(0, 1, 1)>;
  requires kConstant<bool, Policy::on_chip(0)>;
  { Policy::texture(0) } -> Same<TextureShape>;
  policy.enter(item);
  policy.begin_tile(item);
  policy.leave();
  { policy.base(item, 0, 0) } -> Same<typename Policy::Base>;
  requires Same<decltype(policy.template read<0>(policy.template anchor<0>(base, place), 0)),
                Vector<typename Policy::Value, K::Mapping::kVector>>;
};

/// Rows of `value` in global memory, through the cache slot's loads: what the sources that read
/// some there share.
template <class K>
struct GlobalRows {
  using Value = typename K::Arithmetic::Stored;
  using Row = Vector<Value, K::Mapping::kVector>;
  using Address = msda::Address<Value>;
  /// The stored pixel of a footprint's anchor, counted from the start of its level.
  using Place = unsigned;
  static constexpr bool kBlends = false;
  /// Bytes between neighbouring pixels; as all distances, where elements are split, in their lower
  /// plane.
  static constexpr int kPixelBytes = K::Layout::kPixelStride * kUnitBytes<Value>;

  __device__ static Place place(int level, int x, int y) {
    return static_cast<Place>(K::Layout::pixel(level, x, y));
  }
  __device__ static constexpr int delta(int level, int column, int row) {
    return pixels_from_anchor<K>(level, column, row) * kPixelBytes;
  }
  static constexpr TextureShape texture(int) { return {}; }

  /// Of the column that side `side` reads. `image` is where the lane's channels begin in the image.
  template <int level>
  __device__ static Address anchor_in(const Address& image, int side, Place place) {
    return strided<kPixelBytes>(image + side * delta(level, 1, 0), place);
  }
  /// What lies `delta` bytes from an anchor: a constant, which with the level's start becomes part
  /// of the load instruction.
  template <int level>
  __device__ static Address address(const Address& anchor, int delta) {
    constexpr long long kStart = static_cast<long long>(K::Layout::start(level)) * kPixelBytes;
    return anchor + kStart + delta;
  }
  template <int level>
  __device__ static Row read(const Address& anchor, int delta) {
    return Row::read(address<level>(anchor, delta),
                     [](const auto* p) { return K::Cache::template load_value<level>(p); });
  }
};

/// Default: all rows in global memory.
template <class K, class Parameters>
class GlobalSource : public GlobalRows<K> {
  using Rows = GlobalRows<K>;

 public:
  static constexpr int kPlaneHeads = K::Problem::kHeads;
  static constexpr unsigned kCluster = 1;
  using typename Rows::Address;
  using typename Rows::Place;
  struct Storage {};
  struct Base {
    Address image;
    int side;
  };

  static constexpr bool on_chip(int) { return false; }

  __device__ explicit GlobalSource(const Arguments& arguments) : arguments_(arguments) {}
  __device__ GlobalSource(const Arguments& arguments, Storage&) : GlobalSource(arguments) {}

  __device__ void enter(const WorkItem&) {}
  __device__ void begin_tile(const WorkItem&) {}
  __device__ void leave() {}
  __device__ Base base(const WorkItem& item, int head, int channel) const {
    return {image_values<K>(arguments_, item.image, head, channel), K::Mapping::side()};
  }
  template <int level>
  __device__ Address anchor(const Base& base, Place place) const {
    return Rows::template anchor_in<level>(base.image, base.side, place);
  }

 private:
  const Arguments& arguments_;
};

}  // namespace msda
