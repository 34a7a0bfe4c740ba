// The tables of effects and regimes, in words.
#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "render/effect_headline.hpp"
#include "render/layout.hpp"
#include "render/matrix.hpp"
#include "render/text.hpp"

namespace msda {
namespace {

void add_effect(const EffectFamily& family, const Effect& effect, Layout& layout) {
  std::string verdict(name_of(effect.verdict));
  if (!effect.reason.empty()) {
    verdict += fmt::format(" [{}]", footnote_number(layout.reasons, printable(effect.reason)));
  }
  layout.rows.push_back(
      {std::string(name_of(family.kind)), printable_line(effect.label),
       effect.ratio ? ratio_text(*effect.ratio, effect.ratio_95) : kAbsent,
       effect.share ? fmt::format("{:.1f}%", *effect.share * 100) : kAbsent,
       effect.p_difference ? fmt::format("{:.2g}", *effect.p_difference) : kAbsent,
       effect.error_ratio ? fmt::format("{:.3g}x", *effect.error_ratio) : kAbsent, verdict});
  layout.verdicts.emplace_back(name_of(effect.verdict));
}

Layout lay_out_effects(const AblationTable& table) {
  Layout layout;
  layout.effects = &table;
  layout.title = fmt::format("Effects: {}, {}", printable_line(table.problem), name_of(table.mode));
  layout.headline = headline(table);
  if (const EffectFamily* total = find_family(table, EffectKind::kTotal)) {
    const Effect& all = total->effects.front();
    if (all.ratio) layout.gist = fmt::format("together {}x", short_ratio(*all.ratio));
  }
  layout.columns = {{"effect", false}, {"factor", false}, {"speed-up [95%]"}, {"share"},
                    {"p (Holm)"},      {"error"},         {"verdict", false}};
  for (const EffectFamily& family : table.families) {
    for (const Effect& effect : family.effects) add_effect(family, effect, layout);
    if (!family.remark.empty()) {
      layout.remarks.push_back(fmt::format("{}: {}.", name_of(family.kind), family.remark));
    }
  }
  return layout;
}

Layout lay_out_pooled(const PooledFamily& family) {
  Layout layout;
  layout.pooled = &family;
  layout.of_all_problems = true;
  layout.title =
      fmt::format("Effects over problems: {}, {}", name_of(family.kind), name_of(family.mode));
  const auto differing = std::count_if(family.effects.begin(), family.effects.end(),
                                       [](const PooledEffect& e) { return e.heterogeneous; });
  layout.headline =
      fmt::format("{} of {} effects depend on the problem.", differing, family.effects.size());
  layout.gist = fmt::format("{} of {} depend on the problem", differing, family.effects.size());
  layout.columns = {{"factor", false}};
  for (const std::string& problem : family.problems) {
    layout.columns.push_back({printable_line(problem)});
  }
  for (const char* title : {"mean [95%]", "spread", "p same"}) layout.columns.push_back({title});
  layout.columns.push_back({"verdict", false});
  for (const PooledEffect& effect : family.effects) {
    std::vector<std::string> cells{printable_line(effect.label)};
    for (const auto& ratio : effect.by_problem) {
      cells.push_back(ratio ? ratio_text(*ratio) : kAbsent);
    }
    cells.push_back(effect.ratio ? ratio_text(*effect.ratio, effect.ratio_95) : kAbsent);
    cells.push_back(ratio_text(effect.spread));
    cells.push_back(effect.p_same ? fmt::format("{:.2g}", *effect.p_same) : kAbsent);
    cells.push_back(fmt::format("{}{}", name_of(effect.verdict),
                                effect.heterogeneous ? ", depends on the problem" : ""));
    layout.rows.push_back(std::move(cells));
    layout.verdicts.emplace_back(name_of(effect.verdict));
  }
  return layout;
}

Layout lay_out_regimes(const RegimeTable& table) {
  Layout layout;
  layout.title = "Regimes: " + printable_line(table.problem);
  double smallest = std::numeric_limits<double>::infinity();
  for (const RegimeRow& row : table.rows) {
    for (const RegimeCell& cell : row.cells) {
      if (cell.rank > 0) smallest = std::min(smallest, cell.median_seconds);
    }
  }
  const Scale scale = time_scale(smallest);
  layout.columns = {{"arm", false}};
  for (const TimingMode mode : table.modes) {
    layout.columns.push_back({fmt::format("{} [{}]", name_of(mode), scale.unit)});
    layout.columns.push_back({"ratio"});
    layout.columns.push_back({"rank"});
  }
  layout.columns.push_back({"flips with", false});
  std::size_t flipping = 0;
  for (const RegimeRow& row : table.rows) {
    std::vector<std::string> cells{printable_line(row.arm)};
    for (const RegimeCell& cell : row.cells) {
      cells.push_back(cell.rank > 0 ? scale.number(cell.median_seconds) : kAbsent);
      cells.push_back(cell.speedup ? ratio_text(*cell.speedup) : kAbsent);
      cells.push_back(cell.rank > 0 ? fmt::format("{}", cell.rank) : kAbsent);
    }
    if (!row.flips_with.empty()) ++flipping;
    cells.push_back(printable_line(fmt::format("{}", fmt::join(row.flips_with, ", "))));
    layout.rows.push_back(std::move(cells));
    layout.verdicts.emplace_back(row.flips_with.empty() ? "equal" : "undecided");
  }
  layout.headline =
      flipping == 0
          ? "No two arms surely change places between the modes."
          : fmt::format(
                "{} of {} arms surely beat another one in one mode and lose to it in another.",
                flipping, table.rows.size());
  layout.gist = flipping == 0 ? "no changes" : fmt::format("{} arms change places", flipping);
  return layout;
}

}  // namespace

std::vector<Layout> effect_layouts(const Report& report) {
  std::vector<Layout> layouts;
  if (!report.ablation) return layouts;
  for (const AblationTable& table : report.ablation->tables) {
    if (!table.families.empty()) layouts.push_back(lay_out_effects(table));
  }
  for (const PooledFamily& family : report.ablation->pooled) {
    layouts.push_back(lay_out_pooled(family));
  }
  if (!layouts.empty()) {
    layouts.front().remarks.push_back(
        fmt::format("speed-up: time without / time with; error: relative L2 with / without; "
                    "verdicts are corrected over the effects of one kind (Holm), equal is within "
                    "{:.0f}%.",
                    kEquivalence * 100));
  }
  return layouts;
}

std::vector<Layout> regime_layouts(const Report& report) {
  std::vector<Layout> layouts;
  for (const RegimeTable& table : report.regimes) layouts.push_back(lay_out_regimes(table));
  return layouts;
}

}  // namespace msda
