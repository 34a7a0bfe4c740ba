// Which checks are tried on a mutant, and in which order.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compose/unit.hpp"
#include "mutation/mutants.hpp"
#include "mutation/trial.hpp"

namespace msda {

/// Whether a suite is one of the slow tests.
bool is_slow(const std::string& suite);

/// A check with the unit that it compiles first.
struct Candidate {
  SimtCheck check;
  Unit unit;
};
/// All checks.
const std::vector<Candidate>& candidates();

/// Some checks of each suite and those that have something new: more where somebody thought of the
/// mutant, which is hardly of a line that few use, and a few where it may change no result. Those
/// of the suite that the mutant names come first, then the other quick ones, then the slow ones.
Trial trial_of(const Mutant& mutant);

/// The quick checks that found other mutants of a file, which find most of its others too.
class Finders {
 public:
  void add(const Trial& trial, const Outcome& outcome);
  /// Moves those of its file that found most to the front: of the suite that the mutant names.
  void move_to_front(Trial& trial) const;

 private:
  std::map<std::string, std::map<const SimtCheck*, int>> found_;
};

}  // namespace msda
