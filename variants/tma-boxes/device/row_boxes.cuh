// Boxes without producer warps: the lanes of a row copy their row's boxes, `stages` - 1 batches
// ahead of the batch that they blend. A barrier for each row and stage counts the bytes.
#pragma once

#include <msda/parts/metadata_threads.cuh>
#include <tma_boxes/boxes.cuh>

namespace msda::tma_boxes {

template <class K, int stages>
class RowBoxes {
  using Mapping = typename K::Mapping;
  using Box = tma_boxes::Box<K>;

 public:
  static constexpr bool kByProducers = false;
  static constexpr int kAhead = stages - 1;
  struct Storage {
    typename Box::Pixels box[stages][kTileRows<K>][kBatch<K>];
    ptx::Barrier barrier[stages][Mapping::kRows];
  };

  __device__ RowBoxes(const Arguments& arguments, Storage& storage)
      : arguments_(arguments),
        storage_(storage),
        group_(min(Mapping::row(), Mapping::kRows - 1)),
        is_real_(Mapping::row() < Mapping::kRows) {
    if (is_leader()) {
      for (int s = 0; s < stages; ++s) {
        ptx::mbarrier_init(&barrier(s),
                           Mapping::kRowsPerLane * (Box::kTensor ? 1 : Mapping::kLanes));
      }
      ptx::fence_mbarrier_init();
    }
    simt::syncthreads();
  }

  template <int level, int points, class Source>
  __device__ void begin(const Source&, const typename Source::Base&, const WorkItem& item, int head,
                        int stage, int r, const Taps<K> (&taps)[kBatch<K>]) {
    if (!is_real_) return;
    if constexpr (Box::kTensor) {
      if (!is_leader()) return;
      ptx::fence_proxy_async();  // the row's lanes have read the stage
      ptx::mbarrier_arrive_expect_tx(&barrier(stage), points * Box::kBytes);
#pragma unroll
      for (int p = 0; p < points; ++p) {
        Box::template copy<level>(arguments_, item, head, taps[p].offset, box(stage, r, p),
                                  barrier(stage));
      }
    } else {
      const auto image = [&](int channel) {
        return image_values<K>(arguments_, item.image, head,
                               item.channel_block * Mapping::kItemChannels + channel);
      };
#pragma unroll
      for (int p = 0; p < points; ++p) {
        for (int word = Mapping::lane(); word < Box::kWords; word += Mapping::kLanes) {
          Box::template copy_word<level>(image, taps[p].offset, word, box(stage, r, p));
        }
      }
      Box::arrive_after_words(barrier(stage));
    }
  }
  __device__ void commit(int) {}
  template <int pending>
  __device__ void wait(int stage) {
    ptx::mbarrier_wait(&barrier(stage), phases_ >> stage & 1U);
  }
  template <int points, class Value>
  __device__ void read(int stage, int r, Value (&value)[kBatch<K>][kTaps<K>]) const {
#pragma unroll
    for (int p = 0; p < points; ++p) Box::read(box(stage, r, p), value[p]);
  }
  /// Called by all lanes of the row after they have read: the stage may be filled again.
  __device__ void release(int stage) {
    phases_ ^= 1U << stage;
    if constexpr (Mapping::kWarpHoldsRows) {
      simt::syncwarp();
    } else {
      Consumers<K>::sync();
    }
  }

 private:
  __device__ bool is_leader() const { return is_real_ && Mapping::lane() == 0; }
  __device__ ptx::Barrier& barrier(int stage) const { return storage_.barrier[stage][group_]; }
  __device__ typename Box::Pixels& box(int stage, int r, int p) const {
    return storage_.box[stage][r * Mapping::kRows + group_][p];
  }

  const Arguments& arguments_;
  Storage& storage_;
  int group_;
  bool is_real_;
  unsigned phases_ = 0;  ///< of the stages' barriers, a bit each
};

}  // namespace msda::tma_boxes
