// Slot "block" of the skeleton scaled-rows.
#pragma once

namespace msda::wide_blocks {

template <class K, class Parameters>
struct Block {
  static constexpr int kThreads = static_cast<int>(Parameters::threads);
};

}  // namespace msda::wide_blocks
