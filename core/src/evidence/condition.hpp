// A condition on what a kernel's threads were counted to do: "rows.prefetched > 0",
// "shared.metadata.load-bytes > shared.metadata.store-bytes".
#pragma once

#include <string>
#include <string_view>

#include "facts/evidence.hpp"

namespace msda {

class Condition {
 public:
  /// NAME RELATION VALUE, where RELATION is >, >=, <, <=, == or != and VALUE a number or a name.
  /// Throws UsageError for other text and for names that nothing is counted under.
  explicit Condition(std::string_view text);

  bool holds(const Numbers& numbers) const;
  /// True when it is about the instructions of a GPU's kernel, which only its toolkit tells.
  bool is_of_sass() const;
  const std::string& text() const { return text_; }
  /// "rows.prefetched > 0, but it is 0".
  std::string refuted_by(const Numbers& numbers) const;

 private:
  double right_side(const Numbers& numbers) const;

  std::string text_;
  std::string name_;
  std::string relation_;
  std::string other_;  ///< name; empty when the right side is a number
  double number_ = 0;
};

}  // namespace msda
