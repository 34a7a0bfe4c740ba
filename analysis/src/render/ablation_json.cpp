#include "render/ablation_json.hpp"

#include "render/json_number.hpp"

namespace msda {
namespace {

using Json = nlohmann::json;

Json json_interval(const std::optional<Interval>& value) {
  return value ? Json({{"low", value->low}, {"high", value->high}}) : Json();
}

Json effect_json(const Effect& effect) {
  return {{"effect", effect.label},
          {"factors", effect.factors},
          {"speedup", json_number(effect.ratio)},
          {"speedup_95", json_interval(effect.ratio_95)},
          {"log_standard_error", effect.standard_error},
          {"degrees_of_freedom", effect.degrees_of_freedom},
          {"p_difference", json_number(effect.p_difference)},
          {"p_equal", json_number(effect.p_equal)},
          {"share", json_number(effect.share)},
          {"error_ratio", json_number(effect.error_ratio)},
          {"over", effect.replication == Replication::kProcesses ? "processes" : "blocks"},
          {"count", effect.replicates},
          {"verdict", name_of(effect.verdict)},
          {"reason", effect.reason}};
}

Json family_json(const EffectFamily& family) {
  Json effects = Json::array();
  for (const Effect& effect : family.effects) effects.push_back(effect_json(effect));
  return {{"kind", name_of(family.kind)}, {"remark", family.remark}, {"effects", effects}};
}

Json pooled_json(const PooledFamily& family) {
  Json effects = Json::array();
  for (const PooledEffect& effect : family.effects) {
    Json by_problem = Json::array();
    for (const auto& ratio : effect.by_problem) by_problem.push_back(json_number(ratio));
    effects.push_back({{"effect", effect.label},
                       {"factors", effect.factors},
                       {"speedup", json_number(effect.ratio)},
                       {"speedup_95", json_interval(effect.ratio_95)},
                       {"verdict", name_of(effect.verdict)},
                       {"by_problem", by_problem},
                       {"spread", effect.spread},
                       {"p_same", json_number(effect.p_same)},
                       {"heterogeneous", effect.heterogeneous}});
  }
  return {{"kind", name_of(family.kind)},
          {"mode", name_of(family.mode)},
          {"problems", family.problems},
          {"effects", effects}};
}

Json regime_row_json(const RegimeRow& row) {
  Json cells = Json::array();
  for (const RegimeCell& cell : row.cells) {
    cells.push_back({{"median_seconds", cell.rank > 0 ? Json(cell.median_seconds) : Json()},
                     {"speedup", json_number(cell.speedup)},
                     {"speedup_95", json_interval(cell.speedup_95)},
                     {"rank", cell.rank > 0 ? Json(cell.rank) : Json()}});
  }
  return {{"arm", row.arm}, {"cells", cells}, {"flips_with", row.flips_with}};
}

}  // namespace

Json to_json(const Ablation& ablation) {
  Json tables = Json::array();
  for (const AblationTable& table : ablation.tables) {
    Json families = Json::array();
    for (const EffectFamily& family : table.families) families.push_back(family_json(family));
    tables.push_back(
        {{"problem", table.problem}, {"mode", name_of(table.mode)}, {"families", families}});
  }
  Json pooled = Json::array();
  for (const PooledFamily& family : ablation.pooled) pooled.push_back(pooled_json(family));
  return {{"design", to_json(ablation.design)}, {"tables", tables}, {"over_problems", pooled}};
}

Json to_json(const std::vector<RegimeTable>& regimes) {
  Json tables = Json::array();
  for (const RegimeTable& table : regimes) {
    Json modes = Json::array();
    for (const TimingMode mode : table.modes) modes.push_back(name_of(mode));
    Json rows = Json::array();
    for (const RegimeRow& row : table.rows) rows.push_back(regime_row_json(row));
    tables.push_back({{"problem", table.problem}, {"modes", modes}, {"rows", rows}});
  }
  return tables;
}

}  // namespace msda
