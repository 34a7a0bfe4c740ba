// Boxes that producer warps copy for all rows, one stage for each batch of points of a tile. A
// barrier for each stage counts the bytes; slot pipeline decides when a stage is filled or read.
#pragma once

#include <msda/slots/pipeline.cuh>
#include <tma_boxes/boxes.cuh>

namespace msda::tma_boxes {

template <class K, int stages>
class ProducerBoxes {
  using Mapping = typename K::Mapping;
  using Box = tma_boxes::Box<K>;

 public:
  static constexpr bool kByProducers = true;
  static constexpr int kAhead = 0;
  struct Storage {
    typename Box::Pixels box[stages][kTileRows<K>][kBatch<K>];
    ptx::Barrier barrier[stages];
  };

  __device__ static void prepare(const Arguments& arguments, Storage& storage) {
    if (simt::thread() != 0) return;
    for (ptx::Barrier& barrier : storage.barrier) {
      ptx::mbarrier_init(
          &barrier, Box::kTensor ? kProducerThreads<K> / simt::kWarpLanes : kProducerThreads<K>);
    }
    ptx::fence_mbarrier_init();
    if constexpr (Box::kTensor) {
      for (int l = 0; l < K::Problem::kLevels; ++l) {
        if (!K::Source::on_chip(l)) ptx::prefetch_tensormap(map_of<K>(arguments, l));
      }
    }
  }

  template <int level, int points, class OffsetOf, class HeadOf>
  __device__ static void produce(const Arguments& arguments, Storage& storage, const WorkItem& item,
                                 int stage, const OffsetOf& offset_of, const HeadOf& head_of) {
    const int producer = static_cast<int>(simt::thread()) - Mapping::kThreads;
    auto& box = storage.box[stage];
    ptx::Barrier& barrier = storage.barrier[stage];
    if constexpr (Box::kTensor) {
      // Boxes are dealt to the warps in turn: a warp issues its copies one after the other.
      constexpr int kBoxes = kTileRows<K> * points;
      constexpr int kWarps = kProducerThreads<K> / simt::kWarpLanes;
      const int warp = producer / simt::kWarpLanes;
      const int boxes = (kBoxes - warp + kWarps - 1) / kWarps;
      ptx::fence_proxy_async();  // consumers have read the stage
      // The arrival announces the bytes of the whole warp; some may have arrived already.
      if (simt::lane() == 0) ptx::mbarrier_arrive_expect_tx(&barrier, boxes * Box::kBytes);
      for (int n = static_cast<int>(simt::lane()); n < boxes; n += simt::kWarpLanes) {
        const int row = (n * kWarps + warp) / points;
        const int point = (n * kWarps + warp) % points;
        Box::template copy<level>(arguments, item, head_of(row), offset_of(row, point),
                                  box[row][point], barrier);
      }
      simt::syncwarp();  // lanes converge: barriers follow
    } else {
      constexpr int kWords = kTileRows<K> * points * Box::kWords;
      for (int i = producer; i < kWords; i += kProducerThreads<K>) {
        const int row = i / Box::kWords / points;
        const int point = i / Box::kWords % points;
        const int head = head_of(row);
        const auto image = [&](int channel) {
          return image_values<K>(arguments, item.image, head,
                                 item.channel_block * Mapping::kItemChannels + channel);
        };
        Box::template copy_word<level>(image, offset_of(row, point), i % Box::kWords,
                                       box[row][point]);
      }
      Box::arrive_after_words(barrier);
    }
  }

  __device__ ProducerBoxes(const Arguments&, Storage& storage) : storage_(storage) {}

  __device__ void follow(Stages<K>& all) { stages_ = &all; }

  template <int level, int points, class Source>
  __device__ void begin(const Source&, const typename Source::Base&, const WorkItem&, int, int, int,
                        const Taps<K> (&)[kBatch<K>]) {}
  __device__ void commit(int) {}
  template <int pending>
  __device__ void wait(int) {
    const int stage = stages_->state.stage;
    stages_->pipeline.consumer_wait(stages_->state);
    ptx::mbarrier_wait(storage_.barrier + stage, phases_ >> stage & 1U);
  }
  template <int points, class Value>
  __device__ void read(int, int r, Value (&value)[kBatch<K>][kTaps<K>]) const {
    const int row = r * Mapping::kRows + min(Mapping::row(), Mapping::kRows - 1);
#pragma unroll
    for (int p = 0; p < points; ++p) {
      Box::read(storage_.box[stages_->state.stage][row][p], value[p]);
    }
  }
  __device__ void release(int) {
    phases_ ^= 1U << stages_->state.stage;
    stages_->pipeline.consumer_release(stages_->state);
    stages_->state.advance();
  }

 private:
  Storage& storage_;
  Stages<K>* stages_ = nullptr;
  /// Phases of the stages' barriers, a bit each; the pipeline's differ, as it has steps of taps
  /// too.
  unsigned phases_ = 0;
};

}  // namespace msda::tma_boxes
