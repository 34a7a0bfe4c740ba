// What may stand at a key of an experiment file: in words, as JSON Schema, and how it is read.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "names.hpp"
#include "runner/experiment/yaml_node.hpp"

namespace msda {

/// The largest integer that a file may hold.
inline constexpr std::int64_t kLargestInteger = std::numeric_limits<std::int64_t>::max();

/// What people and editors are told.
struct Shape {
  std::string words;      ///< "1 to 1000"; in Markdown
  nlohmann::json schema;  ///< draft 7
};

template <class Value>
struct Form : Shape {
  /// Changes the value as the node says. Throws UsageError with the place.
  std::function<void(const YamlNode&, Value&)> read;
  /// The value as people write it.
  std::function<std::string(const Value&)> write;
};

/// A name that must not have been used before, and where it stands.
class UniqueNames {
 public:
  explicit UniqueNames(std::string what) : what_(std::move(what)) {}
  /// Throws UsageError with both places.
  void add(const std::string& name, const SourcePlace& place);

 private:
  std::string what_;
  std::map<std::string, SourcePlace> places_;
};

namespace form {

/// A shape that is defined once in the schema, for all who name it.
nlohmann::json reference(const std::string& name);
/// A list of at least `least` of these.
Shape list_of(std::string words, const nlohmann::json& element, std::size_t least = 1);
/// Either of them, in the words of the first call.
Shape any_of(std::string words, std::vector<nlohmann::json> schemas);

Form<bool> truth();
Form<double> number(double minimum, double maximum);
/// "1%"
Form<double> percentage();
/// "2 s"
Form<std::chrono::duration<double>> duration();
Form<std::string> text(std::string words = "text");
/// A name that can stand in "problem/arm/mode" and in a path.
Form<std::string> label(std::string words = "a name");

template <class Integer>
Form<Integer> integer(std::int64_t minimum, std::int64_t maximum = kLargestInteger) {
  Form<Integer> form;
  form.words = maximum == kLargestInteger ? fmt::format("an integer from {}", minimum)
                                          : fmt::format("{} to {}", minimum, maximum);
  form.schema = {{"type", "integer"}, {"minimum", minimum}, {"maximum", maximum}};
  form.read = [=](const YamlNode& node, Integer& value) {
    value = static_cast<Integer>(node.as_integer(minimum, maximum));
  };
  form.write = [](const Integer& value) { return fmt::format("{}", value); };
  return form;
}

/// One of the names of an enumeration.
template <IsNamed Enum>
Form<Enum> name() {
  const std::vector<std::string> names = all_names<Enum>();
  Form<Enum> form;
  form.words = fmt::format("`{}`", fmt::join(names, "`, `"));
  form.schema = {{"enum", names}};
  form.read = [](const YamlNode& node, Enum& value) {
    value = node.locate([&] { return value_named<Enum>(node.as_text()); });
  };
  form.write = [](const Enum& value) { return fmt::format("`{}`", name_of(value)); };
  return form;
}

/// A list of different names of an enumeration, each called `element`.
template <IsNamed Enum>
Form<std::vector<Enum>> names(const std::string& element) {
  const Form<Enum> one = name<Enum>();
  Form<std::vector<Enum>> form;
  static_cast<Shape&>(form) = list_of("a list of " + one.words, one.schema);
  form.schema["uniqueItems"] = true;
  form.read = [=](const YamlNode& node, std::vector<Enum>& values) {
    values.clear();
    UniqueNames seen(element);
    for (const YamlNode& entry : node.as_list(element)) {
      seen.add(entry.as_text(), entry.place());
      one.read(entry, values.emplace_back());
    }
  };
  form.write = [](const std::vector<Enum>& values) {
    std::vector<std::string_view> texts;
    texts.reserve(values.size());
    for (const Enum value : values) texts.push_back(name_of(value));
    return fmt::format("`[{}]`", fmt::join(texts, ", "));
  };
  return form;
}

}  // namespace form
}  // namespace msda
