#include "evidence/condition.hpp"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include <msda/error.hpp>

#include "evidence/names.hpp"

namespace msda {
namespace {

constexpr std::string_view kSass = "sass.";

double at(const Numbers& numbers, const std::string& name) {
  const auto found = numbers.find(name);
  return found == numbers.end() ? 0 : found->second;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

bool compare(double a, const std::string& relation, double b) {
  if (relation == ">") return a > b;
  if (relation == ">=") return a >= b;
  if (relation == "<") return a < b;
  if (relation == "<=") return a <= b;
  if (relation == "==") return a == b;
  return a != b;
}

bool is_relation(const std::string& word) {
  return word == ">" || word == ">=" || word == "<" || word == "<=" || word == "==" || word == "!=";
}

}  // namespace

Condition::Condition(std::string_view text) : text_(text) {
  const std::vector<std::string> words = words_of(text);
  if (words.size() != 3 || !is_relation(words[1])) {
    throw UsageError(fmt::format(
        "'{}' is no condition: give NAME > VALUE (or >=, <, <=, ==, !=), spaces between", text));
  }
  name_ = words[0];
  relation_ = words[1];
  check_counted(name_);
  const char* end = words[2].data() + words[2].size();
  const auto [parsed, error] = std::from_chars(words[2].data(), end, number_);
  if (error == std::errc() && parsed == end) {
    if (std::isfinite(number_)) return;
    throw UsageError(
        fmt::format("'{}' is no condition: nothing is ever counted to {}", text, words[2]));
  }
  other_ = words[2];
  check_counted(other_);
}

double Condition::right_side(const Numbers& numbers) const {
  return other_.empty() ? number_ : at(numbers, other_);
}

bool Condition::holds(const Numbers& numbers) const {
  return compare(at(numbers, name_), relation_, right_side(numbers));
}

bool Condition::is_of_sass() const { return name_.starts_with(kSass) || other_.starts_with(kSass); }

std::string Condition::refuted_by(const Numbers& numbers) const {
  const double left = at(numbers, name_);
  if (other_.empty()) return fmt::format("{}, but it is {:g}", text_, left);
  return fmt::format("{}, but they are {:g} and {:g}", text_, left, right_side(numbers));
}

}  // namespace msda
