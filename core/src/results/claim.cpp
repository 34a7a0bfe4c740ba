#include "results/claim.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "json_members.hpp"

namespace msda {

using nlohmann::json;

template <>
struct JsonFields<ClaimedRange> {
  static auto list() {
    return std::tuple(json_field("low", &ClaimedRange::low),
                      json_field("high", &ClaimedRange::high, "null: no upper end"));
  }
};

template <>
struct JsonFields<Claim::Reference>
    : JsonMembers<&Claim::Reference::arm, &Claim::Reference::value, &Claim::Reference::range> {};

template <>
struct JsonFields<Claim> {
  static auto list() {
    return std::tuple(
        json_field("text", &Claim::text), json_field("source", &Claim::source).optional(),
        json_field("problem", &Claim::problem).optional(), json_field("mode", &Claim::mode),
        json_field("quantity", &Claim::quantity),
        json_field("metric", &Claim::metric).unless_empty(), json_field("value", &Claim::value),
        json_field("measured_on", &Claim::measured_on).unless_empty(),
        json_field("against", &Claim::against), json_field("note", &Claim::note).optional(),
        json_field("not_comparable", &Claim::not_comparable).unless_empty(),
        json_field("estimate", &Claim::estimate).unless_empty(),
        json_field("evidence", &Claim::evidence).unless_empty(),
        json_field("left_out", &Claim::left_out).optional());
  }
};

namespace {

/// A single name stands without brackets.
json names_json(const std::vector<std::string>& names) {
  return names.size() == 1 ? json(names.front()) : json(names);
}

std::vector<std::string> read_names(const json& object, const JsonPlace& place) {
  std::vector<std::string> names;
  if (!object.is_array()) {
    read_json(object, place, names.emplace_back());
    return names;
  }
  read_json(object, place, names);
  if (names.empty()) place.must_be("an arm or a list of arms", object);
  return names;
}

/// JSON has no infinity: the upper end of "at least" is null.
void restore_infinity(ClaimedRange& range) {
  if (std::isnan(range.high)) range.high = std::numeric_limits<double>::infinity();
}

}  // namespace

std::string Claim::arm_text() const {
  if (arms.size() == 1) return arms.front();
  return fmt::format("{}{}", is_of_identity() ? "" : "best of ", fmt::join(arms, ", "));
}

std::string Claim::over_text() const {
  return fmt::format("{}{}", over.size() > 1 ? "the fastest of " : "", fmt::join(over, ", "));
}

json to_json(const Claim& claim) {
  json object = write_json(claim);
  object["arm"] = names_json(claim.arms);
  if (!claim.over.empty()) object["over"] = names_json(claim.over);
  object.update(write_json(claim.range));
  return object;
}

Claim claim_from_json(const json& object) {
  auto claim = from_json_document<Claim>(object, "claim");
  const JsonPlace place("claim");
  const auto arm = object.find("arm");
  if (arm == object.end()) place.lacks("arm");
  claim.arms = read_names(*arm, JsonPlace(place, "arm"));
  // An empty text stood for the baseline once.
  if (const auto over = object.find("over"); over != object.end() && *over != "") {
    claim.over = read_names(*over, JsonPlace(place, "over"));
  }
  if (describe(claim.quantity).kind != ClaimedKind::kNoNumber) {
    read_json(object, place, claim.range);
    restore_infinity(claim.range);
    if (claim.against) restore_infinity(claim.against->range);
  }
  return claim;
}

}  // namespace msda
