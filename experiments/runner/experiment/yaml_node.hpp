// A YAML value with its place in the file, so that every error reads "file:line:column: what is
// wrong".
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <yaml-cpp/yaml.h>

#include <msda/error.hpp>
#include <msda/parameter.hpp>

namespace msda {

/// A place in a file; lines and columns count from 1. Line 0: the name alone says where.
struct SourcePlace {
  std::string file;
  int line = 1;
  int column = 1;
};

/// "file:line:column", or "file"
std::string to_string(const SourcePlace& place);

class YamlMap;

/// One value of a YAML document. The as_...() members throw UsageError with the place, the
/// offending text and what was expected.
class YamlNode {
 public:
  /// `file` is what messages call the text; throws UsageError when it is not YAML.
  static YamlNode parse(const std::string& text, const std::string& file);

  /// `name` is what messages call the value: "key 'queries'", "arm".
  YamlNode(const YAML::Node& node, std::string name, SourcePlace place);

  const SourcePlace& place() const { return place_; }
  const std::string& name() const { return name_; }
  /// The value itself, to be written as it was read.
  const YAML::Node& yaml() const { return node_; }
  bool is_scalar() const { return node_.IsScalar(); }
  bool is_list() const { return node_.IsSequence(); }
  bool is_map() const { return node_.IsMap(); }
  bool is_null() const { return node_.IsNull(); }
  /// A scalar written in quotes is text, whatever it looks like.
  bool is_quoted() const { return node_.Tag() == "!"; }

  std::string as_text() const;
  /// The same, but a number in its shortest form: "1" for 1.0, "0.5" for .50.
  std::string as_canonical_text() const;
  bool as_bool() const;
  std::int64_t as_integer(std::int64_t minimum, std::int64_t maximum) const;
  double as_number(double minimum, double maximum) const;
  /// "1%", "0.5 %" as a share; more than zero, at most 1.
  double as_share() const;
  /// "2 s", "500 ms", "3 min", "1 h"; more than zero.
  std::chrono::duration<double> as_duration() const;
  /// The elements, each called `element`; an empty list is an error that says what belongs there.
  std::vector<YamlNode> as_list(const std::string& element) const;
  /// The same, and an empty list is allowed.
  std::vector<YamlNode> as_list_or_empty(const std::string& element) const;
  YamlMap as_map() const;
  /// The value as the alternative that `like` holds.
  ParameterValue as_parameter(const ParameterValue& like) const;

  /// Throws UsageError "file:line:column: message".
  [[noreturn]] void fail(const std::string& message) const;
  /// Runs `action`; a UsageError that it throws gets this place before its message.
  template <class Action>
  auto locate(const Action& action) const -> decltype(action()) {
    try {
      return action();
    } catch (UsageError& error) {
      error.add_context(to_string(place_));
      throw;
    }
  }

 private:
  [[noreturn]] void wrong_type(const std::string& expected, const std::string& hint = "") const;
  std::string_view plain_text() const;
  std::string offending_text() const;

  YAML::Node node_;
  std::string name_;
  SourcePlace place_;
};

/// A YAML map whose keys are strings, each at most once.
class YamlMap {
 public:
  struct Entry {
    std::string key;
    SourcePlace place;  ///< of the key
    YamlNode value;
  };

  explicit YamlMap(YamlNode owner, std::vector<Entry> entries)
      : owner_(std::move(owner)), entries_(std::move(entries)) {}

  const YamlNode& owner() const { return owner_; }
  const std::vector<Entry>& entries() const { return entries_; }
  /// Throws at the first key that is not among `known`, with the nearest one.
  void allow_only(const std::vector<std::string>& known) const;
  std::optional<YamlNode> find(std::string_view key) const;
  /// Throws at the map when the key is missing.
  YamlNode require(std::string_view key) const;

 private:
  YamlNode owner_;
  std::vector<Entry> entries_;
};

}  // namespace msda
