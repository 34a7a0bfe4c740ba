// Slot "source": the memory from which a lane reads its values.
#pragma once

#include <msda/contract.cuh>
#include <msda/slots/reader.cuh>
#include <msda/slots/schedule.cuh>

namespace msda {

/// Stored pixels from a footprint's anchor to its pixel at (column, row), each 0 or 1. On a level
/// of width or height 1 the second pixel repeats the first, with weight 0.
template <class K>
__device__ constexpr int pixels_from_anchor(int level, int column, int row) {
  using Problem = typename K::Problem;
  const bool wide = Problem::width(level) > 1 || K::Layout::kBordered;
  const bool high = Problem::height(level) > 1 || K::Layout::kBordered;
  return (wide ? column : 0) + (high ? row : 0) * K::Layout::pitch(level);
}
/// The same on a level of run-time size.
template <class K>
__device__ __forceinline__ int pixels_from_anchor(const LevelAt& at, int column, int row) {
  constexpr bool kTwo = K::kStructure.least > 1 || K::Layout::kBordered;
  const int right = kTwo || at.width() > 1 ? column : 0;
  if (row == 0) return right;
  return right + (kTwo || at.height() > 1 ? K::Layout::pitch(at) : 0);
}

/// For a policy's idle(): why no value is loaded from global memory, or null.
template <class K>
constexpr const char* all_levels_on_chip() {
  if (!K::Sizes::kFixed) return nullptr;  // depends on the pyramid
  for (int level = 0; level < K::Problem::kLevels; ++level) {
    if (!K::Source::on_chip(level)) return nullptr;
  }
  return "all levels are on chip: no value is loaded from global memory";
}

/// Tensor maps: of each level, or of the image with run-time level sizes.
template <class K>
inline constexpr int kMaps = K::Sizes::kFixed ? K::Problem::kLevels : 1;

/// The tensor map of a level, from the main kernel's arguments.
template <class K>
__device__ __forceinline__ const TensorMap* map_of(const Arguments& arguments, int level) {
  return &static_cast<const MappedArguments<kMaps<K>, typename K::Arguments>&>(arguments)
              .maps[level];
}

/// A read returns the blend of the four corners: offset(x, y) of a point at (x, y), in pixels.
template <class Policy>
concept BlendingSource = requires {
  { Policy::offset(0.0F, 0.0F) } -> Same<typename Policy::Offset>;
};

/// A read returns one pixel:
///
/// - offset(level, x, y) of the anchor, the upper left of the 2x2 pixels around a point, on a level
///   as K::Sizes::at() returns it;
/// - pixels<level>(delta), for a level that is not on chip, returns the stored pixels from an
///   anchor of K::Reader to the pixel that read() returns for `delta`.
template <class Policy, class K>
concept PixelSource = requires(const typename K::Sizes& sizes) {
  { Policy::offset(sizes.at(0), 0, 0) } -> Same<typename Policy::Offset>;
  { Policy::template pixels<0>(0) } -> Same<int>;
};

/// True if levels come to shared memory one after the other: on_level<level>(item), called by all
/// consumers before the first load from `level` in a tile.
template <class K>
inline constexpr bool kStreamsLevels = requires(typename K::Source& source, const WorkItem& item) {
  source.template on_level<0>(item);
};

/// True if a tile may start before the copies of resident levels are complete. is_ready(), called
/// by all lanes of a warp, returns the same in all of them; until then the warp reads from
/// global_fallback(), a source of the same values that has nothing on chip.
template <class K>
inline constexpr bool kResidentArrivesLate = requires(typename K::Source& source) {
  source.is_ready();
  source.global_fallback();
};

template <class Policy>
concept FixedDeltas = kConstant<int, Policy::delta(0, 1, 1)>;

/// An object for each consumer. All consumers of the block call
///
/// - enter(item) when an item begins; leave() after the last item;
/// - begin_tile(item) before they read values of a tile: returns when resident levels are there,
///   or at once with kResidentArrivesLate.
///
/// Lanes call, without synchronisation,
///
/// - base(item, head, channel): returns the `Base` of this lane's channels of the head;
/// - anchor<level>(base, offset): returns the anchor's address for a tap's offset;
/// - read<level>(anchor, delta): returns the lane's channels of a pixel, a Vector of `Value`s.
///
/// Constants:
///
/// - `kPlaneHeads`: neighbouring heads in a work item: the heads that the source keeps on chip
///   together, or all of the problem;
/// - `kCluster`: blocks of a cluster, among which levels are divided; 1: no clusters;
/// - `kBlends`: the policy is a BlendingSource, otherwise a PixelSource;
/// - `Offset`: what a tap carries of a point, for anchor();
/// - delta(level, column, row): from the anchor to the pixel at (column, row), each 0 or 1; static
///   with fixed level sizes;
/// - on_chip(level): nothing of the level need be fetched ahead;
/// - texture(level): the texture that the source asks for; of width 0: none;
/// - boxes(level): the tensor that a resident level is copied from; of element size 0: none. With
///   run-time level sizes boxes(0) is that of the image, for all levels.
template <class Policy, class K>
concept SourcePolicy = requires(Policy& policy, const typename Policy::Base& base,
                                const typename Policy::Offset& offset, const WorkItem& item) {
  requires HasStorage<Policy>;
  requires kConstant<int, Policy::kPlaneHeads>;
  requires kConstant<unsigned, Policy::kCluster>;
  requires kConstant<bool, Policy::kBlends>;
  requires(Policy::kBlends ? BlendingSource<Policy> : PixelSource<Policy, K>);
  requires(K::Sizes::kFixed ? FixedDeltas<Policy> : true);
  { policy.delta(0, 1, 1) } -> Same<int>;
  requires kConstant<bool, Policy::on_chip(0)>;
  { Policy::texture(0) } -> Same<TextureShape>;
  { Policy::boxes(0) } -> Same<BoxShape>;
  policy.enter(item);
  policy.begin_tile(item);
  policy.leave();
  { policy.base(item, 0, 0) } -> Same<typename Policy::Base>;
  requires Same<decltype(policy.template read<0>(policy.template anchor<0>(base, offset), 0)),
                Vector<typename Policy::Value, K::Mapping::kVector>>;
};

/// Values in global memory, as the reader slot reads them: the common part of sources that read
/// global memory.
template <class K>
struct GlobalValues {
  using Reader = typename K::Reader;
  using Value = typename K::Arithmetic::Stored;
  using Values = Vector<Value, K::Mapping::kVector>;
  using Address = typename Reader::Address;
  /// The stored pixel of a footprint's anchor, relative to the start of its level, or of the image
  /// with run-time level sizes.
  using Offset = unsigned;
  static constexpr bool kBlends = false;

  template <class At>
  __device__ static Offset offset(const At& level, int x, int y) {
    return static_cast<Offset>(pixel_in<typename K::Layout>(level, x, y));
  }
  /// Stored pixels.
  __device__ static constexpr int delta(int level, int column, int row) requires(K::Sizes::kFixed) {
    return pixels_from_anchor<K>(level, column, row);
  }
  __device__ int delta(int level, int column, int row) const requires(!K::Sizes::kFixed) {
    return pixels_from_anchor<K>(typename K::Sizes(arguments_).at(level), column, row);
  }
  template <int level>
  __device__ static constexpr int pixels(int delta) {
    if constexpr (K::Sizes::kFixed) return K::Layout::start(level) + delta;
    return delta;
  }
  static constexpr TextureShape texture(int) { return {}; }
  static constexpr BoxShape boxes(int) { return {}; }

  /// Anchor of the column that side `side` reads; `image` is the lane's address in the first pixel.
  template <int level>
  __device__ Address anchor_in(const Address& image, int side, Offset offset) const {
    return Reader::pixel(image, side * delta(level, 1, 0), offset);
  }
  template <int level>
  __device__ Values read(const Address& anchor, int delta) const {
    return Reader::template read<level>(arguments_, anchor, pixels<level>(delta));
  }

 protected:
  __device__ explicit GlobalValues(const Arguments& arguments) : arguments_(arguments) {}

  const Arguments& arguments_;
};

/// Default: all values in global memory.
template <class K, class Parameters>
class GlobalSource : public GlobalValues<K> {
  using Global = GlobalValues<K>;

 public:
  static constexpr int kPlaneHeads = K::Problem::kHeads;
  static constexpr unsigned kCluster = 1;
  using typename Global::Address;
  using typename Global::Offset;
  struct Storage {};
  struct Base {
    Address image;
    int side;
  };

  static constexpr bool on_chip(int) { return false; }

  __device__ explicit GlobalSource(const Arguments& arguments) : Global(arguments) {}
  __device__ GlobalSource(const Arguments& arguments, Storage&) : GlobalSource(arguments) {}

  __device__ void enter(const WorkItem&) {}
  __device__ void begin_tile(const WorkItem&) {}
  __device__ void leave() {}
  __device__ Base base(const WorkItem& item, int head, int channel) const {
    return {K::Reader::image(this->arguments_, item.image, head, channel), K::Mapping::side()};
  }
  template <int level>
  __device__ Address anchor(const Base& base, Offset offset) const {
    return Global::template anchor_in<level>(base.image, base.side, offset);
  }
};

}  // namespace msda
