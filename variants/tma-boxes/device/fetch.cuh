// The values of a point come as one box of 2x2 pixels, which TMA copies to shared memory.
#pragma once

#include <tma_boxes/producer_boxes.cuh>
#include <tma_boxes/row_boxes.cuh>

namespace msda::tma_boxes {

template <class Problem, class Parameters>
struct Fetch {
  static constexpr Slot kSlot = kFetch;
  static constexpr bool kStaged = true;
  static constexpr bool kByProducers = true;
  static constexpr int kStages = static_cast<int>(Parameters::stages);
  template <class K>
  static constexpr int kAhead = K::kProducerThreads > 0 ? 0 : kStages - 1;

  template <bool by_producers, class K>
  struct Way {
    using Type = RowBoxes<K, kStages>;
  };
  template <class K>
  struct Way<true, K> {
    using Type = ProducerBoxes<K, kStages>;
  };
  template <class K>
  using Boxes = typename Way<(K::kProducerThreads > 0), K>::Type;

  template <class K>
  static constexpr unsigned kSharedBytes = Boxes<K>::kSharedBytes;
  template <class K>
  static constexpr BoxShape kBoxes(int level) {
    return Box<K>::shape(level);
  }
  template <class K>
  __device__ static void prepare(const Arguments& arguments, unsigned char* shared) {
    Boxes<K>::prepare(arguments, shared);
  }
  template <class K>
  using Reader = typename Boxes<K>::Reader;
  template <class K>
  using Producer = typename Boxes<K>::Producer;
};

}  // namespace msda::tma_boxes
