// What a run spent its time on, in all and over time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/run_ranges.hpp"

namespace msda {

/// One use of time, over all devices of the run.
struct TimeUse {
  std::string name;  ///< "compile", "verify", "samples", "flush", "idle", ...
  double seconds = 0;
};

/// A stretch of the run, in which a use took a share of the time.
struct TimeStrip {
  std::string use;
  double begin = 0;  ///< seconds since the run's begin
  double end = 0;
  double share = 0;  ///< 0 .. 1
};

struct Timeline {
  double seconds = 0;         ///< from the first range to the last, without pauses
  std::vector<TimeUse> uses;  ///< in the order in which a cell goes through them; those that took
                              ///< any time
  std::vector<TimeStrip>
      strips;  ///< at most kMostStrips of each use, neighbours of one share joined

  double total() const;  ///< of all uses: `seconds` for each device
};

inline constexpr std::size_t kMostStrips = 160;

/// Pauses between attempts at a run, in which no worker lived, are cut out, however short they are.
/// nullopt without ranges.
std::optional<Timeline> make_timeline(const std::vector<RunRange>& ranges);

}  // namespace msda
