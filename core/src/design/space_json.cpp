#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <msda/error.hpp>

#include "design/space.hpp"
#include "json_members.hpp"

namespace msda {
namespace {

struct SpaceDocument {
  std::vector<SpaceFactor> factors;
  std::vector<SpaceRule> rules;
  std::uint64_t size = 0;  ///< for readers of the file
};

void check_parameter(const SpaceFactor& factor, std::span<const SpaceFactor> earlier) {
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

void check_pattern(const SpacePattern& pattern, std::size_t factors) {
  for (const FactorLevels& one : pattern) {
    if (one.factor < factors) continue;
    throw UsageError(fmt::format("a rule of the space names factor {} of {}", one.factor, factors));
  }
}

}  // namespace

template <>
struct JsonFields<FactorLevels> : JsonMembers<&FactorLevels::factor, &FactorLevels::levels> {};

template <>
struct JsonFields<SpaceFactor>
    : JoinedFields<JsonMembers<&SpaceFactor::name, &SpaceFactor::levels, &SpaceFactor::parent>,
                   JsonMembersUnlessEmpty<&SpaceFactor::allowed>> {};

template <>
struct JsonFields<SpaceRule> : JsonMembers<&SpaceRule::when, &SpaceRule::then, &SpaceRule::text> {};

template <>
struct JsonFields<SpaceDocument> {
  static auto list() {
    return std::tuple(json_field("factors", &SpaceDocument::factors),
                      json_field("rules", &SpaceDocument::rules),
                      json_field("size", &SpaceDocument::size).optional());
  }
};

nlohmann::json to_json(const SearchSpace& space) {
  return write_json(SpaceDocument{space.factors(), space.rules(), space.size()});
}

SearchSpace space_from_json(const nlohmann::json& object) {
  auto document = from_json_document<SpaceDocument>(object, "the manifest's space");
  const std::span<const SpaceFactor> factors = document.factors;
  for (std::size_t f = 0; f < factors.size(); ++f) {
    if (factors[f].parent) check_parameter(factors[f], factors.first(f));
  }
  for (const SpaceRule& rule : document.rules) {
    check_pattern(rule.when, factors.size());
    check_pattern(rule.then, factors.size());
  }
  return {std::move(document.factors), std::move(document.rules)};
}

}  // namespace msda
