// What the structure of a kernel depends on where level sizes are no constants: the class of a
// pyramid, which the host chooses and a unit has as constants, and the structure, of which the
// kernel has several. Host and device share this file.
#pragma once

#include <msda/launch.cuh>

namespace msda {

/// One unit serves all pyramids of a class.
struct LevelClass {
  bool packs;  ///< 16 bits hold the number of every stored pixel of an image
  int least;   ///< width and height of every level are at least this: 1 or 2
  int most;    ///< and at most this
};

/// One way through a run-time kernel. With fixed levels there is one, and its members are unused.
struct Structure {
  int resident = 0;      ///< levels in shared memory, the last ones
  int least = 1;         ///< width and height of every level are at least this: 1 or 2
  bool by_warp = false;  ///< each warp reads the stored sizes by itself, while its points come
};

/// Most levels that a run-time kernel keeps in shared memory: each number is a way through it.
inline constexpr int kMostResident = 3;
/// Pixels of a box that a run-time kernel copies; a copy is a whole number of boxes.
inline constexpr int kRunPixels = 64;

/// Bytes of shared memory for the last `levels` levels.
MSDA_HOST_DEVICE constexpr long long resident_bytes(const LevelSizes& sizes, int count, int levels,
                                                    long long pixel_bytes) {
  if (levels == 0) return 0;
  const long long pixels = sizes.pixels - sizes.start[count - levels];
  return (pixels + kRunPixels - 1) / kRunPixels * kRunPixels * pixel_bytes;
}

/// As many of the last of `count` levels as fit the plan's budget, at most kMostResident.
MSDA_HOST_DEVICE constexpr int resident_levels(const LevelSizes& sizes, int count,
                                               const ResidentBudget& budget) {
  if (budget.pixel_bytes == 0) return 0;
  int levels = 0;
  while (levels < count && levels < kMostResident &&
         resident_bytes(sizes, count, levels + 1, budget.pixel_bytes) <= budget.bytes) {
    ++levels;
  }
  return levels;
}

}  // namespace msda
