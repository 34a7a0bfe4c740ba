// Small levels are summed in shared memory as whole numbers, for which the hardware has fast atomic
// additions, and go to global memory once for each work item, of one head. An item of many rows is
// worth it: the schedule decides. Other levels: as l2-red.
#pragma once

#include <backward/block_sums.cuh>
#include <backward/sum.cuh>
#include <shared_fixed/levels.cuh>
#include <shared_fixed/meeting.cuh>
#include <shared_fixed/rows.cuh>

namespace msda::shared_fixed {

/// float32 has the exact bound.
template <class K, class Levels, bool is_fixed>
struct BoundOf {
  using Type = Rows<K>;
};
template <class K, class Levels>
requires(kSame<typename K::Problem::Value, float>) struct BoundOf<K, Levels, false> {
  using Type = Meeting<K, Levels>;
};

template <class K, class Parameters>
class Sum {
  using Problem = typename K::Problem;
  using Accumulator = typename K::Accumulator;
  static constexpr int kThreads = K::Lanes::kThreads;
  static constexpr int kWarps = kThreads / simt::kWarpLanes;
  static constexpr int kChannels = Problem::kChannels;
  static constexpr int kBudgetBytes = backward::bytes_for_sums<K>(Parameters::budget);
  using Levels = shared_fixed::Levels<K, kBudgetBytes>;
  static constexpr bool kIsEmpty = Levels::kLevels == 0;
  using Channels = backward::BlockChannels<K>;
  static constexpr int kPixelBytes = Channels::kPixelBytes;
  static constexpr bool kConverts = kSame<typename Problem::Value, float>;
  using Bound = typename BoundOf<K, Levels, Accumulator::kIsFixed>::Type;

  struct FixedStorage {
    alignas(Channels::kAlignment) int sums[kIsEmpty ? 4 : Levels::pixels() * kChannels];
    typename Bound::Storage bound;
    Mass mass[kWarps];
  };
  /// Sums are last, so that a launch has room for those of its pyramid alone.
  struct RunTimeStorage {
    typename Bound::Storage bound;
    Mass mass[kWarps];
    alignas(Channels::kAlignment) int sums[kBudgetBytes / static_cast<int>(sizeof(int))];
  };

 public:
  static constexpr bool kOneHead = true;
  using Storage = Conditional<K::Sizes::kFixed, FixedStorage, RunTimeStorage>;
  static constexpr ResidentBudget kBudget = {kBytesOfPixel<Problem>, kBudgetBytes};
  static constexpr const char* idle() {
    return K::Sizes::kFixed && kIsEmpty ? "no level fits into the budget" : nullptr;
  }

  __device__ Sum(const backward::Arguments& arguments, Storage& storage)
      : arguments_(arguments), storage_(storage), levels_(arguments) {}

  __device__ void enter(const WorkItem& item) {
    if constexpr (kIsEmpty) return;
    clear();
    if constexpr (Accumulator::kIsFixed) {
      scale_ = Accumulator::scale(arguments_, item.image, item.head);
    } else {
      Bound bound(arguments_, levels_, storage_.bound, storage_.sums + room() * kChannels);
      scale_ = backward::unit_of<!kConverts>(of_block(bound.of(item)));
    }
    simt::syncthreads();
  }
  __device__ void leave(const WorkItem& item) {
    if constexpr (kIsEmpty) return;
    simt::syncthreads();
    flush(item);
    simt::syncthreads();
  }

  __device__ void begin_row(long long image, long long row, int head) {
    const bool is_known = Accumulator::kIsFixed && !kIsEmpty;
    reds_.begin_row(arguments_, image, row, head,
                    is_known ? scale_ : Accumulator::scale(arguments_, image, head));
    if constexpr (kIsEmpty) return;
    const auto* gradient =
        static_cast<const typename Problem::Output*>(arguments_.grad_output) + row * kChannels;
#pragma unroll
    for (int n = 0; n < Channels::kOwn; ++n) {
      gradient_[n] = Channels::has(n) ? scale_ * to_float(gradient[Channels::channel(n)]) : 0.0F;
    }
  }
  template <class Level>
  __device__ void add(const Level& level, const backward::Cell& cell) const {
    if constexpr (Levels::has(Level::kNumber)) {
      add_to_shared(level, cell);
    } else {
      reds_.add(level, cell);
    }
  }

 private:
  template <class Level>
  __device__ void add_to_shared(const Level& level, const backward::Cell& cell) const {
    if (cell.x == backward::kAway) return;
    const backward::CornerWeights weights = backward::corner_weights(level, cell);
    const int place =
        (static_cast<int>(backward::pixel_of<K>(cell)) - levels_.before(Level::kNumber)) *
        kPixelBytes;
#pragma unroll
    for (int n = 0; n < Channels::kOwn; ++n) {
      if (!Channels::has(n)) continue;
      const ptx::SharedAddress anchor =
          ptx::shared_address(storage_.sums) + channels_.offset(n, place);
#pragma unroll
      for (int corner = 0; corner < 4; ++corner) {
        if (backward::is_masked<K>(cell, corner)) continue;
        ptx::red_shared_add(
            anchor + (Levels::start(Level::kNumber) + level.pixels_to(corner)) * kPixelBytes,
            backward::whole<kConverts>(weights.of[corner], gradient_[n]));
      }
    }
  }

  /// Pixels that are cleared, and lie before what meets in them.
  __device__ int room() const {
    if constexpr (K::Sizes::kFixed)
      return Levels::pixels();
    else
      return levels_.room();
  }
  __device__ void clear() {
    constexpr int kWord = [] {
      if constexpr (K::Sizes::kFixed) return widest_word(Levels::pixels() * kPixelBytes);
      return widest_word(kRunPixels * kPixelBytes);
    }();
    auto* words = reinterpret_cast<ptx::Word<kWord>*>(storage_.sums);
    const int count = room() * kPixelBytes / kWord;
    for (int i = static_cast<int>(simt::thread()); i < count; i += kThreads) words[i] = {};
  }

  /// Of all threads' masses; called by all threads.
  __device__ Mass of_block(Mass own) {
    const auto most = [](float a, float b) { return larger(a, b); };
    const auto join = [](float a, float b) { return Bound::kAdds ? a + b : larger(a, b); };
    own = {simt::warp_reduce(own.sum, join), simt::warp_reduce(own.largest, most)};
    if (simt::lane() == 0) storage_.mass[simt::warp()] = own;
    simt::syncthreads();
    Mass all = {0.0F, 0.0F};
    for (int w = 0; w < kWarps; ++w) {
      all = {join(storage_.mass[w].sum, all.sum), most(storage_.mass[w].largest, all.largest)};
    }
    return all;
  }

  __device__ void flush(const WorkItem& item) const {
    constexpr int kSize = static_cast<int>(sizeof(typename Accumulator::Element));
    constexpr int kVector = widest_word(kChannels * kSize, Accumulator::kWidest * kSize) / kSize;
    constexpr int kVectors = kChannels / kVector;
    auto* sums = Accumulator::sums(arguments_) +
                 item.image * image_stride<typename K::Layout>(typename K::Sizes(arguments_)) +
                 K::Layout::channel_offset(item.head, 0);
    for (int i = static_cast<int>(simt::thread()); i < levels_.pixels() * kVectors; i += kThreads) {
      const int* from = storage_.sums + i * kVector;
      // Where the unit is NaN every sum is, also one of zero.
      bool is_zero = scale_ == scale_;
#pragma unroll
      for (int v = 0; v < kVector; ++v) is_zero = is_zero && from[v] == 0;
      if (is_zero) continue;
      auto* to = sums +
                 static_cast<long long>(levels_.in_image(i / kVectors)) * K::Layout::kPixelStride +
                 i % kVectors * kVector;
      if constexpr (Accumulator::kIsFixed) {
        int contribution[kVector];
#pragma unroll
        for (int v = 0; v < kVector; ++v) contribution[v] = from[v];
        Accumulator::add_whole(to, contribution);
      } else {
        Floats<kVector> contribution;
#pragma unroll
        for (int v = 0; v < kVector; ++v) {
          contribution.of[v] = static_cast<float>(from[v]) / scale_;
        }
        Accumulator::add(to, contribution);
      }
    }
  }

  const backward::Arguments& arguments_;
  Storage& storage_;
  Levels levels_;
  RowReds<K> reds_;
  float scale_ = 1.0F;
  Channels channels_;
  float gradient_[Channels::kOwn];  ///< in units
};

}  // namespace msda::shared_fixed
