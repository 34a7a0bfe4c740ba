// What a search knows of measuring: it asks for trials and gets times relative to the baseline's.
// Behind it stands a worker with a device, what an interrupted search has left, or a simulation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace msda {

enum class Stage {
  kKnown,      ///< the experiment's arms, first of all
  kEnumerate,  ///< every point of a small space
  kScreen,     ///< a fraction in which all pairs of levels occur
  kRefine,     ///< what the model proposes, and neighbours of the best
  kHalve,      ///< the best ones again, in a fresh process with fresh inputs
};
std::string_view name_of(Stage stage);  ///< "known arms", "enumerate", "screen", "refine", "halve"

/// Candidates to be measured together, in blocks interleaved with the baseline.
struct Trial {
  Stage stage = Stage::kKnown;
  std::vector<std::uint64_t> candidates;
  int blocks = 1;
  int keep = 0;  ///< of halving, see losers()
};

struct Outcome {
  std::uint64_t candidate = 0;
  std::string failure;       ///< why it has no time: it crashed, hung, was wrong; or ""
  std::vector<double> logs;  ///< log(its time / the baseline's time) of each block it ran
};

class Bench {
 public:
  virtual ~Bench() = default;
  /// One outcome for each candidate, in their order.
  virtual std::vector<Outcome> measure(const Trial& trial) = 0;
  /// Wall-clock seconds that the search has spent.
  virtual double seconds() const = 0;
};

}  // namespace msda
