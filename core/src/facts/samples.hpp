// What a timed block leaves.
#pragma once

#include <string>
#include <vector>

namespace msda {

/// Timed samples of one block, in seconds.
struct SampleBlock {
  int process = 0;
  int block = 0;
  std::vector<double> seconds;
  /// Why the device slowed its clocks while these were taken ("sw-power-cap"); the samples count
  /// all the same.
  std::vector<std::string> throttled{};
};

/// One part of an arm's launch, timed by itself in launches of its own.
struct PartTimes {
  std::string name;
  std::vector<SampleBlock> samples;  ///< in the blocks of the arm's ordinary samples
  bool outside = false;              ///< not in the arm's time
};

}  // namespace msda
