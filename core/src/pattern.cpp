#include "pattern.hpp"

#include <regex>

namespace msda {

struct Pattern::Compiled {
  std::regex expression;
};

Pattern::Pattern(const std::string& expression)
    : compiled_(std::make_unique<Compiled>(Compiled{std::regex(expression)})) {}

Pattern::~Pattern() = default;

std::optional<std::vector<std::string>> Pattern::search(std::string_view text) const {
  std::cmatch found;
  if (!std::regex_search(text.data(), text.data() + text.size(), found, compiled_->expression)) {
    return std::nullopt;
  }
  return std::vector<std::string>(found.begin(), found.end());
}

bool Pattern::matches(std::string_view text) const {
  return std::regex_match(text.data(), text.data() + text.size(), compiled_->expression);
}

std::string Pattern::replaced(const std::string& text, const std::string& format) const {
  return std::regex_replace(text, compiled_->expression, format);
}

}  // namespace msda
