#include "json_fields.hpp"

#include <msda/error.hpp>

#include "json_text.hpp"

namespace msda {
namespace {

/// A value as messages show it: a list or an object by its kind, since it may be a whole file.
std::string shown(const nlohmann::json& json) {
  if (json.is_array()) return "a list";
  if (json.is_object()) return "an object";
  return shortened(json_line(json));
}

}  // namespace

std::string JsonPlace::path() const {
  if (parent_ == nullptr) return "";
  const std::string parent = parent_->path();
  return parent.empty() ? name_ : parent + "." + name_;
}

std::string JsonPlace::text() const {
  if (parent_ == nullptr) return name_;
  return fmt::format("{} field '{}'", document(), path());
}

void JsonPlace::lacks(const char* field) const {
  throw UsageError(fmt::format("{} lacks field '{}'", document(), JsonPlace(*this, field).path()));
}

void JsonPlace::must_be(std::string_view expected, const nlohmann::json& found) const {
  throw UsageError(fmt::format("{} must be {}, not {}", text(), expected, shown(found)));
}

void JsonPlace::must_hold(std::string_view expected, const nlohmann::json& found) const {
  throw UsageError(fmt::format("{} must hold {}, not {}", text(), expected, shown(found)));
}

namespace json_detail {

nlohmann::json number(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

double read_number(const nlohmann::json& json, const JsonPlace& place) {
  if (!json.is_number()) place.must_be("a number", json);
  return json.get<double>();
}

std::int64_t read_integer(const nlohmann::json& json, const JsonPlace& place, std::int64_t least,
                          std::uint64_t most) {
  if (!json.is_number_integer()) place.must_be("an integer", json);
  const auto value = json.get<std::int64_t>();  // of an unsigned one above 63 bits its bits
  const bool is_negative = !json.is_number_unsigned() && value < 0;
  const bool fits = is_negative ? value >= least : static_cast<std::uint64_t>(value) <= most;
  if (!fits) place.must_be(fmt::format("an integer from {} to {}", least, most), json);
  return value;
}

}  // namespace json_detail
}  // namespace msda
