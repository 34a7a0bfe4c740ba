// Parameters of a variant: declared as data, resolved and checked in one place.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <msda/error.hpp>

namespace msda {

using ParameterValue = std::variant<bool, std::int64_t, double, std::string>;

struct ParameterSpec {
  std::string name;
  std::string summary;           ///< one line, with the unit
  ParameterValue default_value;  ///< its alternative is the parameter's type
  std::optional<double> minimum;
  std::optional<double> maximum;
  std::vector<ParameterValue> choices;  ///< empty: any value in the range
  /// True for the name of a file: a relative one is beside the experiment that gives it.
  bool is_file = false;

  /// An integer in [lowest, highest].
  static ParameterSpec integer(std::string name, std::string summary, std::int64_t value,
                               std::int64_t lowest, std::int64_t highest) {
    return {std::move(name),
            std::move(summary),
            value,
            static_cast<double>(lowest),
            static_cast<double>(highest),
            {}};
  }
  static ParameterSpec number(std::string name, std::string summary, double value, double lowest,
                              double highest) {
    return {std::move(name), std::move(summary), value, lowest, highest, {}};
  }
  static ParameterSpec text(std::string name, std::string summary, std::string value) {
    return {std::move(name), std::move(summary), std::move(value), {}, {}, {}};
  }
  static ParameterSpec file(std::string name, std::string summary) {
    return {std::move(name), std::move(summary), std::string(), {}, {}, {}, true};
  }
  /// One of a few values, all of the type of `value`.
  template <class T>
  static ParameterSpec one_of(std::string name, std::string summary, T value,
                              const std::vector<T>& choices) {
    return {std::move(name), std::move(summary), value, {}, {}, {choices.begin(), choices.end()}};
  }
  static ParameterSpec flag(std::string name, std::string summary, bool value) {
    return {std::move(name), std::move(summary), value, {}, {}, {}};
  }
};

/// The resolved parameters of one variant in one composition: every declared name has a value.
class Parameters {
 public:
  Parameters() = default;
  explicit Parameters(std::map<std::string, ParameterValue> values) : values_(std::move(values)) {}

  /// T is bool, std::int64_t, double or std::string. Asking for an undeclared name or another type
  /// is a mistake of the variant and throws Error.
  template <class T>
  const T& get(std::string_view name) const {
    const auto found = values_.find(std::string(name));
    if (found == values_.end()) throw Error("no parameter '" + std::string(name) + "'");
    const T* value = std::get_if<T>(&found->second);
    if (value == nullptr) throw Error("parameter '" + std::string(name) + "' has another type");
    return *value;
  }

  const std::map<std::string, ParameterValue>& values() const { return values_; }
  friend bool operator==(const Parameters&, const Parameters&) = default;

 private:
  std::map<std::string, ParameterValue> values_;
};

}  // namespace msda
