#include "runner/experiment/form.hpp"

#include <cmath>

#include "runner/experiment/parse.hpp"

namespace msda {

using nlohmann::json;

void UniqueNames::add(const std::string& name, const SourcePlace& place) {
  const auto [first, is_new] = places_.emplace(name, place);
  if (is_new) return;
  throw UsageError(fmt::format("{}: {} '{}' stands here a second time; first at {}",
                               to_string(place), what_, shortened(name), to_string(first->second)));
}

namespace form {
namespace {

std::string seconds_text(double seconds) {
  if (seconds >= 60 && std::fmod(seconds, 60) == 0) return fmt::format("{:g} min", seconds / 60);
  return fmt::format("{:g} s", seconds);
}

/// A decimal number above zero, as from_chars() reads it.
constexpr const char* kPositive = R"((?=[0-9.]*[1-9])([0-9]+\.?[0-9]*|\.[0-9]+))";

}  // namespace

json reference(const std::string& name) { return {{"$ref", "#/definitions/" + name}}; }

Shape list_of(std::string words, const json& element, std::size_t least) {
  return {std::move(words), {{"type", "array"}, {"items", element}, {"minItems", least}}};
}

Shape any_of(std::string words, std::vector<json> schemas) {
  return {std::move(words), {{"anyOf", std::move(schemas)}}};
}

Form<bool> truth() {
  return {{"`true` or `false`", {{"type", "boolean"}}},
          [](const YamlNode& node, bool& value) { value = node.as_bool(); },
          [](const bool& value) { return fmt::format("{}", value); }};
}

Form<double> number(double minimum, double maximum) {
  Form<double> form;
  form.schema = {{"type", "number"}, {"minimum", minimum}};
  form.words = fmt::format("a number from {:g}", minimum);
  if (std::isfinite(maximum)) {
    form.schema["maximum"] = maximum;
    form.words += fmt::format(" to {:g}", maximum);
  }
  form.read = [=](const YamlNode& node, double& value) {
    value = node.as_number(minimum, maximum);
  };
  form.write = [](const double& value) { return fmt::format("{:g}", value); };
  return form;
}

Form<double> percentage() {
  const std::string pattern =
      R"(^(?=[0-9.]*[1-9])0*(100(\.0*)?|[0-9]{1,2}(\.[0-9]*)?|\.[0-9]+) *%$)";
  return {{"a percentage", {{"type", "string"}, {"pattern", pattern}}},
          [](const YamlNode& node, double& value) { value = node.as_share(); },
          [](const double& value) { return fmt::format("{:g}%", value * 100); }};
}

Form<std::chrono::duration<double>> duration() {
  using Seconds = std::chrono::duration<double>;
  const std::string pattern = fmt::format("^{} *(ms|s|min|h)$", kPositive);
  return {
      {"a duration: `500 ms`, `2 s`, `3 min`, `1 h`", {{"type", "string"}, {"pattern", pattern}}},
      [](const YamlNode& node, Seconds& value) { value = node.as_duration(); },
      [](const Seconds& value) { return seconds_text(value.count()); }};
}

Form<std::string> text(std::string words) {
  // A scalar that looks like a number or a truth value to YAML is text here.
  return {{std::move(words), {{"type", json::array({"string", "number", "boolean"})}}},
          [](const YamlNode& node, std::string& value) { value = node.as_text(); },
          [](const std::string& value) { return value.empty() ? "" : "`" + value + "`"; }};
}

Form<std::string> label(std::string words) {
  Form<std::string> form = text(std::move(words));
  form.schema["pattern"] = R"(^[^/\s\x00-\x1f\x7f]+$)";
  form.schema["maxLength"] = kLongestLabel;
  form.read = [](const YamlNode& node, std::string& value) { value = parse_label(node); };
  return form;
}

}  // namespace form
}  // namespace msda
