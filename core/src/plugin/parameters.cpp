#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "plugin/registry.hpp"

namespace msda {
namespace {

/// By index of ParameterValue's alternatives.
constexpr std::array<const char*, 4> kTypeNames = {"a boolean", "an integer", "a number",
                                                   "a string"};

bool is_string(const ParameterValue& value) { return std::holds_alternative<std::string>(value); }

std::string quoted(const ParameterValue& value) {
  return is_string(value) ? "'" + to_string(value) + "'" : to_string(value);
}

std::string range_of(const ParameterSpec& spec) {
  if (spec.minimum && spec.maximum) return fmt::format("{} to {}", *spec.minimum, *spec.maximum);
  if (spec.minimum) return fmt::format("at least {}", *spec.minimum);
  return fmt::format("at most {}", *spec.maximum);
}

/// `given` as the type that `spec` declares. Throws UsageError when it is of another one.
ParameterValue typed(const ParameterSpec& spec, const ParameterValue& given) {
  if (given.index() == spec.default_value.index()) return given;
  if (std::holds_alternative<double>(spec.default_value)) {
    if (const auto* integer = std::get_if<std::int64_t>(&given)) {
      return static_cast<double>(*integer);
    }
  }
  throw UsageError(fmt::format("{} is {}, expected {}", quoted(given), kTypeNames[given.index()],
                               kTypeNames[spec.default_value.index()]));
}

/// Throws UsageError unless the range of `spec` holds the number.
void check_range(const ParameterSpec& spec, const ParameterValue& value) {
  double number = 0;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    number = static_cast<double>(*integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    number = *real;
    if (!std::isfinite(number)) throw UsageError(to_string(value) + " is not a finite number");
  } else {
    return;
  }
  if ((spec.minimum && number < *spec.minimum) || (spec.maximum && number > *spec.maximum)) {
    throw UsageError(
        fmt::format("{} is out of range, expected {}", to_string(value), range_of(spec)));
  }
}

/// Throws UsageError unless `spec` has no choices or the value is one of them.
void check_choices(const ParameterSpec& spec, const ParameterValue& value) {
  if (spec.choices.empty()) return;
  std::vector<std::string> names;
  for (const ParameterValue& choice : spec.choices) {
    if (typed(spec, choice) == value) return;
    names.push_back(to_string(choice));
  }
  const std::string hint = is_string(value) ? suggestion(to_string(value), names) : "";
  throw UsageError(fmt::format("{} is not a choice{}, expected one of: {}", quoted(value), hint,
                               fmt::join(names, ", ")));
}

[[noreturn]] void refuse_unknown(const VariantInfo& variant, const std::string& name) {
  std::vector<std::string> names;
  for (const ParameterSpec& spec : variant.parameters) names.push_back(spec.name);
  throw UsageError(fmt::format(
      "variant '{}': no parameter '{}'{}; it has {}", variant.name, name, suggestion(name, names),
      names.empty() ? "no parameters" : fmt::format("{}", fmt::join(names, ", "))));
}

}  // namespace

Parameters resolve_parameters(const VariantInfo& variant,
                              const std::map<std::string, ParameterValue>& given) {
  std::map<std::string, ParameterValue> values;
  for (const ParameterSpec& spec : variant.parameters) {
    const auto found = given.find(spec.name);
    try {
      const ParameterValue value =
          typed(spec, found == given.end() ? spec.default_value : found->second);
      check_range(spec, value);
      check_choices(spec, value);
      if (!values.emplace(spec.name, value).second) throw UsageError("declared twice");
    } catch (Error& error) {
      error.add_context(fmt::format("variant '{}': parameter '{}'", variant.name, spec.name));
      throw;
    }
  }
  for (const auto& [name, value] : given) {
    if (!values.contains(name)) refuse_unknown(variant, name);
  }
  return Parameters(std::move(values));
}

std::string to_string(const ParameterValue& value) {
  return std::visit([](const auto& held) { return fmt::format("{}", held); }, value);
}

}  // namespace msda
