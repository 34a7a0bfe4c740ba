// TMA copies the values of a point to shared memory as one box of 2x2 pixels.
#pragma once

#include <tma_boxes/producer_boxes.cuh>
#include <tma_boxes/row_boxes.cuh>

namespace msda::tma_boxes {

template <class K, int stages>
using Boxes = Conditional<kProducerThreads<K> != 0, ProducerBoxes<K, stages>, RowBoxes<K, stages>>;

template <class K, class Parameters>
struct Fetch : Boxes<K, static_cast<int>(Parameters::stages)> {
  static constexpr const char* idle() {
    return !Box<K>::kTensor
               ? "the values lie so that TMA cannot copy boxes of them: lanes copy words"
               : all_levels_on_chip<K>();
  }
  static constexpr bool kStaged = true;
  static constexpr int kStages = static_cast<int>(Parameters::stages);
  static constexpr BoxShape boxes(int level) { return Box<K>::shape(level); }

  using Base = Boxes<K, kStages>;
  using Base::Base;
};

}  // namespace msda::tma_boxes
