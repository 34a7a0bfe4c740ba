// The "key=value" words of `msda bench` and `msda input`: a problem spelled out on the command
// line.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runner/experiment/experiment.hpp"

namespace msda {

/// Words by key; each is taken once, and what is left over in the end is an error of the user's.
class Words {
 public:
  /// Throws UsageError for a word without '=' and for a key given twice.
  explicit Words(const std::vector<std::string>& words);

  bool has(const std::string& key) const { return words_.contains(key); }
  void add(const std::string& key, std::string value) { words_.emplace(key, std::move(value)); }
  std::optional<std::string> take(const std::string& key);
  /// Throws UsageError unless the value is an integer from `minimum` to `maximum`.
  std::optional<int> take_integer(const std::string& key, int minimum, int maximum);
  /// Before problem_from_words(): throws UsageError with the nearest key of a problem or of `known`
  /// where a word is left over that no problem takes.
  void refuse_rest(const std::string& command, std::vector<std::string> known = {}) const;
  /// What nobody has taken.
  const std::map<std::string, std::string>& rest() const { return words_; }

 private:
  std::map<std::string, std::string> words_;
};

/// A line for each key that problem_from_words() understands.
std::string problem_words_help();

/// The problem that the words name, which are keys of a problem in an experiment file: preset=, or
/// batch= num_query= num_heads= channels= num_points= with levels= or spatial_size= and
/// num_levels=; its tensors from dir=, else generated. `unnamed`: its name without name= and
/// preset=. Takes those words. Throws UsageError.
ProblemSpec problem_from_words(Words& words, const std::string& unnamed = "bench");

}  // namespace msda
