// The smallest levels that fit a budget are copied to shared memory when a block begins another
// plane (an image, some neighbouring heads, some channels). Taps of these levels read there, taps
// of other levels read global memory.
#pragma once

#include <msda/parts/resident.cuh>

namespace msda::smem_levels {

template <class K, class Parameters>
inline constexpr ResidentPixel kPixel = [] {
  constexpr int kHeads = static_cast<int>(Parameters::heads);
  return ResidentPixel{.heads = kHeads,
                       .channels = kHeads * K::Mapping::kItemChannels,
                       .padding = static_cast<int>(Parameters::padding)};
}();
template <class K, class Parameters>
using BlockLevels =
    ResidentLevels<K, static_cast<int>(Parameters::budget) * 1024, kPixel<K, Parameters>>;

template <class K, class Parameters>
class Source : public ResidentSource<K, BlockLevels<K, Parameters>, Parameters::copy> {
  using Levels = BlockLevels<K, Parameters>;
  using Resident = ResidentSource<K, Levels, Parameters::copy>;
  /// Without it, copies are complete before the first tile.
  static constexpr bool kMeanwhileGlobal = Parameters::meanwhile != 0 && Resident::kWaitSeesAll;

 public:
  static constexpr const char* idle() {
    return Levels::total() == 0 ? "no level fits the budget" : nullptr;
  }
  static constexpr unsigned kCluster = 1;
  using typename Resident::Offset;
  using typename Resident::Storage;
  using typename Resident::Value;
  using typename Resident::Values;
  struct Base {
    typename Resident::Address global;
    int shared;  ///< bytes into a resident level's pixels
    int side;
  };

  __device__ Source(const Arguments& arguments, Storage& storage) : Resident(arguments, storage) {}

  /// Bulk copies run beside the taps of the first tile, or tiles that read global memory.
  __device__ void enter(const WorkItem& item) {
    const auto sync = [] { Consumers<K>::sync(); };
    if (this->switch_plane(item, 0, sync) && !Resident::kWaitSeesAll) sync();
  }
  __device__ void begin_tile(const WorkItem&) {
    if constexpr (!kMeanwhileGlobal) this->wait_for_copies();
  }
  __device__ void leave() { this->wait_for_copies(); }
  __device__ bool is_ready() requires(kMeanwhileGlobal) { return this->copies_are_ready(); }
  __device__ GlobalSource<K, Parameters> global_fallback() const {
    return GlobalSource<K, Parameters>(this->arguments_);
  }
  __device__ Base base(const WorkItem& item, int head, int channel) const {
    const int in_plane = Resident::channel_in_plane(item, head, channel);
    return {K::Reader::image(this->arguments_, item.image, head, channel),
            in_plane * Levels::kSize - Levels::origin(this->arguments_), K::Mapping::side()};
  }
  /// For a resident level bytes in shared memory, for others an address.
  template <int level>
  __device__ auto anchor(const Base& base, Offset offset) const {
    if constexpr (Levels::resident(level)) {
      const int column = base.side * Resident::delta(level, 1, 0);
      return ptx::mad_lo<Levels::kStride>(ptx::opaque(base.shared + column), offset);
    } else {
      return Resident::template anchor_in<level>(base.global, base.side, offset);
    }
  }
  using Resident::read;
  template <int level>
  __device__ Values read(int anchor, int delta) const {
    static_assert(Levels::resident(level));
    const auto at = Levels::locate(this->storage_.data(), anchor + Levels::start(level) + delta);
    Values values;
    if constexpr (SplitElement<Value>) {
      copy_words<Values::Uppers::kBytes, widest_word(2 * Levels::kStride)>(values.upper.element,
                                                                           at.upper);
      copy_words<Values::Lowers::kBytes, widest_word(Levels::kStride)>(values.lower.element,
                                                                       at.lower);
    } else {
      copy_words<Values::kBytes, widest_word(Levels::kStride)>(values.element, at);
    }
    return values;
  }
};

}  // namespace msda::smem_levels
