#include <fmt/format.h>
#include <msda/error.hpp>

#include "design/design.hpp"

namespace msda {
namespace {

using nlohmann::json;

json point_json(const DesignPoint& point) { return {{"arm", point.arm}, {"levels", point.levels}}; }

DesignPoint point_from(const json& value, const std::vector<Factor>& factors) {
  DesignPoint point{value.at("arm").get<std::string>(), value.at("levels").get<Levels>()};
  bool good = point.levels.size() == factors.size();
  for (std::size_t f = 0; good && f < factors.size(); ++f) {
    good = point.levels[f] >= 0 && point.levels[f] <= factors[f].last();
  }
  if (!good) {
    throw UsageError(
        fmt::format("the design's arm '{}' does not have one level of each factor", point.arm));
  }
  return point;
}

std::vector<Factor> factors_from(const json& list) {
  std::vector<Factor> factors;
  for (const json& value : list) {
    factors.push_back(
        {value.at("name").get<std::string>(), value.at("levels").get<std::vector<std::string>>()});
    Factor& factor = factors.back();
    if (factor.levels.size() < 2) {
      throw UsageError(
          fmt::format("the design's factor '{}' has fewer than two levels", factor.name));
    }
    if (const auto on = value.find("on"); on != value.end()) {
      factor.stated_on = on->get<int>();
      if (*factor.stated_on < 1 || *factor.stated_on > factor.last()) {
        throw UsageError(fmt::format("the design's factor '{}' has no level {} to be on",
                                     factor.name, *factor.stated_on));
      }
    }
  }
  return factors;
}

void check_orders(const Design& design) {
  for (const auto& order : design.orders) {
    for (const std::size_t factor : order) {
      if (factor >= design.factors.size()) {
        throw UsageError(
            fmt::format("the design's order names factor {} of {}", factor, design.factors.size()));
      }
    }
  }
}

}  // namespace

json to_json(const Design& design) {
  json kinds = json::array();
  for (const DesignKind kind : design.kinds) kinds.push_back(name_of(kind));
  json factors = json::array();
  for (const Factor& factor : design.factors) {
    json& value = factors.emplace_back(json{{"name", factor.name}, {"levels", factor.levels}});
    if (factor.stated_on) value["on"] = *factor.stated_on;
  }
  json points = json::array();
  for (const DesignPoint& point : design.points) points.push_back(point_json(point));
  json dropped = json::array();
  for (const DroppedPoint& gone : design.dropped) {
    json value = point_json(gone.point);
    value["reason"] = gone.reason;
    dropped.push_back(std::move(value));
  }
  json object = {{"design", std::move(kinds)},
                 {"factors", std::move(factors)},
                 {"points", std::move(points)},
                 {"dropped", std::move(dropped)},
                 {"orders", design.orders}};
  if (design.fraction.resolution > 0) {
    object["fraction"] = {{"resolution", design.fraction.resolution},
                          {"generators", design.fraction.generators},
                          {"relation", design.fraction.relation},
                          {"aliases", design.fraction.aliases}};
  }
  return object;
}

Design design_from_json(const json& object) {
  Design design;
  try {
    for (const json& kind : object.at("design")) {
      design.kinds.push_back(parse_design_kind(kind.get<std::string>()));
    }
    design.factors = factors_from(object.at("factors"));
    for (const json& value : object.at("points")) {
      design.points.push_back(point_from(value, design.factors));
    }
    for (const json& value : object.at("dropped")) {
      design.dropped.push_back(
          {point_from(value, design.factors), value.at("reason").get<std::string>()});
    }
    design.orders = object.at("orders").get<std::vector<std::vector<std::size_t>>>();
    if (const auto found = object.find("fraction"); found != object.end()) {
      design.fraction = {found->at("resolution").get<int>(),
                         found->at("generators").get<std::vector<std::string>>(),
                         found->at("relation").get<std::vector<std::string>>(),
                         found->at("aliases").get<std::vector<std::string>>()};
    }
  } catch (const json::exception& error) {
    throw UsageError(fmt::format("the manifest's ablation is not a design: {}", error.what()));
  }
  check_orders(design);
  return design;
}

}  // namespace msda
