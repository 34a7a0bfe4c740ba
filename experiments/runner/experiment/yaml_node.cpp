#include "runner/experiment/yaml_node.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "nearest.hpp"
#include "runner/experiment/number_text.hpp"
#include "runner/experiment/yaml_check.hpp"

namespace msda {
namespace {

/// What messages call the outermost value. Of what it is they tell no more than the kind: it may be
/// a file that was never meant to be read here.
constexpr const char* kWholeFile = "the file";

/// So that sums of durations fit into every clock.
constexpr std::chrono::hours kLongestDuration(24 * 365);

/// Characters of the longest text: names and sentences, never a file that got here by mistake.
constexpr std::size_t kLongestText = 10'000;

std::string describe_kind(const YAML::Node& node) {
  if (node.IsSequence()) return "a list";
  if (node.IsMap()) return "a map";
  if (node.IsNull()) return "nothing";
  return "'" + shortened(node.Scalar()) + "'";
}

SourcePlace place_of(const YAML::Mark& mark, const std::string& file) {
  return {file, mark.line + 1, mark.column + 1};
}

/// The whole text as a number; nullopt when a part of it is not.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "010", "-07"
bool begins_with_zero(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return text.size() > 1 && text.front() == '0';
}

std::string range_text(double minimum, double maximum) {
  if (std::isinf(maximum)) return fmt::format("at least {}", minimum);
  return fmt::format("from {} to {}", minimum, maximum);
}

std::string range_text(std::int64_t minimum, std::int64_t maximum) {
  if (maximum == std::numeric_limits<std::int64_t>::max())
    return fmt::format("at least {}", minimum);
  return fmt::format("from {} to {}", minimum, maximum);
}

}  // namespace

std::string to_string(const SourcePlace& place) {
  if (place.line == 0) return place.file;
  return fmt::format("{}:{}:{}", place.file, place.line, place.column);
}

YamlNode YamlNode::parse(const std::string& text, const std::string& file) {
  try {
    check_yaml(text, file);
    const YAML::Node node = YAML::Load(text);
    const SourcePlace place = node.IsNull() ? SourcePlace{file, 1, 1} : place_of(node.Mark(), file);
    return {node, kWholeFile, place};
  } catch (const YAML::Exception& error) {
    throw UsageError(fmt::format("{}: not YAML: {}", to_string(place_of(error.mark, file)),
                                 shortened(error.msg)));
  }
}

YamlNode::YamlNode(const YAML::Node& node, std::string name, SourcePlace place)
    : node_(node), name_(std::move(name)), place_(std::move(place)) {}

void YamlNode::fail(const std::string& message) const {
  throw UsageError(to_string(place_) + ": " + message);
}

std::string YamlNode::offending_text() const {
  return name_ == kWholeFile && node_.IsScalar() ? "text" : describe_kind(node_);
}

void YamlNode::wrong_type(const std::string& expected, const std::string& hint) const {
  fail(fmt::format("{} must be {}, not {}{}", name_, expected, offending_text(), hint));
}

/// In a scalar that is not in quotes.
std::string_view YamlNode::plain_text() const {
  return node_.IsScalar() && !is_quoted() ? std::string_view(node_.Scalar()) : std::string_view();
}

std::string YamlNode::as_text() const {
  if (!node_.IsScalar()) wrong_type("text");
  if (node_.Scalar().size() > kLongestText) {
    fail(fmt::format("{} has {} bytes; at most {} are read", name_, node_.Scalar().size(),
                     kLongestText));
  }
  return node_.Scalar();
}

std::string YamlNode::as_canonical_text() const {
  std::string text = as_text();
  if (is_quoted()) return text;
  if (const auto integer = parse_number<std::int64_t>(text)) return fmt::format("{}", *integer);
  const auto number = parse_number<double>(text);
  return number && std::isfinite(*number) ? fmt::format("{}", *number) : text;
}

bool YamlNode::as_bool() const {
  bool value = false;
  if (!node_.IsScalar() || is_quoted() || !YAML::convert<bool>::decode(node_, value)) {
    wrong_type("true or false");
  }
  return value;
}

std::int64_t YamlNode::as_integer(std::int64_t minimum, std::int64_t maximum) const {
  const std::string_view text = plain_text();
  const auto value = parse_number<std::int64_t>(text);
  // What begins with a zero is octal to other readers.
  if (!value || begins_with_zero(text)) wrong_type("an integer", integer_hint(text));
  if (*value < minimum || *value > maximum) {
    fail(fmt::format("{} is {}; it must be {}", name_, *value, range_text(minimum, maximum)));
  }
  return *value;
}

double YamlNode::as_number(double minimum, double maximum) const {
  const auto value = parse_number<double>(plain_text());
  if (!value || !std::isfinite(*value)) wrong_type("a number", number_hint(plain_text()));
  if (*value < minimum || *value > maximum) {
    fail(fmt::format("{} is {}; it must be {}", name_, *value, range_text(minimum, maximum)));
  }
  return *value;
}

double YamlNode::as_share() const {
  constexpr const char* kExpected = "a percentage such as 1%";
  if (!node_.IsScalar()) wrong_type(kExpected);
  const std::string& text = node_.Scalar();
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::size_t unit_at = std::min(text.find_first_not_of(' ', digits), text.size());
  const auto percent = parse_number<double>(std::string_view(text).substr(0, digits));
  if (!percent || text.substr(unit_at) != "%") wrong_type(kExpected, quantity_hint(text));
  if (*percent <= 0 || *percent > 100) {
    fail(fmt::format("{} is '{}'; it must be more than 0% and at most 100%", name_, text));
  }
  return *percent / 100;
}

std::chrono::duration<double> YamlNode::as_duration() const {
  static const std::map<std::string, double> units = {
      {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}};
  const std::string expected = "a duration such as '2 s', '500 ms' or '3 min'";
  if (!node_.IsScalar()) wrong_type(expected);
  const std::string& text = node_.Scalar();
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::size_t unit_at = std::min(text.find_first_not_of(' ', digits), text.size());
  const auto value = parse_number<double>(std::string_view(text).substr(0, digits));
  const auto unit = units.find(text.substr(unit_at));
  if (!value || unit == units.end()) wrong_type(expected, quantity_hint(text));
  if (*value <= 0) fail(fmt::format("{} is '{}'; it must be more than zero", name_, text));
  const std::chrono::duration<double> duration(*value * unit->second);
  if (duration > kLongestDuration) {
    fail(fmt::format("{} is '{}'; it must be at most a year", name_, shortened(text)));
  }
  return duration;
}

std::vector<YamlNode> YamlNode::as_list_or_empty(const std::string& element) const {
  if (!node_.IsSequence()) wrong_type("a list");
  std::vector<YamlNode> elements;
  for (const YAML::Node& child : node_) {
    elements.emplace_back(child, element, place_of(child.Mark(), place_.file));
  }
  return elements;
}

std::vector<YamlNode> YamlNode::as_list(const std::string& element) const {
  std::vector<YamlNode> elements = as_list_or_empty(element);
  if (elements.empty()) fail(fmt::format("{} is empty; give at least one {}", name_, element));
  return elements;
}

YamlMap YamlNode::as_map() const {
  if (!node_.IsMap()) wrong_type("a map of 'key: value'");
  std::vector<YamlMap::Entry> entries;
  std::map<std::string, SourcePlace> seen;
  for (const auto& pair : node_) {
    const YAML::Node key = pair.first;
    const YAML::Node value = pair.second;
    const SourcePlace key_place = place_of(key.Mark(), place_.file);
    if (!key.IsScalar()) throw UsageError(to_string(key_place) + ": a key must be text");
    const std::string shown = shortened(key.Scalar());
    const auto [first, is_new] = seen.emplace(key.Scalar(), key_place);
    if (!is_new) {
      throw UsageError(fmt::format("{}: key '{}' stands here a second time; first in line {}",
                                   to_string(key_place), shown, first->second.line));
    }
    // A value left out has no place of its own in the file: its key's is the next best.
    const SourcePlace place =
        value.Mark().is_null() || value.IsNull() ? key_place : place_of(value.Mark(), place_.file);
    entries.push_back({key.Scalar(), key_place, YamlNode(value, "key '" + shown + "'", place)});
  }
  return YamlMap(*this, std::move(entries));
}

ParameterValue YamlNode::as_parameter(const ParameterValue& like) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  using Limits = std::numeric_limits<std::int64_t>;
  if (std::holds_alternative<bool>(like)) return as_bool();
  if (std::holds_alternative<std::int64_t>(like)) return as_integer(Limits::min(), Limits::max());
  if (std::holds_alternative<double>(like)) return as_number(-kInfinity, kInfinity);
  return as_text();
}

void YamlMap::allow_only(const std::vector<std::string>& known) const {
  for (const Entry& entry : entries_) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    throw UsageError(fmt::format("{}: unknown key '{}'{}; known here: {}", to_string(entry.place),
                                 shortened(entry.key), suggestion(entry.key, known),
                                 fmt::join(known, ", ")));
  }
}

std::optional<YamlNode> YamlMap::find(std::string_view key) const {
  for (const Entry& entry : entries_) {
    if (entry.key == key) return entry.value;
  }
  return std::nullopt;
}

YamlNode YamlMap::require(std::string_view key) const {
  if (auto value = find(key)) return *value;
  owner_.fail(fmt::format("{} lacks key '{}'", owner_.name(), key));
}

}  // namespace msda
