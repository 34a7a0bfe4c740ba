#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <msda/error.hpp>

#include "design/design.hpp"
#include "json_members.hpp"

namespace msda {

using nlohmann::json;

template <>
struct JsonFields<Factor> {
  static auto list() {
    return std::tuple(json_field("name", &Factor::name), json_field("levels", &Factor::levels),
                      json_field("on", &Factor::stated_on));
  }
};

template <>
struct JsonFields<DesignPoint> : JsonMembers<&DesignPoint::arm, &DesignPoint::levels> {};

// A point with the reason beside its own fields.
template <>
json write_json<DroppedPoint>(const DroppedPoint& dropped) {
  json object = write_json(dropped.point);
  object["reason"] = dropped.reason;
  return object;
}

template <>
void read_json<DroppedPoint>(const json& value, const JsonPlace& place, DroppedPoint& dropped) {
  read_json(value, place, dropped.point);
  const auto reason = value.find("reason");
  if (reason == value.end()) place.lacks("reason");
  read_json(*reason, JsonPlace(place, "reason"), dropped.reason);
}

template <>
struct JsonFields<Fraction> : JsonMembers<&Fraction::resolution, &Fraction::generators,
                                          &Fraction::relation, &Fraction::aliases> {};

template <>
struct JsonFields<Design> {
  using D = Design;
  static auto list() {
    return std::tuple(json_field("design", &D::kinds), json_field("factors", &D::factors),
                      json_field("points", &D::points), json_field("dropped", &D::dropped),
                      json_field("orders", &D::orders));
  }
};

namespace {

void check_factors(const std::vector<Factor>& factors) {
  for (const Factor& factor : factors) {
    if (factor.levels.size() < 2) {
      throw UsageError(
          fmt::format("the ablation's factor '{}' has fewer than two levels", factor.name));
    }
    if (factor.on() < 1 || factor.on() > factor.last()) {
      throw UsageError(fmt::format("the ablation's factor '{}' has no level {} to be on",
                                   factor.name, factor.on()));
    }
  }
}

void check_point(const DesignPoint& point, const std::vector<Factor>& factors) {
  bool good = point.levels.size() == factors.size();
  for (std::size_t f = 0; good && f < factors.size(); ++f) {
    good = point.levels[f] >= 0 && point.levels[f] <= factors[f].last();
  }
  if (!good) {
    throw UsageError(
        fmt::format("the ablation's arm '{}' does not have one level of each factor", point.arm));
  }
}

/// Each order is one of all factors.
void check_orders(const Design& design) {
  for (const auto& order : design.orders) {
    const std::set<std::size_t> named(order.begin(), order.end());
    if (order.size() != design.factors.size() || named.size() != order.size() ||
        (!order.empty() && *named.rbegin() >= order.size())) {
      throw UsageError(fmt::format("an order of the ablation is not one of its {} factors",
                                   design.factors.size()));
    }
  }
}

}  // namespace

json to_json(const Design& design) {
  json object = write_json(design);
  if (design.fraction.resolution > 0) object["fraction"] = write_json(design.fraction);
  return object;
}

Design design_from_json(const json& object) {
  const JsonPlace place("ablation");
  Design design;
  read_json(object, place, design);
  if (const auto fraction = object.find("fraction"); fraction != object.end()) {
    read_json(*fraction, JsonPlace(place, "fraction"), design.fraction);
  }
  check_factors(design.factors);
  for (const DesignPoint& point : design.points) check_point(point, design.factors);
  for (const DroppedPoint& dropped : design.dropped) check_point(dropped.point, design.factors);
  check_orders(design);
  return design;
}

}  // namespace msda
