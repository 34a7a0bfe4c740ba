// Structs as JSON objects: the fields of each are listed once, and written, read, checked and
// described (JSON Schema) from that list.
//
//   template <>
//   struct JsonFields<Level> {
//     static auto list() {
//       return std::tuple(json_field("height", &Level::height).at_least(1),
//                         json_field("width", &Level::width).at_least(1));
//     }
//   };
//
// A member is a bool, a number, text, a path, a duration (seconds), a named enumeration, a struct
// with a list of its own, any JSON, or a vector, an optional or a map (by text) of these. An
// optional member may be absent. A number that JSON cannot hold (NaN, infinity) is written as null
// and returns as NaN; inside lists it is refused.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "names.hpp"

namespace msda {

/// Where a value stands in a document. Its text is made when a message needs it: most never do.
class JsonPlace {
 public:
  /// Of a document whose fields may all be absent: what is, keeps its value.
  enum Absence { kNoneLacks, kMayLack };

  /// `document` is what messages call the whole: "record".
  explicit JsonPlace(const char* document, Absence absence = kNoneLacks)
      : name_(document), may_lack_(absence == kMayLack) {}
  JsonPlace(const JsonPlace& parent, const char* field)
      : parent_(&parent), name_(field), may_lack_(parent.may_lack_) {}

  /// "record field 'resources.registers'", or "record"
  std::string text() const;
  /// Throws UsageError "record lacks field 'resources.registers'".
  [[noreturn]] void lacks(const char* field) const;
  /// Throws UsageError "record field 'flops' must be an integer, not 1.5".
  [[noreturn]] void must_be(std::string_view expected, const nlohmann::json& found) const;
  [[noreturn]] void must_hold(std::string_view expected, const nlohmann::json& found) const;
  bool may_lack() const { return may_lack_; }

 private:
  const char* document() const { return parent_ == nullptr ? name_ : parent_->document(); }
  std::string path() const;

  const JsonPlace* parent_ = nullptr;
  const char* name_;
  bool may_lack_;
};

/// Specialised for each struct, see above.
template <class T>
struct JsonFields;

template <class T>
concept HasJsonFields = requires {
  JsonFields<T>::list();
};

/// One member of a struct as a field of an object.
template <class Owner, class Member>
struct JsonField {
  const char* name;
  Member Owner::*member;
  const char* meaning = "";
  bool may_be_absent = false;     ///< then the member keeps its value
  bool omitted_if_empty = false;  ///< and is left out when it is empty
  std::optional<double> minimum = std::nullopt;
  const char* pattern = "";
  bool must_be_finite = false;

  /// Of a list, text or truth value: left out when it is empty or false.
  JsonField unless_empty() const {
    JsonField field = *this;
    field.may_be_absent = field.omitted_if_empty = true;
    return field;
  }
  /// Files of earlier versions do not have it.
  JsonField optional() const {
    JsonField field = *this;
    field.may_be_absent = true;
    return field;
  }
  /// Of a number, or of each in a list.
  JsonField at_least(double least) const {
    JsonField field = *this;
    field.minimum = least;
    return field;
  }
  /// Of a number, or of each in a map: null is refused.
  JsonField finite() const {
    JsonField field = *this;
    field.must_be_finite = true;
    return field;
  }
  /// Of text, or of each in a list, for readers of the schema; what is read is not held against it.
  JsonField matching(const char* regex) const {
    JsonField field = *this;
    field.pattern = regex;
    return field;
  }
};

template <class Owner, class Member>
JsonField<Owner, Member> json_field(const char* name, Member Owner::*member,
                                    const char* meaning = "") {
  return {name, member, meaning};
}

template <class T>
nlohmann::json write_json(const T& value);
/// Throws UsageError with the place.
template <class T>
void read_json(const nlohmann::json& json, const JsonPlace& place, T& value);
/// Draft 7.
template <class T>
nlohmann::json json_schema();

namespace json_detail {

template <class T>
inline constexpr bool kIsVector = false;
template <class T>
inline constexpr bool kIsVector<std::vector<T>> = true;
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsMap = false;
template <class T>
inline constexpr bool kIsMap<std::map<std::string, T>> = true;
template <class T>
inline constexpr bool kIsDuration = std::is_same_v<T, std::chrono::duration<double>>;

/// A number that is there; `null` is for the caller.
double read_number(const nlohmann::json& json, const JsonPlace& place);
std::int64_t read_integer(const nlohmann::json& json, const JsonPlace& place, std::int64_t least,
                          std::uint64_t most);
nlohmann::json number(double value);

template <class Integer>
Integer read_integer(const nlohmann::json& json, const JsonPlace& place) {
  using Limits = std::numeric_limits<Integer>;
  return static_cast<Integer>(read_integer(json, place, static_cast<std::int64_t>(Limits::min()),
                                           static_cast<std::uint64_t>(Limits::max())));
}

template <class T>
void read_list(const nlohmann::json& json, const JsonPlace& place, std::vector<T>& values) {
  if (!json.is_array()) place.must_be("a list", json);
  values.clear();
  values.reserve(json.size());
  for (const nlohmann::json& element : json) {
    if constexpr (std::is_same_v<T, double>) {
      if (!element.is_number()) place.must_hold("numbers", element);
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (!element.is_string()) place.must_be("a list of strings", json);
    }
    read_json(element, place, values.emplace_back());
  }
}

template <class T>
void read_map(const nlohmann::json& json, const JsonPlace& place,
              std::map<std::string, T>& values) {
  if (!json.is_object()) place.must_be("an object", json);
  values.clear();
  for (const auto& [name, element] : json.items()) {
    read_json(element, JsonPlace(place, name.c_str()), values[name]);
  }
}

inline void refuse_null(const nlohmann::json& json, const JsonPlace& place) {
  if (json.is_null()) place.must_be("a number", json);
  if (!json.is_object()) return;
  for (const auto& [name, element] : json.items()) {
    refuse_null(element, JsonPlace(place, name.c_str()));
  }
}

template <class Owner, class Member>
void read_field(const nlohmann::json& object, const JsonPlace& place,
                const JsonField<Owner, Member>& field, std::type_identity_t<Owner>& owner) {
  const auto found = object.find(field.name);
  if (found == object.end()) {
    if (field.may_be_absent || place.may_lack() || kIsOptional<Member>) return;
    place.lacks(field.name);
  }
  const JsonPlace own(place, field.name);
  const Member& member = owner.*field.member;
  if (field.must_be_finite) refuse_null(*found, own);
  read_json(*found, own, owner.*field.member);
  if (!field.minimum) return;
  const auto is_less = [&](double value) { return value < *field.minimum; };
  if constexpr (std::is_arithmetic_v<Member>) {
    if (is_less(static_cast<double>(member))) {
      own.must_be(fmt::format("at least {}", *field.minimum), *found);
    }
  } else if constexpr (std::is_same_v<Member, std::vector<double>>) {
    if (std::any_of(member.begin(), member.end(), is_less)) {
      own.must_hold(fmt::format("numbers from {} on", *field.minimum), *found);
    }
  }
}

template <class Owner, class Member>
void write_field(nlohmann::json& object, const JsonField<Owner, Member>& field,
                 const std::type_identity_t<Owner>& owner) {
  const Member& member = owner.*field.member;
  if constexpr (kIsOptional<Member>) {
    if (!member) return;
  } else if constexpr (std::is_same_v<Member, bool>) {
    if (field.omitted_if_empty && !member) return;
  } else if constexpr (requires { member.empty(); }) {
    if (field.omitted_if_empty && member.empty()) return;
  }
  object[field.name] = write_json(member);
}

template <class Owner, class Member>
void describe_field(nlohmann::json& schema, const JsonField<Owner, Member>& field) {
  nlohmann::json& property = schema["properties"][field.name] = json_schema<Member>();
  nlohmann::json& value = kIsVector<Member> ? property["items"] : property;
  if (field.minimum) value["minimum"] = *field.minimum;
  if (field.must_be_finite && !kIsMap<Member>) value["type"] = "number";
  if (*field.pattern != '\0') value["pattern"] = field.pattern;
  if (*field.meaning != '\0') property["description"] = field.meaning;
  if (!field.may_be_absent && !kIsOptional<Member>) schema["required"].push_back(field.name);
}

}  // namespace json_detail

/// An object of some of a struct's fields, given as a list of its own.
template <class T, class Fields>
nlohmann::json write_json_fields(const T& value, const Fields& fields) {
  nlohmann::json object = nlohmann::json::object();
  std::apply([&](const auto&... field) { (json_detail::write_field(object, field, value), ...); },
             fields);
  return object;
}

/// The reverse; `object` is one.
template <class T, class Fields>
void read_json_fields(const nlohmann::json& object, const JsonPlace& place, T& value,
                      const Fields& fields) {
  std::apply(
      [&](const auto&... field) { (json_detail::read_field(object, place, field, value), ...); },
      fields);
}

template <class T>
nlohmann::json write_json(const T& value) {
  using nlohmann::json;
  if constexpr (HasJsonFields<T>) {
    return write_json_fields(value, JsonFields<T>::list());
  } else if constexpr (IsNamed<T>) {
    return name_of(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return json_detail::number(value);
  } else if constexpr (json_detail::kIsDuration<T>) {
    return json_detail::number(value.count());
  } else if constexpr (json_detail::kIsOptional<T>) {
    return value ? write_json(*value) : json();
  } else if constexpr (json_detail::kIsVector<T>) {
    json list = json::array();
    for (const auto& element : value) list.push_back(write_json(element));
    return list;
  } else if constexpr (json_detail::kIsMap<T>) {
    json object = json::object();
    for (const auto& [name, element] : value) object[name] = write_json(element);
    return object;
  } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
    return value.string();
  } else {
    static_assert(std::is_integral_v<T> || std::is_same_v<T, std::string> ||
                  std::is_same_v<T, nlohmann::json>);
    return value;
  }
}

template <class T>
void read_json(const nlohmann::json& json, const JsonPlace& place, T& value) {
  if constexpr (HasJsonFields<T>) {
    if (!json.is_object()) place.must_be("a JSON object", json);
    read_json_fields(json, place, value, JsonFields<T>::list());
  } else if constexpr (IsNamed<T>) {
    if (!json.is_string()) place.must_be("a string", json);
    const auto& text = json.get_ref<const std::string&>();
    for (const T known : Named<T>::kValues) {
      if (name_of(known) == text) {
        value = known;
        return;
      }
    }
    place.must_be(fmt::format("{}", fmt::join(all_names<T>(), ", ")), json);
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!json.is_boolean()) place.must_be("true or false", json);
    value = json.get<bool>();
  } else if constexpr (std::is_integral_v<T>) {
    value = json_detail::read_integer<T>(json, place);
  } else if constexpr (std::is_floating_point_v<T>) {
    value = json.is_null() ? std::numeric_limits<T>::quiet_NaN()
                           : json_detail::read_number(json, place);
  } else if constexpr (json_detail::kIsDuration<T>) {
    value = T(json_detail::read_number(json, place));
  } else if constexpr (json_detail::kIsOptional<T>) {
    read_json(json, place, value.emplace());
  } else if constexpr (json_detail::kIsVector<T>) {
    json_detail::read_list(json, place, value);
  } else if constexpr (json_detail::kIsMap<T>) {
    json_detail::read_map(json, place, value);
  } else if constexpr (std::is_same_v<T, nlohmann::json>) {
    value = json;
  } else {
    static_assert(std::is_same_v<T, std::string> || std::is_same_v<T, std::filesystem::path>);
    if (!json.is_string()) place.must_be("a string", json);
    value = json.get<std::string>();
  }
}

template <class T>
nlohmann::json json_schema() {
  using nlohmann::json;
  if constexpr (HasJsonFields<T>) {
    json schema = {{"type", "object"},
                   {"properties", json::object()},
                   {"additionalProperties", false},
                   {"required", json::array()}};
    std::apply([&](const auto&... field) { (json_detail::describe_field(schema, field), ...); },
               JsonFields<T>::list());
    return schema;
  } else if constexpr (IsNamed<T>) {
    return {{"enum", all_names<T>()}};
  } else if constexpr (std::is_same_v<T, bool>) {
    return {{"type", "boolean"}};
  } else if constexpr (std::is_integral_v<T>) {
    return {{"type", "integer"}};
  } else if constexpr (std::is_floating_point_v<T>) {
    return {{"type", json::array({"number", "null"})}};
  } else if constexpr (json_detail::kIsDuration<T>) {
    return {{"type", "number"}};
  } else if constexpr (json_detail::kIsOptional<T>) {
    return json_schema<typename T::value_type>();
  } else if constexpr (json_detail::kIsVector<T>) {
    using Element = typename T::value_type;
    json element = json_schema<Element>();
    if constexpr (std::is_same_v<Element, double>) element = {{"type", "number"}};
    return {{"type", "array"}, {"items", std::move(element)}};
  } else if constexpr (json_detail::kIsMap<T>) {
    return {{"type", "object"}, {"additionalProperties", json_schema<typename T::mapped_type>()}};
  } else {
    return {{"type", "string"}};
  }
}

/// A struct from a document of its own, which messages call `document`. Throws UsageError.
template <HasJsonFields T>
T from_json_document(const nlohmann::json& json, const char* document) {
  T value;
  read_json(json, JsonPlace(document), value);
  return value;
}

}  // namespace msda
