// A copy of `value` in which the pixels of one head lie side by side, inside a border of zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <msda/problem.hpp>

#include "levels.hpp"

namespace msda::cpu_rows {

/// Sampling touches one head at a time. In [B, S, H, C] the pixels of a head are H * C elements
/// apart, often a power of two, so that they share few sets of the caches and few pages' worth of
/// address translation. Copied to [B, H, S, C] they use all of both, and the border saves testing
/// corners.
class HeadPlanes {
 public:
  /// Allocates the copy, zeroed. Throws EnvironmentError with the size when there is too little
  /// memory.
  explicit HeadPlanes(const Problem& problem);

  /// True when the points of a launch read pixels often enough to pay for copying each once.
  static bool worthwhile(const Problem& problem);

  /// Calls of copy_row() that make the whole copy.
  std::int64_t rows() const { return batch_ * rows_per_image_; }
  /// Copies one row of pixels, all heads, from `value`. Rows may be copied by several threads.
  void copy_row(const void* value, std::int64_t row) const;

  const std::byte* data() const { return memory_.get(); }

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };

  std::int64_t batch_;
  std::int64_t heads_;
  std::int64_t rows_per_image_ = 0;
  std::size_t slice_bytes_;  ///< channels of one head and pixel
  cpu::Levels source_;
  cpu::Levels copy_;
  std::unique_ptr<std::byte, Free> memory_;
};

}  // namespace msda::cpu_rows
