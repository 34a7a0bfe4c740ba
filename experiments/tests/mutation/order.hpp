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

/// Those that the mutant names, then all quick ones and some of each slow suite. Of a generated
/// mutant, which may be of a line that few use, some of each suite and those that have something
/// new; of one that changes no result a few of each. Quick ones whose units have code of the lines
/// come before others, slow ones come last.
Trial trial_of(const Mutant& mutant);

/// The quick checks that found other mutants of a file, which find most of its others too.
class Finders {
 public:
  void add(const Trial& trial, const Outcome& outcome);
  /// Moves those of its file that found most to the front: of those that the mutant names.
  void move_to_front(Trial& trial) const;

 private:
  std::map<std::string, std::map<const SimtCheck*, int>> found_;
};

}  // namespace msda
