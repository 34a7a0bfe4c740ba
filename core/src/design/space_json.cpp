#include <algorithm>

#include <fmt/format.h>
#include <msda/error.hpp>

#include "design/space.hpp"

namespace msda {
namespace {

using nlohmann::json;

json pattern_json(const SpacePattern& pattern) {
  json list = json::array();
  for (const auto& [factor, levels] : pattern) {
    list.push_back({{"factor", factor}, {"levels", levels}});
  }
  return list;
}

SpacePattern pattern_from(const json& list, std::size_t factors) {
  SpacePattern pattern;
  for (const json& entry : list) {
    pattern.emplace_back(entry.at("factor").get<std::size_t>(),
                         entry.at("levels").get<std::vector<int>>());
    if (pattern.back().first >= factors) {
      throw UsageError(
          fmt::format("a rule of the space names factor {} of {}", pattern.back().first, factors));
    }
  }
  return pattern;
}

void check_parameter(const SpaceFactor& factor, const std::vector<SpaceFactor>& earlier) {
  const bool has_parent = *factor.parent < earlier.size();
  bool good = has_parent && !earlier[*factor.parent].parent &&
              factor.allowed.size() == earlier[*factor.parent].levels.size();
  for (const auto& levels : factor.allowed) {
    for (const int level : levels) {
      good = good && level >= 0 && level < static_cast<int>(factor.levels.size());
    }
  }
  if (good) return;
  throw UsageError(
      fmt::format("factor '{}' of the space does not fit the one it belongs to", factor.name));
}

SpaceFactor factor_from(const json& value, const std::vector<SpaceFactor>& earlier) {
  SpaceFactor factor;
  factor.name = value.at("name").get<std::string>();
  factor.levels = value.at("levels").get<std::vector<std::string>>();
  if (!value.contains("parent")) return factor;
  factor.parent = value.at("parent").get<std::size_t>();
  factor.allowed = value.at("allowed").get<std::vector<std::vector<int>>>();
  check_parameter(factor, earlier);
  return factor;
}

}  // namespace

json to_json(const SearchSpace& space) {
  json factors = json::array();
  for (const SpaceFactor& factor : space.factors()) {
    json value = {{"name", factor.name}, {"levels", factor.levels}};
    if (factor.parent) {
      value["parent"] = *factor.parent;
      value["allowed"] = factor.allowed;
    }
    factors.push_back(std::move(value));
  }
  json rules = json::array();
  for (const SpaceRule& rule : space.rules()) {
    rules.push_back({{"when", pattern_json(rule.when)},
                     {"then", pattern_json(rule.then)},
                     {"text", rule.text}});
  }
  return {{"factors", std::move(factors)}, {"rules", std::move(rules)}, {"size", space.size()}};
}

SearchSpace space_from_json(const json& object) {
  try {
    std::vector<SpaceFactor> factors;
    for (const json& value : object.at("factors")) factors.push_back(factor_from(value, factors));
    std::vector<SpaceRule> rules;
    for (const json& value : object.at("rules")) {
      rules.push_back({pattern_from(value.at("when"), factors.size()),
                       pattern_from(value.at("then"), factors.size()),
                       value.at("text").get<std::string>()});
    }
    return {std::move(factors), std::move(rules)};
  } catch (const json::exception& error) {
    throw UsageError(fmt::format("the manifest's space is not a search space: {}", error.what()));
  }
}

}  // namespace msda
