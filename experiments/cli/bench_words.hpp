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
  std::optional<std::string> take(const std::string& key);
  /// Throws UsageError unless the value is an integer of at least `minimum`.
  std::optional<std::int64_t> take_integer(const std::string& key, std::int64_t minimum);
  std::optional<double> take_number(const std::string& key, double minimum);
  /// What nobody has taken.
  const std::map<std::string, std::string>& rest() const { return words_; }

 private:
  std::map<std::string, std::string> words_;
};

/// Every key that problem_from_words() understands, with a line of help.
const std::vector<std::pair<std::string, std::string>>& problem_keys();

/// The problem that the words name: preset=, or batch= num_query= num_heads= channels= num_points=
/// with levels= or spatial_size= and num_levels=; its tensors from dir=, else generated. Takes
/// those words. im2col_step= is how many images older implementations took at once: it must divide
/// the batch or exceed it, and changes nothing else. Throws UsageError.
ProblemSpec problem_from_words(Words& words);

}  // namespace msda
