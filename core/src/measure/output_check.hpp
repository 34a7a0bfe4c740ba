// What is timed is what was verified: an arm's outputs are checked around every block of samples.
#pragma once

#include <map>
#include <random>
#include <string>
#include <vector>

#include "measure/group_inputs.hpp"
#include "measure/verify.hpp"

namespace msda {

/// Follows one arm through a group. Around a block:
///
///   poison()    every byte of every output is a NaN          then untimed launches
///   spoil()     a few numbers, finite and at random          then the samples
///   check()     one set, drawn at random, has to be right
///
/// A launch that leaves its work out, because its output is there already or because the launch is
/// not the first, leaves the spoiled numbers behind. They are no NaNs, so that it cannot know.
class OutputCheck {
 public:
  OutputCheck(const Composition& composition, GroupInputs& inputs)
      : composition_(composition), inputs_(inputs) {}

  /// verify() on a set; remembers what it wrote. Where that is known, bits that differ from it are
  /// an error, and the same bits have the same verdict.
  Verdict verify(Device& device, Executable& executable, std::size_t set);
  /// Of the output that was found right last on the set; "" when none was.
  std::string output_hash(std::size_t set) const;

  void poison();
  /// `launches` follow, one set after the other. One of their sets is chosen, and a part of its
  /// output: 4 MB, or all of it where nobody has looked at this set before.
  void spoil(std::mt19937_64& generator, int launches);
  /// After them. A part that was judged before has to have the same bits, unless the composition
  /// declares itself non-deterministic.
  Verdict check();

 private:
  /// Digests of the parts of an output.
  using Digests = std::vector<std::string>;
  static Digests digests_of(const Bytes& output);
  bool is_known(std::size_t set) const;
  Verdict judge_whole(std::size_t set);

  /// An output that was found right.
  struct Known {
    Digests digests;
    Verdict verdict;
  };

  const Composition& composition_;
  GroupInputs& inputs_;
  std::map<std::size_t, Known> known_;  ///< by set
  std::size_t set_ = 0;
  std::size_t part_ = 0;
};

}  // namespace msda
