#include "render/data/json.hpp"

#include "render/tables/tables.hpp"

namespace msda {
namespace {

using Json = nlohmann::json;

Json effects_json(const AblationTable& table) {
  const Json families = json_list(table.families, [&](const EffectFamily& family) -> Json {
    const Json effects = json_list(family.effects, [&](const Effect& effect) {
      return json_of(effect_columns(), EffectLine{table, family, effect});
    });
    return {{"kind", name_of(family.kind)}, {"remark", family.remark}, {"effects", effects}};
  });
  return {{"problem", table.problem}, {"mode", name_of(table.mode)}, {"families", families}};
}

Json pooled_json(const PooledFamily& family) {
  return {{"kind", name_of(family.kind)},
          {"mode", name_of(family.mode)},
          {"problems", family.problems},
          {"effects", json_list(pooled_columns(), family.effects)}};
}

Json regime_json(const RegimeCell& cell) {
  return {{"median_seconds", to_value(when(cell.rank > 0, cell.median_seconds))},
          {"speedup", to_value(cell.speedup)},
          {"speedup_95", to_value(cell.speedup_95)},
          {"rank", to_value(when(cell.rank > 0, cell.rank))}};
}

Json regimes_json(const RegimeTable& table) {
  const auto row_json = [](const RegimeRow& row) -> Json {
    return {{"arm", row.arm},
            {"cells", json_list(row.cells, regime_json)},
            {"flips_with", row.flips_with}};
  };
  return {{"problem", table.problem},
          {"modes", json_list(table.modes, [](TimingMode mode) { return name_of(mode); })},
          {"rows", json_list(table.rows, row_json)}};
}

Json level_json(const LevelWorth& level) {
  return {{"level", level.level},
          {"tried", level.tried},
          {"best_with_it", to_value(level.best_with_it)},
          {"at_the_winner", to_value(level.at_the_winner)},
          {"measured", level.measured},
          {"of_the_winner", level.of_the_winner}};
}

Json factor_json(const FactorWorth& factor) {
  return {{"factor", factor.factor},
          {"own_share", factor.shares.own},
          {"total_share", factor.shares.total},
          {"total_share_of_all", factor.shares.total_of_all},
          {"levels", json_list(factor.levels, level_json)}};
}

Json search_json(const SearchReport& search) {
  return {{"problem", search.problem},
          {"mode", name_of(search.mode)},
          {"baseline", search.baseline},
          {"failure", search.failure},
          {"points", search.points},
          {"left", search.left},
          {"tried", search.tried.size()},
          {"seconds", search.seconds},
          {"winner", search.winner ? Json(search.finalists[*search.winner].name) : Json()},
          {"finalists", json_list(finalist_columns(), search.finalists)},
          {"factors", json_list(search.factors, factor_json)}};
}

Json use_json(const TimeUse& use) { return {{"name", use.name}, {"seconds", use.seconds}}; }

Json strip_json(const TimeStrip& strip) {
  return {{"use", strip.use}, {"begin", strip.begin}, {"end", strip.end}, {"share", strip.share}};
}

}  // namespace

Json to_json(const Ablation& ablation) {
  return {{"design", to_json(ablation.design)},
          {"tables", json_list(ablation.tables, effects_json)},
          {"over_problems", json_list(ablation.pooled, pooled_json)}};
}

Json to_json(const std::vector<RegimeTable>& regimes) { return json_list(regimes, regimes_json); }

Json to_json(const std::vector<SearchReport>& searches) { return json_list(searches, search_json); }

Json to_json(const Timeline& timeline) {
  return {{"seconds", timeline.seconds},
          {"uses", json_list(timeline.uses, use_json)},
          {"strips", json_list(timeline.strips, strip_json)}};
}

}  // namespace msda
