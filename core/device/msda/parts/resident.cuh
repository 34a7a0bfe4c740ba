// Levels that live in shared memory: which of them fit, and how they lie there. What the source
// policies that keep levels on chip share.
#pragma once

#include <msda/parts/level_copy.cuh>
#include <msda/parts/metadata_threads.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/slots/source.cuh>
#include <msda/vector.cuh>

namespace msda {

/// What a block keeps of a pixel: `channels` channels of a plane of `heads` neighbouring heads,
/// which lie one head after the other, and `padding` elements.
struct ResidentPixel {
  int heads;
  int channels;
  int padding;
};

/// The smallest levels that fit `budget` bytes of a block. Sizes in bytes; of split elements in
/// those of their lower parts, which lie behind the upper ones of all levels.
template <class K, int budget, ResidentPixel pixel>
struct ResidentLevels {
  using Problem = typename K::Problem;
  using Value = typename K::Arithmetic::Stored;
  static constexpr int kBudget = budget;
  static constexpr int kSize = kUnitBytes<Value>;
  static constexpr int kParts = kPartsOfUnit<Value>;  ///< of all parts, for each byte
  static constexpr int kHeads = pixel.heads;
  static constexpr int kPixelBytes = pixel.channels * kSize;
  /// Parts of a row that lie together in global memory as well: all of it where the layout, the
  /// items and the planes leave the heads side by side.
  static constexpr int kRunBytes = [] {
    constexpr int kItem = K::Mapping::kItemChannels;
    constexpr bool kSideBySide =
        K::Layout::kRunChannels == Problem::kChannels && kItem == Problem::kChannels &&
        K::Layout::channel_offset(1, 0) == Problem::kChannels && Problem::kHeads % kHeads == 0;
    if (kSideBySide) return kPixelBytes;
    return common_divisor(kPixelBytes, common_divisor(K::Layout::kRunChannels, kItem) * kSize);
  }();
  static constexpr int kStride = kPixelBytes + pixel.padding * kSize;
  static constexpr int kGlobalStride = K::Layout::kPixelStride * kSize;

  /// Of a level that is not resident perhaps more than 32 bits count.
  static constexpr long long bytes(int level) {
    return (static_cast<long long>(K::Layout::pixels(level)) * kStride + 15) / 16 * 16;
  }
  /// Levels by size, smallest first (ties: the later one): a level is resident when it and all
  /// smaller ones fit together.
  static constexpr bool smaller(int a, int b) {
    return bytes(a) < bytes(b) || (bytes(a) == bytes(b) && a > b);
  }
  static constexpr bool resident(int level) {
    long long sum = 0;
    for (int l = 0; l < Problem::kLevels; ++l) {
      if (l == level || smaller(l, level)) sum += bytes(l);
    }
    return sum * kParts <= budget;
  }
  /// Where a resident level begins.
  static constexpr int start(int level) {
    long long sum = 0;
    for (int l = 0; l < Problem::kLevels; ++l) {
      if (smaller(l, level)) sum += bytes(l);
    }
    return static_cast<int>(sum);
  }
  /// Bytes of all parts.
  static constexpr int total() {
    long long sum = 0;
    for (int l = 0; l < Problem::kLevels; ++l) sum += resident(l) ? bytes(l) : 0;
    return static_cast<int>(sum) * kParts;
  }
  /// Where in a block's memory what begins at byte `at` lies.
  template <class Byte>
  __device__ static PointerTo<Value, Byte> locate(Byte* memory, int at) {
    if constexpr (SplitElement<Value>) {
      return {memory + 2 * at, memory + total() / kParts * 2 + at};
    } else {
      return memory + at;
    }
  }
};

/// A source that keeps `Levels` in shared memory and reads the others in global memory. Who derives
/// from it says where the resident ones lie.
template <class K, class Levels, int kind>
class ResidentSource : public GlobalValues<K> {
  using Copy = LevelCopy<K, Levels, kind>;

 public:
  static constexpr int kPlaneHeads = Levels::kHeads;
  using Storage = typename Copy::Storage;
  static constexpr BoxShape boxes(int level) { return Copy::boxes(level); }

  static constexpr bool on_chip(int level) { return Levels::resident(level); }
  /// In bytes of a resident level, in pixels of others.
  __device__ static constexpr int delta(int level, int column, int row) {
    return pixels_from_anchor<K>(level, column, row) *
           (Levels::resident(level) ? Levels::kStride : 1);
  }

 protected:
  __device__ ResidentSource(const Arguments& arguments, Storage& storage)
      : GlobalValues<K>(arguments), storage_(storage), copy_(arguments, storage) {}

  static constexpr bool kWaitSeesAll = Copy::kWaitSeesAll;

  /// Begins to copy the levels where the item is of another plane than the one before, from channel
  /// `first` of the plane's on, behind a barrier `sync()` of all who read them. True when it did.
  template <class Sync>
  __device__ bool switch_plane(const WorkItem& item, int first, const Sync& sync) {
    const long long plane =
        (item.image * K::Problem::kHeads + item.head) * K::Mapping::kChannelBlocks +
        item.channel_block;
    if (plane == plane_) return false;
    plane_ = plane;
    copy_.wait();
    sync();  // nobody reads the plane before
    copy_.begin(this->arguments_, item, first);
    return true;
  }
  __device__ void wait_for_copies() { copy_.wait(); }
  __device__ bool copies_are_ready() { return copy_.are_ready(); }
  /// A channel of the problem's, counted among those of the item's plane.
  __device__ static int channel_in_plane(const WorkItem& item, int head, int channel) {
    const int in_head = channel - item.channel_block * K::Mapping::kItemChannels;
    if constexpr (kPlaneHeads == 1) return in_head;
    return (head - item.head) * K::Mapping::kItemChannels + in_head;
  }

  Storage& storage_;

 private:
  Copy copy_;
  long long plane_ = -1;
};

}  // namespace msda
