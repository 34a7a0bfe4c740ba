// Regular expressions, in one place: the standard library's are templates, which every file that
// used them would compile again.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace msda {

/// An ECMAScript regular expression.
class Pattern {
 public:
  explicit Pattern(const std::string& expression);
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;
  ~Pattern();

  /// The first place in the text that fits: what fits, then what each group holds.
  std::optional<std::vector<std::string>> search(std::string_view text) const;
  /// Whether the whole text fits.
  bool matches(std::string_view text) const;
  /// The text with `format` for whatever fits, where $1 is what the first group holds.
  std::string replaced(const std::string& text, const std::string& format) const;

 private:
  struct Compiled;
  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace msda
