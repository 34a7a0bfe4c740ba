// What is timed is what was verified: an arm's outputs are checked around every block of samples.
#pragma once

#include <map>
#include <random>
#include <string>
#include <vector>

#include "measure/group_inputs.hpp"
#include "measure/row_watch.hpp"
#include "measure/verify.hpp"

namespace msda {

/// Follows one arm through a group. Around a block:
///
///   poison()    every byte of every output is a NaN          then untimed launches
///   spoil()     a few numbers, finite and at random          then the samples, which are watched
///   check()     what was watched and one set, drawn at random, have to be right
///
/// A launch that leaves its work out, because its output is there already or because the launch is
/// not the first, leaves the spoiled numbers behind. They are finite, so a kernel cannot detect
/// them.
class OutputCheck {
 public:
  OutputCheck(const Composition& composition, GroupInputs& inputs);

  /// verify() on a set; remembers what it wrote. Where that is known, bits that differ from it are
  /// an error, and the same bits have the same verdict.
  Verdict verify(Device& device, Executable& executable, std::size_t set);
  /// Whether a whole kernel takes the values that lie there now: the signs of all of them change,
  /// and with these those of all that follows. Right for what composes kernels, which keep nothing.
  Verdict verify_other_values(Device& device, Prepared& prepared, std::size_t set);
  /// Of the outputs that were found right last on the set; "" when none were.
  std::string output_hash(std::size_t set) const;

  void poison();
  /// `launches` follow, one set after the other. One of their sets is chosen, and a part of each of
  /// its outputs: 4 MB, or all of it where nobody has looked at this set before.
  void spoil(std::mt19937_64& generator, int launches);
  /// After them. The rows that `watch` saw have to be right, and no input may have been written to.
  /// A part of a deterministic output that was judged before has to have the same bits; a part of
  /// another output is held against the bounds of its rows. Where bits may depend on the place of a
  /// query, the kernel runs once more on the inputs as they were. Ends the watch.
  Verdict check(Device& device, Executable& executable, RowWatch& watch);

  /// Of the arm's output on a set. Lives as long as the object.
  const Bounds& bounds(std::size_t set, std::size_t output);
  const Composition& composition() const { return composition_; }

 private:
  /// Digests of the parts of an output.
  using Digests = std::vector<std::string>;

  /// Outputs that were found right.
  struct Known {
    std::vector<Digests> digests;  ///< by output
    Verdict verdict;
  };

  std::size_t part_bytes(std::size_t output) const;
  Digests digests_of(std::size_t output, const Bytes& bytes) const;
  std::vector<Digests> digests_of(const std::vector<Bytes>& outputs) const;
  /// Whether the deterministic outputs have the bits that they had when they were judged.
  bool same_bits(std::size_t set, const std::vector<Digests>& digests) const;
  /// Of what is there now, with rows that the watch has exchanged put back.
  Verdict judge_whole(const RowWatch& watch);
  /// What is wrong with the drawn parts of outputs that were judged before, or "". Parts whose rows
  /// are right with other bits, while queries are exchanged, are left in `open`, by output.
  std::string fault_of_parts(const RowWatch& watch, std::vector<Bytes>& open);
  /// The same of the parts that are open, after a launch on the inputs as they were.
  std::string fault_again(const RowWatch& watch, const std::vector<Bytes>& open);
  std::string fault_of_rows(std::size_t output, const Bytes& part);
  Verdict check_set(Device& device, Executable& executable, RowWatch& watch);
  std::size_t first_of_part(std::size_t output) const { return part_[output] * part_bytes(output); }
  Bytes part_of(std::size_t output) const;
  bool is_known(std::size_t output, const Bytes& part) const;

  const Composition& composition_;
  GroupInputs& inputs_;
  std::vector<std::size_t> row_bytes_;                            ///< by output
  std::vector<bool> deterministic_;                               ///< the same
  std::map<std::size_t, Known> known_;                            ///< by set
  std::map<std::pair<std::size_t, std::size_t>, Bounds> bounds_;  ///< by set and output
  std::size_t set_ = 0;
  std::vector<std::size_t> part_;  ///< by output
};

/// Names an input that was written to, or is ""; all are in order afterwards.
std::string fault_of_inputs(GroupInputs& inputs, Device& device);

}  // namespace msda
