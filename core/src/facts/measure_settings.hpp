// How the arms of a run are measured.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "facts/timing_mode.hpp"

namespace msda {

/// The longest silence of a worker in each kind of phase; after that it counts as hung.
struct Timeouts {
  using Seconds = std::chrono::duration<double>;
  Seconds compile{300};  ///< of one arm
  Seconds prepare{120};  ///< check, load, bind and tear down an arm; make inputs and references
  Seconds verify{120};   ///< one verification of an arm, with the comparison
  Seconds measure{120};  ///< one arm's samples of one block
};

struct MeasureSettings {
  std::vector<TimingMode> modes = {kUsualMode};
  int processes = 5;  ///< worker processes at least; each has input seeds of its own
  /// Added while a ratio is not known to `precision` and the budget lasts.
  int most_processes = 10;
  bool noise_pair = true;   ///< run the baseline a second time, to see what is noise
  double precision = 0.01;  ///< half width of the 95% interval of a ratio that is narrow enough
  int blocks = 20;          ///< interleaved passes over all arms, in each process
  int samples = 10;         ///< timed launches of an arm in a block
  int warmup = 3;           ///< untimed launches of an arm before its samples in each block
  int input_sets = 2;       ///< tensors that consecutive launches rotate over
  /// For which an arm's launches follow one another while energy is counted; 0 where it is not.
  std::chrono::duration<double> energy{0};
  std::uint64_t seed = 1;  ///< of the order of arms inside the blocks
  Timeouts timeouts;
  /// Time for the blocks of one problem in one mode, over all processes.
  std::chrono::duration<double> budget{30};

  /// The part of the budget that one process has.
  std::chrono::duration<double> budget_of_process() const { return budget / processes; }
};

}  // namespace msda
