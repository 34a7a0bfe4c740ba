// Boxes that producer warps copy for all rows, one stage for each batch of points of a tile. A
// barrier for each stage counts the bytes; who may fill or read a stage is the handover slot's
// matter.
#pragma once

#include <msda/slots/handover.cuh>
#include <tma_boxes/boxes.cuh>

namespace msda::tma_boxes {

template <class K, int stages>
struct ProducerBoxes {
  using Mapping = typename K::Mapping;
  using Box = tma_boxes::Box<K>;
  static constexpr int kBatch = Tile<K>::kBatch;
  static constexpr int kStageBytes = Tile<K>::kRows * kBatch * Box::kSlotBytes;
  static constexpr unsigned kSharedBytes =
      stages * (kStageBytes + static_cast<int>(sizeof(ptx::Barrier)));

  __device__ static ptx::Barrier* barriers(unsigned char* shared) {
    return reinterpret_cast<ptx::Barrier*>(shared + stages * kStageBytes);
  }
  /// Box of point `p` of the batch, of row `row` of the tile.
  __device__ static unsigned char* box(unsigned char* shared, int stage, int row, int p) {
    return shared + stage * kStageBytes + (row * kBatch + p) * Box::kSlotBytes;
  }

  __device__ static void prepare(const Arguments& arguments, unsigned char* shared) {
    if (simt::thread() != 0) return;
    for (int s = 0; s < stages; ++s) {
      ptx::init(barriers(shared) + s,
                Box::kTensor ? K::kProducerThreads / simt::kWarpLanes : K::kProducerThreads);
    }
    ptx::publish_barriers();
    if constexpr (Box::kTensor) {
      for (int l = 0; l < K::Problem::kLevels; ++l) {
        if (!K::Source::template on_chip<K>(l)) ptx::prefetch_map(arguments.maps + l);
      }
    }
  }

  class Producer {
   public:
    __device__ Producer(const Arguments& arguments, unsigned char* shared)
        : arguments_(arguments), shared_(shared) {}

    template <int level, int points, class PlaceOf, class HeadOf>
    __device__ void produce(const WorkItem& item, int stage, const PlaceOf& place_of,
                            const HeadOf& head_of) {
      const int worker = static_cast<int>(simt::thread()) - Mapping::kThreads;
      ptx::Barrier* barrier = barriers(shared_) + stage;
      if constexpr (Box::kTensor) {
        // Dealt out to the warps in turn: a warp begins its copies one after the other.
        constexpr int kBoxes = Tile<K>::kRows * points;
        constexpr int kWarps = K::kProducerThreads / simt::kWarpLanes;
        const int warp = worker / simt::kWarpLanes;
        const int boxes = (kBoxes - warp + kWarps - 1) / kWarps;
        ptx::fence_before_bulk_copies();  // the team has read the stage
        // The arrival announces the bytes of the whole warp, which may already be coming.
        if (simt::lane() == 0) ptx::arrive_expecting(barrier, boxes * Box::kBytes);
        for (int n = static_cast<int>(simt::lane()); n < boxes; n += simt::kWarpLanes) {
          const int row = (n * kWarps + warp) / points;
          const int point = (n * kWarps + warp) % points;
          Box::template copy<level>(arguments_, item, head_of(row), place_of(row, point),
                                    box(shared_, stage, row, point), barrier);
        }
        simt::sync_warp();  // its lanes go on together: barriers follow
      } else {
        constexpr int kWords = Tile<K>::kRows * points * Box::kWords;
        for (int i = worker; i < kWords; i += K::kProducerThreads) {
          const int row = i / Box::kWords / points;
          const int point = i / Box::kWords % points;
          const int head = head_of(row);
          const auto image = [&](int channel) {
            return image_values<K>(arguments_, item.image, head,
                                   item.channel_block * Mapping::kItemChannels + channel);
          };
          Box::template copy_word<level>(image, place_of(row, point), i % Box::kWords,
                                         box(shared_, stage, row, point));
        }
        Box::arrive_after_words(barrier);
      }
    }

   private:
    const Arguments& arguments_;
    unsigned char* shared_;
  };

  class Reader {
   public:
    __device__ Reader(const Arguments& arguments, unsigned char* shared) : shared_(shared) {
      static_cast<void>(arguments);
    }
    __device__ void follow(Stages<K>& all) { stages_ = &all; }

    template <int level, class Source, int points>
    __device__ void begin(const Source&, const typename Source::Base&, const WorkItem&, int, int,
                          int, const Taps<K> (&)[points]) {}
    __device__ void commit(int) {}
    template <int pending>
    __device__ void wait(int) {
      stages_->handover.consumer_wait(stages_->state);
      ptx::wait(barriers(shared_) + stages_->state.stage, phases_ >> stages_->state.stage & 1U);
    }
    template <int points, class Values>
    __device__ void read(int, int r, Values (&value)[points][kTaps<K>]) const {
      const int row = r * Mapping::kRows + min(Mapping::row(), Mapping::kRows - 1);
#pragma unroll
      for (int p = 0; p < points; ++p) {
        Box::read(box(shared_, stages_->state.stage, row, p), value[p]);
      }
    }
    __device__ void release(int) {
      phases_ ^= 1U << stages_->state.stage;
      stages_->handover.consumer_release(stages_->state);
      stages_->state.advance();
    }

   private:
    unsigned char* shared_;
    Stages<K>* stages_ = nullptr;
    /// Phases of the stages' barriers, a bit each. Not those of the handover, which also has steps
    /// of taps.
    unsigned phases_ = 0;
  };
};

}  // namespace msda::tma_boxes
