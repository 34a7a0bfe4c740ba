// The smallest levels are summed in shared memory in float32, in that of a block or dealt out,
// pixel by pixel, to the blocks of a cluster, and go to global memory once for each work item, of
// one head. All blocks of a cluster take the same items and divide the rows of these. Other levels:
// as l2-red.
#pragma once

#include <backward/block_sums.cuh>
#include <backward/small_levels.cuh>
#include <backward/sum.cuh>
#include <msda/ptx/cluster.cuh>

namespace msda::shared_floats {

template <class K, class Parameters>
class Sum {
  using Problem = typename K::Problem;
  using Accumulator = typename K::Accumulator;
  using Channels = backward::BlockChannels<K>;
  static constexpr int kThreads = K::Lanes::kThreads;
  static constexpr int kChannels = Problem::kChannels;
  static constexpr int kBlocks = static_cast<int>(Parameters::cluster);
  using Levels = backward::SmallLevels<K, kBlocks * backward::bytes_for_sums<K>(Parameters::budget),
                                       Channels::kPixelBytes>;
  static constexpr bool kIsEmpty = Levels::kLevels == 0;
  /// Pixel p is in block p % kBlocks, so that all blocks have parts of the smallest levels, where
  /// most points meet.
  static constexpr int kBlockPixels = (Levels::kPixels + kBlocks - 1) / kBlocks;

 public:
  static constexpr bool kOneHead = true;
  static constexpr unsigned kCluster = kIsEmpty ? 1 : kBlocks;
  struct Storage {
    alignas(Channels::kAlignment) float sums[kIsEmpty ? 4 : kBlockPixels * kChannels];
  };
  static constexpr const char* idle() {
    return kIsEmpty ? "no level fits into the budget" : nullptr;
  }

  __device__ Sum(const backward::Arguments& arguments, Storage& storage)
      : arguments_(arguments), storage_(storage) {}

  __device__ void enter(const WorkItem&) {
    if constexpr (kIsEmpty) return;
    for (int i = static_cast<int>(simt::thread()); i < kBlockPixels * kChannels; i += kThreads) {
      storage_.sums[i] = 0.0F;
    }
    sync();
  }
  __device__ void leave(const WorkItem& item) {
    if constexpr (kIsEmpty) return;
    sync();
    flush(item);
    simt::syncthreads();
  }

  __device__ void begin_row(long long image, long long row, int head) {
    reds_.begin_row(arguments_, image, row, head, 1.0F);
    if constexpr (kIsEmpty) return;
    const auto* gradient =
        static_cast<const typename Problem::Output*>(arguments_.grad_output) + row * kChannels;
#pragma unroll
    for (int n = 0; n < Channels::kOwn; ++n) {
      gradient_[n] = Channels::has(n) ? to_float(gradient[Channels::channel(n)]) : 0.0F;
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
  __device__ static void sync() {
    if constexpr (kCluster == 1)
      simt::syncthreads();
    else
      ptx::cluster_sync();
  }

  template <class Level>
  __device__ void add_to_shared(const Level& level, const backward::Cell& cell) const {
    if (cell.x == backward::kAway) return;
    const backward::CornerWeights weights = backward::corner_weights(level, cell);
    const int first = static_cast<int>(backward::pixel_of<K>(cell)) -
                      Levels::before(Level::kNumber) + Levels::start(Level::kNumber);
#pragma unroll
    for (int corner = 0; corner < 4; ++corner) {
      if (weights.of[corner] == 0.0F || backward::is_masked<K>(cell, corner)) continue;
      const int pixel = first + level.pixels_to(corner);
      const int place = pixel / kBlocks * Channels::kPixelBytes;
#pragma unroll
      for (int n = 0; n < Channels::kOwn; ++n) {
        if (!Channels::has(n)) continue;
        const ptx::SharedAddress own =
            ptx::shared_address(storage_.sums) + channels_.offset(n, place);
        const float contribution = weights.of[corner] * gradient_[n];
        if constexpr (kCluster == 1)
          ptx::red_shared_add(own, contribution);
        else
          ptx::red_cluster_add(ptx::mapa(own, pixel % kBlocks), contribution);
      }
    }
  }

  /// This block's pixels.
  __device__ void flush(const WorkItem& item) const {
    constexpr int kSize = static_cast<int>(sizeof(typename Accumulator::Element));
    constexpr int kVector = widest_word(kChannels * kSize, Accumulator::kWidest * kSize) / kSize;
    constexpr int kVectors = kChannels / kVector;
    const int rank = static_cast<int>(simt::block() % kCluster);
    auto* sums = Accumulator::sums(arguments_) +
                 item.image * image_stride<typename K::Layout>(typename K::Sizes(arguments_)) +
                 K::Layout::channel_offset(item.head, 0);
    for (int i = static_cast<int>(simt::thread()); i < kBlockPixels * kVectors; i += kThreads) {
      const int pixel = i / kVectors * kBlocks + rank;
      if (pixel >= Levels::kPixels) break;
      Floats<kVector> contribution;
      bool is_zero = true;
#pragma unroll
      for (int v = 0; v < kVector; ++v) {
        contribution.of[v] = storage_.sums[i * kVector + v];
        is_zero = is_zero && contribution.of[v] == 0.0F;
      }
      if (is_zero) continue;
      Accumulator::add(
          sums + static_cast<long long>(Levels::in_image(pixel)) * K::Layout::kPixelStride +
              i % kVectors * kVector,
          contribution);
    }
  }

  const backward::Arguments& arguments_;
  Storage& storage_;
  RowReds<K> reds_;
  Channels channels_;
  float gradient_[Channels::kOwn];
};

}  // namespace msda::shared_floats
