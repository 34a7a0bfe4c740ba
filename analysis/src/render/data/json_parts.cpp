#include "render/data/json.hpp"

#include "render/tables/tables.hpp"

namespace msda {
namespace {

using Json = nlohmann::json;

Json family_json(const AblationTable& table, const EffectFamily& family) {
  Json effects = Json::array();
  for (const Effect& effect : family.effects) {
    effects.push_back(json_of(effect_columns(), EffectLine{table, family, effect}));
  }
  return {{"kind", name_of(family.kind)}, {"remark", family.remark}, {"effects", effects}};
}

Json pooled_json(const PooledFamily& family) {
  Json effects = Json::array();
  for (const PooledEffect& effect : family.effects) {
    effects.push_back(json_of(pooled_columns(), effect));
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
                     {"speedup", to_value(cell.speedup)},
                     {"speedup_95", to_value(cell.speedup_95)},
                     {"rank", cell.rank > 0 ? Json(cell.rank) : Json()}});
  }
  return {{"arm", row.arm}, {"cells", cells}, {"flips_with", row.flips_with}};
}

Json factor_json(const FactorWorth& factor) {
  Json levels = Json::array();
  for (const LevelWorth& level : factor.levels) {
    levels.push_back({{"level", level.level},
                      {"tried", level.tried},
                      {"best_with_it", to_value(level.best_with_it)},
                      {"at_the_winner", to_value(level.at_the_winner)},
                      {"measured", level.measured},
                      {"of_the_winner", level.of_the_winner}});
  }
  return {{"factor", factor.factor},
          {"own_share", factor.shares.own},
          {"total_share", factor.shares.total},
          {"total_share_of_all", factor.shares.total_of_all},
          {"levels", std::move(levels)}};
}

}  // namespace

Json to_json(const Ablation& ablation) {
  Json tables = Json::array();
  for (const AblationTable& table : ablation.tables) {
    Json families = Json::array();
    for (const EffectFamily& family : table.families) {
      families.push_back(family_json(table, family));
    }
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

Json to_json(const std::vector<SearchReport>& searches) {
  Json list = Json::array();
  for (const SearchReport& search : searches) {
    Json finalists = Json::array();
    for (const FinalistResult& one : search.finalists) {
      finalists.push_back(json_of(finalist_columns(), one));
    }
    Json factors = Json::array();
    for (const FactorWorth& one : search.factors) factors.push_back(factor_json(one));
    const Json winner = search.winner ? Json(search.finalists[*search.winner].name) : Json();
    list.push_back({{"problem", search.problem},
                    {"mode", name_of(search.mode)},
                    {"baseline", search.baseline},
                    {"failure", search.failure},
                    {"points", search.points},
                    {"left", search.left},
                    {"tried", search.tried.size()},
                    {"seconds", search.seconds},
                    {"winner", winner},
                    {"finalists", std::move(finalists)},
                    {"factors", std::move(factors)}});
  }
  return list;
}

Json to_json(const Timeline& timeline) {
  Json uses = Json::array();
  for (const TimeUse& use : timeline.uses) {
    uses.push_back({{"name", use.name}, {"seconds", use.seconds}});
  }
  Json strips = Json::array();
  for (const TimeStrip& strip : timeline.strips) {
    strips.push_back(
        {{"use", strip.use}, {"begin", strip.begin}, {"end", strip.end}, {"share", strip.share}});
  }
  return {{"seconds", timeline.seconds}, {"uses", std::move(uses)}, {"strips", std::move(strips)}};
}

}  // namespace msda
