#include <string_view>

#include <fmt/format.h>

#include "json_text.hpp"
#include "render/data/json.hpp"
#include "render/formats.hpp"
#include "render/tables/tables.hpp"
#include "render/words/words.hpp"

namespace msda {
namespace {

using Json = nlohmann::json;

/// null where no arm has an interval.
Json noise_json(const std::optional<NoiseFloor>& floor) {
  if (!floor) return {};
  const RatioEstimate& ratio = floor->ratio;
  const Estimate estimate{ratio.ratio, ratio.interval_95, ratio.replication, ratio.replicates};
  return {{"arm", floor->arm.empty() ? Json() : Json(floor->arm)},
          {"ratio", ratio.ratio},
          {"ratio_95", to_value(estimate)["interval"]},
          {"verdict", name_of(classify(ratio))},
          {"smallest_effect", floor->smallest_effect}};
}

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

/// Elements on lines of their own. The tree of one element lives at a time: that of a whole report
/// would take many times its text.
template <class Elements, class Text>
void append_array(std::string& text, const Elements& elements, const Text& append_element) {
  text += '[';
  bool first = true;
  for (const auto& element : elements) {
    text += first ? "\n" : ",\n";
    first = false;
    append_element(text, element);
  }
  text += "\n]";
}

void append_table(std::string& text, const Table& table) {
  // The braces of an object without its rows, which follow.
  text += json_line({{"problem", table.problem},
                     {"mode", name_of(table.mode)},
                     {"headline", headline(table)},
                     {"noise_floor", noise_json(table.noise)}});
  text.back() = ',';
  text += "\"rows\":";
  append_array(text, table.rows, [](std::string& to, const Row& row) {
    to += json_line(json_of(cell_columns(), row));
  });
  text += '}';
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

std::string to_json(const Report& report) {
  std::string text = fmt::format("{{\"schema\":{},\n\"manifest\":{},\n\"tables\":", kReportSchema,
                                 json_line(to_json(report.manifest)));
  append_array(text, report.tables, append_table);
  text += ",\n\"claims\":";
  append_array(text, report.claims, [](std::string& to, const CheckedClaim& checked) {
    to += json_line(json_of(claim_columns(), checked));
  });
  text += ",\n\"ablation\":" + json_line(report.ablation ? to_json(*report.ablation) : Json());
  return text + ",\n\"regimes\":" + json_line(to_json(report.regimes)) +
         ",\n\"searches\":" + json_line(to_json(report.searches)) +
         ",\n\"counters\":" + json_line(to_json(report.counters)) +
         ",\n\"timeline\":" + json_line(report.timeline ? to_json(*report.timeline) : Json()) +
         "}\n";
}

}  // namespace msda
